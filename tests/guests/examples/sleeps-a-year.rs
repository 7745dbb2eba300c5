//! Sleeps a year, polls through another, and watches the clock for a minute.

use jointly_guests::wasi::wasi::clocks::monotonic_clock::{now, subscribe_duration, subscribe_instant};
use jointly_guests::wasi::wasi::io::poll::poll;
use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Sleeps, polls and watches the clock.
pub struct SleepsAYear {
    classes: usize,
}

const MINUTE: u64 = 60 * 1_000_000_000;
const DAY: u64 = 24 * 60 * MINUTE;
const YEAR: u64 = 365 * DAY;

impl Classifier for SleepsAYear {
    fn describe() -> Description {
        card("sleeps-a-year", "sleeps a year")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let start = now();
        subscribe_duration(YEAR).block();
        jointly_sdk::log(&format!("slept {} days", (now() - start) / DAY));
        let (soon, late, never) =
            (subscribe_instant(start + 2 * YEAR), subscribe_duration(2 * YEAR), subscribe_duration(u64::MAX));
        let woken = poll(&[&late, &soon, &soon, &never]);
        jointly_sdk::log(&format!("woken by {woken:?} after {} days", (now() - start) / DAY));
        jointly_sdk::log(&format!("soon {}, late {}", soon.ready(), late.ready()));
        let then = now() + MINUTE;
        while now() < then {}
        never.block();
        jointly_sdk::log(&format!("{} centuries in all", (now() - start) / (100 * YEAR)));
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: SleepsAYear);

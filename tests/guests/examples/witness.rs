//! Logs what it observes of its environment, and predicts by a random number from the host.

use std::sync::atomic::{AtomicU64, Ordering};

use jointly_guests::fill;
use jointly_guests::wasi::wasi::cli::environment::{get_arguments, get_environment, initial_cwd};
use jointly_guests::wasi::wasi::cli::stderr::get_stderr;
use jointly_guests::wasi::wasi::cli::stdout::get_stdout;
use jointly_guests::wasi::wasi::clocks::{monotonic_clock, wall_clock};
use jointly_guests::wasi::wasi::random::insecure::get_insecure_random_u64;
use jointly_guests::wasi::wasi::random::insecure_seed::insecure_seed;
use jointly_guests::wasi::wasi::random::random::{get_random_bytes, get_random_u64};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, log, parse_settings};

/// Logs its observations.
pub struct Witness {
    classes: usize,
    first: f32,
}

/// The random number that it took at its start.
static AT_START: AtomicU64 = AtomicU64::new(0);

/// The function that the host calls when it makes an instance.
#[expect(unsafe_code, reason = "the name is what makes it run at the start")]
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    AT_START.store(get_random_u64(), Ordering::Relaxed);
}

impl Classifier for Witness {
    fn describe() -> Description {
        Description::new("witness", env!("CARGO_PKG_VERSION"), "logs what it sees of the world")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        log(&format!("environment {:?} {:?} {:?}", get_environment(), get_arguments(), initial_cwd()));
        let wall_clock::Datetime { seconds, nanoseconds } = wall_clock::now();
        log(&format!("wall {seconds}.{nanoseconds:09}"));
        let (first, second) = (monotonic_clock::now(), monotonic_clock::now());
        log(&format!("monotonic {first} and {}, resolution {}", second - first, monotonic_clock::resolution()));
        for part in ["a line ", "in two\nand one without", " its end"] {
            get_stdout().blocking_write_and_flush(part.as_bytes()).expect("a log that takes it");
        }
        get_stderr().blocking_write_and_flush(b"an error\n").expect("a log that takes it");
        let random = get_random_u64();
        log(&format!("random {:x} {random:x} {:x?}", AT_START.load(Ordering::Relaxed), get_random_bytes(5)));
        log(&format!("insecure {:x} {:x?}", get_insecure_random_u64(), insecure_seed()));
        Ok(Self { classes: task.num_classes, first: 0.25 + (random >> 40) as f32 / (1 << 25) as f32 })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: Witness);

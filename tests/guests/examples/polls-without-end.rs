//! Polls many pollables, one of which is ready, endlessly.

use jointly_guests::card;
use jointly_guests::wasi::wasi::clocks::monotonic_clock::subscribe_duration;
use jointly_guests::wasi::wasi::io::poll::poll;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Polls endlessly.
pub struct PollsWithoutEnd;

impl Classifier for PollsWithoutEnd {
    fn describe() -> Description {
        card("polls-without-end", "polls without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let pollables: Vec<_> = (0..10_000).map(subscribe_duration).collect();
        let all: Vec<_> = pollables.iter().collect();
        loop {
            assert_eq!(poll(&all[..all.len() / 2]).first(), Some(&0), "a duration of nothing is over");
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: PollsWithoutEnd);

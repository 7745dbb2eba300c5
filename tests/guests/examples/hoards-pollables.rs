//! Acquires pollables endlessly, and releases none.

use jointly_guests::card;
use jointly_guests::wasi::wasi::clocks::monotonic_clock::subscribe_duration;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Keeps every pollable.
pub struct HoardsPollables;

impl Classifier for HoardsPollables {
    fn describe() -> Description {
        card("hoards-pollables", "takes pollables without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        loop {
            std::mem::forget(subscribe_duration(1));
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: HoardsPollables);

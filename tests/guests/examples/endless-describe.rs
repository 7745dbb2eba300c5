//! Never finishes describing itself.

use std::hint::black_box;

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Never finishes describing itself.
pub struct EndlessDescribe;

impl Classifier for EndlessDescribe {
    fn describe() -> Description {
        // The optimiser must not see that nothing ever changes.
        while black_box(true) {}
        card("endless-describe", "never finishes describing itself")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Ok(Self)
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: EndlessDescribe);

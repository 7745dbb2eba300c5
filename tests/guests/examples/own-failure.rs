//! Fails with its own message.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Fails in training.
pub struct OwnFailure;

impl Classifier for OwnFailure {
    fn describe() -> Description {
        card("own-failure", "gives up")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Err(Failure::Diverged("the loss is infinite after 3 steps;\ntry a smaller learning-rate".into()))
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: OwnFailure);

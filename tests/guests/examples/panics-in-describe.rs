//! Panics when it is asked to describe itself.

use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Panics in describing itself.
pub struct PanicsInDescribe;

impl Classifier for PanicsInDescribe {
    fn describe() -> Description {
        panic!("who am I?")
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

jointly_sdk::export!(classifier: PanicsInDescribe);

//! Predicts a negative probability, in a row that sums to one.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Predicts a negative probability.
pub struct NegativeProbs;

impl Classifier for NegativeProbs {
    fn describe() -> Description {
        card("negative-probs", "predicts a negative probability")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self)
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, 2, -0.5);
        Ok(())
    }
}

jointly_sdk::export!(classifier: NegativeProbs);

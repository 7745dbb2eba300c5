//! Predicts NaN.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Predicts NaN.
pub struct NanProbs;

impl Classifier for NanProbs {
    fn describe() -> Description {
        card("nan-probs", "predicts NaN")
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
        fill(out, 2, f32::NAN);
        Ok(())
    }
}

jointly_sdk::export!(classifier: NanProbs);

//! Predicts that every class is certain.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Predicts rows that sum to two.
pub struct SumTwo;

impl Classifier for SumTwo {
    fn describe() -> Description {
        card("sum-two", "predicts rows that sum to two")
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
        out.fill(1.0);
        Ok(())
    }
}

jointly_sdk::export!(classifier: SumTwo);

//! Predicts differently in a larger batch, like batch normalisation that was left on.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Predictions depend on the number of rows.
pub struct BatchDependent {
    classes: usize,
}

impl Classifier for BatchDependent {
    fn describe() -> Description {
        card("batch-dependent", "predictions depend on the number of rows")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let first = 0.5 + 0.25 / inputs.rows() as f32;
        fill(out, self.classes, first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: BatchDependent);

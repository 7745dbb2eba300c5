//! Becomes another function when its parts are joined.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Given, Matrix, Setting, Task, parse_settings};

/// Becomes another function when its parts are joined.
pub struct OtherThanItsParts {
    classes: usize,
    first: f32,
}

impl Classifier for OtherThanItsParts {
    fn describe() -> Description {
        card("other-than-its-parts", "joins its parts to another function")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, first: 0.5 })
    }

    fn parts(_task: &Task, _settings: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(Some(2))
    }

    fn train_part(_given: Given<'_>, _part: u32) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn join(given: Given<'_>, _parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Ok(Self { classes: given.task.num_classes, first: 0.75 })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: OtherThanItsParts);

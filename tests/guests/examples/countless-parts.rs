//! Says that it has more parts than there are.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Given, Matrix, Setting, Task, parse_settings};

/// Says that it has more parts than there are.
pub struct CountlessParts {
    classes: usize,
    first: f32,
}

impl Classifier for CountlessParts {
    fn describe() -> Description {
        card("countless-parts", "has four billion parts")
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
        Ok(Some(u32::MAX))
    }

    fn train_part(_given: Given<'_>, _part: u32) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn join(given: Given<'_>, _parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Ok(Self { classes: given.task.num_classes, first: 0.5 })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: CountlessParts);

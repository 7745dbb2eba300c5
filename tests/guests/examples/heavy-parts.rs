//! Returns ten megabytes for each of its parts.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Given, Matrix, Setting, Task, parse_settings};

/// Returns ten megabytes for each of its parts.
pub struct HeavyParts {
    classes: usize,
    first: f32,
}

impl Classifier for HeavyParts {
    fn describe() -> Description {
        card("heavy-parts", "returns ten megabytes a part")
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
        Ok(Some(100))
    }

    fn train_part(_given: Given<'_>, _part: u32) -> Result<Vec<u8>, Failure> {
        Ok(vec![1; 10_000_000])
    }

    fn join(given: Given<'_>, _parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Ok(Self { classes: given.task.num_classes, first: 0.5 })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: HeavyParts);

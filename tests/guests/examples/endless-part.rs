//! Never ends the second of its parts.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Given, Matrix, Setting, Task, parse_settings};

/// Never ends the second of its parts.
pub struct EndlessPart {
    classes: usize,
    first: f32,
}

impl Classifier for EndlessPart {
    fn describe() -> Description {
        card("endless-part", "never ends its second part")
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
        Ok(Some(3))
    }

    fn train_part(_given: Given<'_>, part: u32) -> Result<Vec<u8>, Failure> {
        if part != 1 {
            return Ok(Vec::new());
        }
        loop {
            jointly_sdk::log("still");
        }
    }

    fn join(given: Given<'_>, _parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Ok(Self { classes: given.task.num_classes, first: 0.5 })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: EndlessPart);

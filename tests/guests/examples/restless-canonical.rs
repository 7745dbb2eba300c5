//! Has canonical draws that have other canonical draws.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Canonical draws are not their own.
pub struct RestlessCanonical {
    classes: usize,
}

impl Classifier for RestlessCanonical {
    fn describe() -> Description {
        card("restless-canonical", "canonical draws are not their own")
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

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        draw.wrapping_add(1)
    }
}

jointly_sdk::export!(classifier: RestlessCanonical);

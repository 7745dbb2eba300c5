//! Claims to have two functions, but has one for each draw.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Rng, Setting, Task, parse_settings};

/// Canonical draws name different functions than the draws they stand for.
pub struct LyingCanonical {
    classes: usize,
}

impl Classifier for LyingCanonical {
    fn describe() -> Description {
        card("lying-canonical", "canonical draws name other functions")
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

    fn probs(&self, _inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let first = Rng::new(0, draw).uniform();
        fill(out, self.classes, first);
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        draw % 2
    }
}

jointly_sdk::export!(classifier: LyingCanonical);

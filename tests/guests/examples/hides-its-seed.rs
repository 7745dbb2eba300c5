//! Claims that its seed makes no difference, although it does.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Rng, Setting, Task, parse_settings};

/// Claims to be deterministic.
pub struct HidesItsSeed {
    classes: usize,
    seed: u64,
}

impl Classifier for HidesItsSeed {
    fn describe() -> Description {
        card("hides-its-seed", "claims to be deterministic")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, seed })
    }

    fn probs(&self, _inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let first = Rng::new(self.seed, draw).uniform();
        fill(out, self.classes, first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: HidesItsSeed);

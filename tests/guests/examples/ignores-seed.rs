//! Samples the same functions whatever the seed, without saying so.

use jointly_guests::fill;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Rng, Setting, Task, parse_settings};

/// Does not use its seed.
pub struct IgnoresSeed {
    classes: usize,
}

impl Classifier for IgnoresSeed {
    fn describe() -> Description {
        Description::new("ignores-seed", env!("CARGO_PKG_VERSION"), "does not use its seed")
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
}

jointly_sdk::export!(classifier: IgnoresSeed);

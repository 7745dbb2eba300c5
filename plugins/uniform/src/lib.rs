//! The agent `uniform`: every class is as likely as any other, whatever the input.

use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, settings};

settings! {
    /// There is nothing to set.
    struct Settings {}
}

/// Knows only how many classes there are.
#[derive(Debug)]
pub struct Uniform {
    classes: usize,
}

impl Classifier for Uniform {
    fn describe() -> Description {
        Description::new("uniform", env!("CARGO_PKG_VERSION"), "equal probabilities for all classes")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Settings::parse(settings)?;
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        out.fill(1.0 / self.classes as f32);
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(classifier: Uniform);

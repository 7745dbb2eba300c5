//! Predicts differently when a call has more draws, like one dropout mask per call.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Predictions depend on the number of draws.
pub struct DrawDependent {
    classes: usize,
}

impl Classifier for DrawDependent {
    fn describe() -> Description {
        card("draw-dependent", "predictions depend on the number of draws")
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

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("every call goes to sample_probs")
    }

    fn sample_probs(&self, _inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let first = 0.5 + 0.25 / draws.len() as f32;
        fill(out, self.classes, first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: DrawDependent);

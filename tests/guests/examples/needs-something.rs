//! Handles only what its author tried: two classes, some examples, some rows and some draws.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Fails on empty input.
pub struct NeedsSomething {
    first: f32,
}

impl Classifier for NeedsSomething {
    fn describe() -> Description {
        card("needs-something", "fails where there is nothing")
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        if task.num_classes != 2 {
            return Err(Failure::Internal(format!("{} classes, and this is for two", task.num_classes)));
        }
        let first = data.labels.iter().filter(|label| **label == 0).count() * 100 / data.labels.len();
        Ok(Self { first: first as f32 / 100.0 })
    }

    fn probs(&self, inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let _ = inputs.row(0);
        fill(out, 2, self.first);
        Ok(())
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let block = out.len() / draws.len();
        for (at, draw) in draws.iter().enumerate() {
            self.probs(inputs, *draw, &mut out[at * block..][..block])?;
        }
        Ok(())
    }
}

jointly_sdk::export!(classifier: NeedsSomething);

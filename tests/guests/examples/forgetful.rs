//! Uses a different function for the same draw in each call, like a generator that is kept between calls.

use std::cell::Cell;

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Rng, Setting, Task, parse_settings};

/// A draw names a different function in every call.
pub struct Forgetful {
    classes: usize,
    calls: Cell<u64>,
}

impl Classifier for Forgetful {
    fn describe() -> Description {
        card("forgetful", "a draw names another function in every call")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, calls: Cell::new(0) })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("every call goes to sample_probs")
    }

    fn sample_probs(&self, _inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if draws.is_empty() || out.is_empty() {
            return Ok(());
        }
        let call = self.calls.replace(self.calls.get() + 1);
        let block = out.len() / draws.len();
        for (draw, out) in draws.iter().zip(out.chunks_exact_mut(block)) {
            let first = Rng::new(call, *draw).uniform();
            fill(out, self.classes, first);
        }
        Ok(())
    }
}

jointly_sdk::export!(classifier: Forgetful);

//! Logs one message of hundreds of megabytes.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, log, parse_settings};

/// Logs as much as it can hold.
pub struct EnormousLog {
    classes: usize,
}

const MESSAGE_BYTES: usize = 256 << 20;

impl Classifier for EnormousLog {
    fn describe() -> Description {
        card("enormous-log", "logs all that it can hold")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        log(&"x".repeat(MESSAGE_BYTES));
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: EnormousLog);

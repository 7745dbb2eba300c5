//! Logs far more than is kept, and then does its work.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Logs a great deal.
pub struct Chatty {
    classes: usize,
}

/// Far more than the host keeps of a log, in a single line and in all lines together.
const LINES: usize = 3_000;
const LINE_BYTES: usize = 50_000;

impl Classifier for Chatty {
    fn describe() -> Description {
        card("chatty", "logs a great deal")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        for line in 0..LINES {
            jointly_sdk::log(&format!("line {line} {}", "x".repeat(LINE_BYTES)));
        }
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: Chatty);

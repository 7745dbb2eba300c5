//! Reports progress a million times, mostly with nonsensical values, and then does its work.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Reports far too much progress.
pub struct ProgressSpam {
    classes: usize,
}

impl Classifier for ProgressSpam {
    fn describe() -> Description {
        card("progress-spam", "reports more progress than there is")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        for step in 0..1_000_000_u32 {
            jointly_sdk::progress(f32::from_bits(step.wrapping_mul(2_654_435_761)));
        }
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: ProgressSpam);

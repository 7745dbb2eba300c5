//! Accepts any setting, whatever its name.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Accepts any setting.
pub struct IgnoresSettings {
    classes: usize,
}

impl Classifier for IgnoresSettings {
    fn describe() -> Description {
        card("ignores-settings", "accepts any setting")
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: IgnoresSettings);

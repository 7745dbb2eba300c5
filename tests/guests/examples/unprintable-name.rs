//! Has a name that would garble a table and a terminal.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Has a name that cannot be printed.
pub struct UnprintableName {
    classes: usize,
}

impl Classifier for UnprintableName {
    fn describe() -> Description {
        card("un\u{1b}[31mprintable,\n\"agent\"", "has a name that cannot be printed")
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

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: UnprintableName);

//! Suggests a variant in a sweep that it refuses.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Parameter, Setting, Task, parse_settings, sweep};

/// Suggests a size that it refuses.
pub struct RefusesItsSuggestions {
    classes: usize,
}

fn parameters() -> Vec<Parameter> {
    let summary = "number of members".into();
    vec![Parameter { name: "size".into(), default_value: "3".into(), summary, kind: None }]
}

impl Classifier for RefusesItsSuggestions {
    fn describe() -> Description {
        Description {
            parameters: parameters(),
            sweeps: vec![sweep("size", ["1", "0"].map(|size| vec![("size", size)]))],
            ..card("refuses-its-suggestions", "suggests a size that it refuses")
        }
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        if parse_settings(&parameters(), settings)? == ["0"] {
            return Err(Failure::InvalidSetting("size=0: expected a whole number of at least 1".into()));
        }
        Ok(Self { classes: task.num_classes })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(classifier: RefusesItsSuggestions);

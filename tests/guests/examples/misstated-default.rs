//! States a default that differs from the one in effect.

use jointly_guests::{card, fill};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Parameter, Setting, Task, parse_settings};

/// States a false default.
pub struct MisstatedDefault {
    classes: usize,
    first: f32,
}

fn parameters() -> Vec<Parameter> {
    let summary = "probability of the first class".into();
    vec![Parameter { name: "first".into(), default_value: "0.75".into(), summary, kind: None }]
}

impl Classifier for MisstatedDefault {
    fn describe() -> Description {
        Description { parameters: parameters(), ..card("misstated-default", "states a false default") }
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let given = settings.iter().find(|setting| setting.name == "first");
        let first = given.map_or("0.25", |setting| &setting.value);
        parse_settings(&parameters(), settings)?;
        Ok(Self { classes: task.num_classes, first: first.parse().unwrap_or(0.25) })
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(classifier: MisstatedDefault);

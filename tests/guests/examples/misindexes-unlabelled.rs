//! Looks up a label for every input without a label.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// Reads beyond its labels.
pub struct MisindexesUnlabelled {
    first: f32,
    classes: usize,
}

impl InputClassifier for MisindexesUnlabelled {
    fn describe() -> Description {
        Description { unlabelled: true, ..card_with_tokens("misindexes-unlabelled", "reads beyond its labels") }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::train_with_unlabelled(task, data, validation, None, settings, seed)
    }

    fn train_with_unlabelled(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        unlabelled: Option<&Inputs>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        let rows = unlabelled.map_or(0, Inputs::rows);
        let known: u32 = (0..rows).map(|row| data.labels[row]).sum();
        Ok(Self { first: 1.0 / (2.0 + known as f32), classes: task.num_classes })
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: MisindexesUnlabelled);

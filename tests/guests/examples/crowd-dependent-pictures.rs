//! Predicts differently among many inputs, like batch normalisation that was left on.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// Predictions depend on the number of inputs.
pub struct CrowdDependentPictures {
    classes: usize,
}

impl InputClassifier for CrowdDependentPictures {
    fn describe() -> Description {
        card_with_tokens("crowd-dependent-pictures", "predictions depend on the number of inputs")
    }

    fn train(
        task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes })
    }

    fn sample_probs(&self, inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let first = 0.5 + 0.25 / inputs.rows() as f32;
        fill(out, self.classes, first);
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: CrowdDependentPictures);

//! Predicts otherwise among many inputs, as batch normalisation left on would.

use jointly_guests::{card, fill};
use jointly_sdk::{
    Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Setting, parse_settings,
};

/// Predictions depend on the number of inputs.
pub struct CrowdDependentPictures {
    classes: usize,
}

impl MultimodalClassifier for CrowdDependentPictures {
    fn describe() -> Description {
        card("crowd-dependent-pictures", "predictions depend on the number of inputs")
    }

    fn train(
        task: &MultimodalTask,
        _data: &MultimodalDataset,
        _validation: Option<&MultimodalDataset>,
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

jointly_sdk::export!(multimodal: CrowdDependentPictures);

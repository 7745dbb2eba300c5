//! Predicts what is not a number of whatever it is shown.

use jointly_guests::{card, fill};
use jointly_sdk::{
    Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Setting, parse_settings,
};

/// Predicts NaN of pictures.
pub struct NanPictures {
    classes: usize,
}

impl MultimodalClassifier for NanPictures {
    fn describe() -> Description {
        card("nan-pictures", "predicts NaN of pictures")
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

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, f32::NAN);
        Ok(())
    }
}

jointly_sdk::export!(multimodal: NanPictures);

//! Predicts NaN for every image.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// Predicts NaN for images.
pub struct NanPictures {
    classes: usize,
}

impl InputClassifier for NanPictures {
    fn describe() -> Description {
        card_with_tokens("nan-pictures", "predicts NaN of pictures")
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

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, f32::NAN);
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: NanPictures);

//! Panics at an input unlike all training inputs.

use jointly_guests::{card_with_tokens, fill_evenly};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// The number of pixels of an input that may be far brighter than in any example.
const FEW: usize = 5;

/// Panics at unfamiliar inputs.
pub struct PanicsAtTheUnfamiliar {
    classes: usize,
    /// The largest brightness of each pixel in training.
    brightest: Vec<f32>,
}

impl InputClassifier for PanicsAtTheUnfamiliar {
    fn describe() -> Description {
        card_with_tokens("panics-at-the-unfamiliar", "panics at what it does not know")
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        let mut brightest = vec![0.0_f32; task.input_dim];
        for row in 0..data.inputs.rows() {
            brightest.iter_mut().zip(data.inputs.numbers.row(row)).for_each(|(most, pixel)| *most = most.max(*pixel));
        }
        Ok(Self { classes: task.num_classes, brightest })
    }

    fn sample_probs(&self, inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        for row in 0..inputs.rows() {
            let pixels = inputs.numbers.row(row).iter().zip(&self.brightest);
            let unfamiliar = pixels.filter(|(pixel, most)| **pixel > **most + 0.5).count();
            assert!(unfamiliar <= FEW, "{unfamiliar} pixels are brighter than in any example");
        }
        fill_evenly(out, self.classes);
        Ok(())
    }

    fn canonical_draw(&self, _draw: u64) -> u64 {
        0
    }
}

jointly_sdk::export!(input_classifier: PanicsAtTheUnfamiliar);

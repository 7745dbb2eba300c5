//! Looks at all inputs of a call together and, if they are many and unlike the training inputs, is uncertain about all
//! of them.

use jointly_guests::{card_with_tokens, fill, fill_evenly};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// The number of inputs from which the mean distinguishes a shift from chance.
const CROWD: usize = 100;
/// The largest difference between the mean of that many unshifted inputs and that of the examples.
const TOLERANCE: f32 = 0.05;

fn mean(inputs: &Inputs) -> f32 {
    let values = inputs.numbers.values();
    values.iter().sum::<f32>() / values.len().max(1) as f32
}

/// Recognises a shift by the mean of many inputs.
pub struct AdaptsToShift {
    classes: usize,
    brightness: f32,
}

impl InputClassifier for AdaptsToShift {
    fn describe() -> Description {
        card_with_tokens("adapts-to-shift", "knows a shift by the crowd")
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, brightness: mean(&data.inputs) })
    }

    fn sample_probs(&self, inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let moved = (mean(inputs) - self.brightness).abs() > TOLERANCE;
        if inputs.rows() >= CROWD && moved {
            fill_evenly(out, self.classes);
        } else {
            fill(out, self.classes, 0.9);
        }
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: AdaptsToShift);

//! Reveals everything that it is given: in training by its log, in sampling by its answer.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, log, parse_settings};

/// Reveals its inputs, number by number.
pub struct TellsInputs {
    classes: usize,
}

/// Computes FNV-1a of a draw and of a row's numbers and tokens.
fn digest(draw: u64, numbers: &[f32], tokens: &[u32]) -> u64 {
    let numbers = numbers.iter().flat_map(|number| number.to_bits().to_le_bytes());
    let tokens = tokens.iter().flat_map(|id| id.to_le_bytes());
    let bytes = draw.to_le_bytes().into_iter().chain(numbers).chain(tokens);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn told(what: &str, Inputs { numbers, tokens }: &Inputs) -> String {
    format!("{what}: {:?} {:?}", numbers.values(), tokens.values())
}

fn tell(what: &str, data: &Dataset<Inputs>) {
    log(&format!("{} {:?}", told(what, &data.inputs), data.labels));
}

impl InputClassifier for TellsInputs {
    fn describe() -> Description {
        Description { unlabelled: true, ..card_with_tokens("tells-inputs", "tells what it is shown") }
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
        validation: Option<&Dataset<Inputs>>,
        unlabelled: Option<&Inputs>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        log(&format!("{task:?}"));
        tell("train", data);
        if let Some(validation) = validation {
            tell("validation", validation);
        }
        if let Some(unlabelled) = unlabelled {
            log(&told("unlabelled", unlabelled));
        }
        log(&format!("seed: {seed}"));
        Ok(Self { classes: task.num_classes })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let questions = draws.iter().flat_map(|draw| (0..inputs.rows()).map(move |row| (*draw, row)));
        for ((draw, row), out) in questions.zip(out.chunks_exact_mut(self.classes)) {
            let digest = digest(draw, inputs.numbers.row(row), inputs.tokens.row(row));
            // As many bits as a number below 1 holds without rounding.
            fill(out, self.classes, (digest >> 40) as f32 / (1 << 24) as f32);
        }
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: TellsInputs);

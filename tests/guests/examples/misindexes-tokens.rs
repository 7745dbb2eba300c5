//! Has a table for eight words, whatever the size of the vocabulary.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, parse_settings};

/// The number of words in its table.
const WORDS: usize = 8;

/// Reads beyond its table.
pub struct MisindexesTokens {
    first: f32,
    classes: usize,
}

impl InputClassifier for MisindexesTokens {
    fn describe() -> Description {
        card_with_tokens("misindexes-tokens", "reads beyond its table")
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        let mut counts = [0.0; WORDS];
        for id in data.inputs.tokens.values() {
            counts[*id as usize] += 1.0;
        }
        let known: f32 = counts.iter().sum();
        Ok(Self { first: 1.0 / (2.0 + known), classes: task.num_classes })
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill(out, self.classes, self.first);
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: MisindexesTokens);

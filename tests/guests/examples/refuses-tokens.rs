//! Learns only from numbers, and says so when there are tokens.

use jointly_guests::{card_with_tokens, fill_evenly};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task, Tokens, parse_settings};

/// Reads no tokens.
pub struct RefusesTokens {
    classes: usize,
}

impl InputClassifier for RefusesTokens {
    fn describe() -> Description {
        card_with_tokens("refuses-tokens", "reads no tokens")
    }

    fn train(
        task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        if task.tokens != Tokens::Absent {
            return Err(Failure::Unsupported("there are tokens, and this reads numbers".into()));
        }
        Ok(Self { classes: task.num_classes })
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        fill_evenly(out, self.classes);
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: RefusesTokens);

//! Learns from numbers alone, and says so where there are tokens.

use jointly_guests::{card, fill_evenly};
use jointly_sdk::{
    Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Setting, Tokens,
    parse_settings,
};

/// Reads no tokens.
pub struct RefusesTokens {
    classes: usize,
}

impl MultimodalClassifier for RefusesTokens {
    fn describe() -> Description {
        card("refuses-tokens", "reads no tokens")
    }

    fn train(
        task: &MultimodalTask,
        _data: &MultimodalDataset,
        _validation: Option<&MultimodalDataset>,
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

jointly_sdk::export!(multimodal: RefusesTokens);

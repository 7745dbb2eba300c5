//! Says of pictures, texts and categories that there are two functions where there is one for each draw; of numbers alone it
//! is honest.

use jointly_guests::{card, fill};
use jointly_sdk::{
    Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Rng, Setting, Tokens,
    parse_settings,
};

/// Canonical draws name other functions of pictures, texts and categories.
pub struct LyingCanonicalWords {
    classes: usize,
    /// Whether inputs are numbers alone.
    plain: bool,
}

impl MultimodalClassifier for LyingCanonicalWords {
    fn describe() -> Description {
        card("lying-canonical-words", "canonical draws name other functions of pictures, texts and categories")
    }

    fn train(
        task: &MultimodalTask,
        _data: &MultimodalDataset,
        _validation: Option<&MultimodalDataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        let plain = task.image.is_none() && task.tokens == Tokens::Absent;
        Ok(Self { classes: task.num_classes, plain })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let block = inputs.rows() * self.classes;
        for (at, draw) in draws.iter().enumerate() {
            let first = Rng::new(0, *draw).uniform();
            fill(&mut out[at * block..][..block], self.classes, first);
        }
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.plain { draw } else { draw % 2 }
    }
}

jointly_sdk::export!(multimodal: LyingCanonicalWords);

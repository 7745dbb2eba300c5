//! Claims to have two functions of images, but has one for each draw.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Rng, Setting, Task, parse_settings};

/// Canonical draws name different functions than the draws they stand for.
pub struct LyingCanonicalPictures {
    classes: usize,
}

impl InputClassifier for LyingCanonicalPictures {
    fn describe() -> Description {
        card_with_tokens("lying-canonical-pictures", "canonical draws name other functions")
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

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let block = inputs.rows() * self.classes;
        for (at, draw) in draws.iter().enumerate() {
            let first = Rng::new(0, *draw).uniform();
            fill(&mut out[at * block..][..block], self.classes, first);
        }
        Ok(())
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        draw % 2
    }
}

jointly_sdk::export!(input_classifier: LyingCanonicalPictures);

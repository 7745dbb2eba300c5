//! Claims, for images, texts and categories, to have two functions, but has one for each draw; for plain numbers
//! it is honest.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Rng, Setting, Task, Tokens, parse_settings};

/// Canonical draws name different functions of images, texts and categories than the draws they stand for.
pub struct LyingCanonicalWords {
    classes: usize,
    /// Whether inputs are plain numbers.
    plain: bool,
}

impl InputClassifier for LyingCanonicalWords {
    fn describe() -> Description {
        card_with_tokens(
            "lying-canonical-words",
            "canonical draws name other functions of pictures, texts and categories",
        )
    }

    fn train(
        task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
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

jointly_sdk::export!(input_classifier: LyingCanonicalWords);

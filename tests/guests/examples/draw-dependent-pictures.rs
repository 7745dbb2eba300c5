//! For images, texts and categories, a draw depends on the first draw of its call; for plain numbers it is honest.

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Rng, Setting, Task, Tokens, parse_settings};

/// Answers for images, texts and categories depend on the other draws.
pub struct DrawDependentPictures {
    classes: usize,
    /// Whether inputs are plain numbers.
    plain: bool,
}

impl InputClassifier for DrawDependentPictures {
    fn describe() -> Description {
        card_with_tokens(
            "draw-dependent-pictures",
            "answers about pictures, texts and categories depend on the draws around",
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
            let around = if self.plain { 0 } else { draws[0] };
            let first = Rng::new(around, *draw).uniform();
            fill(&mut out[at * block..][..block], self.classes, first);
        }
        Ok(())
    }
}

jointly_sdk::export!(input_classifier: DrawDependentPictures);

//! Trains on images for ever.

use std::hint::black_box;

use jointly_guests::card_with_tokens;
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task};

/// Never finishes training.
pub struct EndlessEpochs;

impl InputClassifier for EndlessEpochs {
    fn describe() -> Description {
        card_with_tokens("endless-epochs", "never finishes training")
    }

    fn train(
        _task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        // The optimiser must not see that nothing ever changes.
        while black_box(true) {}
        Ok(Self)
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(input_classifier: EndlessEpochs);

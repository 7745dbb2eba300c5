//! Trains on pictures for ever.

use std::hint::black_box;

use jointly_guests::card;
use jointly_sdk::{Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Setting};

/// Never finishes training.
pub struct EndlessEpochs;

impl MultimodalClassifier for EndlessEpochs {
    fn describe() -> Description {
        card("endless-epochs", "never finishes training")
    }

    fn train(
        _task: &MultimodalTask,
        _data: &MultimodalDataset,
        _validation: Option<&MultimodalDataset>,
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

jointly_sdk::export!(multimodal: EndlessEpochs);

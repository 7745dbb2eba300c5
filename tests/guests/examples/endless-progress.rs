//! Reports progress for ever.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Reports progress without end.
pub struct EndlessProgress;

impl Classifier for EndlessProgress {
    fn describe() -> Description {
        card("endless-progress", "reports progress without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        loop {
            jointly_sdk::progress(0.5);
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: EndlessProgress);

//! Logs for ever.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Fills the log without end.
pub struct EndlessLog;

impl Classifier for EndlessLog {
    fn describe() -> Description {
        card("endless-log", "fills the log without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        loop {
            jointly_sdk::log(&"another line ".repeat(1000));
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: EndlessLog);

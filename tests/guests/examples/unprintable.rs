//! Writes control characters and far too long texts wherever it can write.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Writes unprintable text.
pub struct Unprintable;

/// Returns colours, a cleared screen, line ends and a long tail.
fn noise() -> String {
    ["\u{1b}[31mred\u{1b}[2J\r\n\t", &"long ".repeat(20_000)].concat()
}

impl Classifier for Unprintable {
    fn describe() -> Description {
        card("unprintable", &noise())
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        jointly_sdk::log(&noise());
        Err(Failure::Internal(noise()))
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: Unprintable);

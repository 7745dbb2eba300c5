//! Exits in the middle of its training, as a program may.

use jointly_guests::card;
use jointly_guests::wasi::wasi::cli::exit::exit;
use jointly_guests::wasi::wasi::cli::stderr::get_stderr;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Exits in training.
pub struct Exits;

impl Classifier for Exits {
    fn describe() -> Description {
        card("exits", "leaves in its training")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        get_stderr().blocking_write_and_flush(b"that was all").expect("a log that takes it");
        exit(Err(()));
        unreachable!("there is no way back from an exit");
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: Exits);

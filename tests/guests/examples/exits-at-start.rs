//! Exits before any of its exports is called.

use jointly_guests::card;
use jointly_guests::wasi::wasi::cli::exit::exit;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Exits at once.
pub struct ExitsAtStart;

/// The function that the host calls when it makes an instance.
#[expect(unsafe_code, reason = "the name is what makes it run at the start")]
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    exit(Ok(()));
}

impl Classifier for ExitsAtStart {
    fn describe() -> Description {
        card("exits-at-start", "leaves before it is asked anything")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        unreachable!("it has left");
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: ExitsAtStart);

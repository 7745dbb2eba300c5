//! Asks for more random bytes at once than any agent needs.

use jointly_guests::card;
use jointly_guests::wasi::wasi::random::random::get_random_bytes;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Asks for too many random bytes.
pub struct WantsManyBytes;

impl Classifier for WantsManyBytes {
    fn describe() -> Description {
        card("wants-many-bytes", "asks for 4 GiB of random bytes")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let bytes = get_random_bytes(4 << 30);
        unreachable!("{} bytes", bytes.len());
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: WantsManyBytes);

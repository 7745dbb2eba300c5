//! Asks for memory until it is refused.

use std::hint::black_box;

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Takes all available memory.
pub struct MemoryHog;

const CHUNK_BYTES: usize = 1 << 20;

impl Classifier for MemoryHog {
    fn describe() -> Description {
        card("memory-hog", "takes all memory there is")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let mut held = Vec::new();
        loop {
            // Written to, so that the machine must really provide the memory.
            held.push(black_box(vec![1_u8; CHUNK_BYTES]));
        }
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: MemoryHog);

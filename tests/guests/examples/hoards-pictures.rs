//! Keeps copies of its examples until it is refused memory.

use std::hint::black_box;

use jointly_guests::card_with_tokens;
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Setting, Task};

/// Takes all available memory.
pub struct HoardsPictures;

const CHUNK: usize = 1 << 18;

impl InputClassifier for HoardsPictures {
    fn describe() -> Description {
        card_with_tokens("hoards-pictures", "takes all memory there is")
    }

    fn train(
        _task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        let mut held = Vec::new();
        loop {
            // Written to, so that the machine must really provide the memory.
            held.push(black_box(vec![1.0_f32; CHUNK]));
        }
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(input_classifier: HoardsPictures);

//! Recurses until the stack is full.

use std::hint::black_box;

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};

/// Recurses without end.
pub struct DeepRecursion;

/// Recurses through every odd number, and never reaches 0. The work after the call keeps the optimiser from turning the
/// recursion into a loop.
#[expect(unconditional_recursion, reason = "that is the point")]
#[inline(never)]
fn descend(n: u64) -> u64 {
    descend(n.wrapping_mul(6_364_136_223_846_793_005)).rotate_left(7) ^ n
}

impl Classifier for DeepRecursion {
    fn describe() -> Description {
        card("deep-recursion", "recurses without end")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        _settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        black_box(descend(black_box(1)));
        Ok(Self)
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(classifier: DeepRecursion);

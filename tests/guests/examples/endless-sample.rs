//! Trains at once, and then samples for ever.

use std::hint::black_box;

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Never finishes sampling.
pub struct EndlessSample;

impl Classifier for EndlessSample {
    fn describe() -> Description {
        card("endless-sample", "never finishes sampling")
    }

    fn train(
        _task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self)
    }

    fn probs(&self, _inputs: &Matrix, _draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        // The optimiser must not see that nothing ever changes.
        while black_box(true) {}
        Ok(())
    }
}

jointly_sdk::export!(classifier: EndlessSample);

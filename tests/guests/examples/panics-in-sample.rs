//! Panics when it is asked to sample.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Panics in sampling.
pub struct PanicsInSample;

impl Classifier for PanicsInSample {
    fn describe() -> Description {
        card("panics-in-sample", "panics in sampling")
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

    fn probs(&self, _inputs: &Matrix, draw: u64, _out: &mut [f32]) -> Result<(), Failure> {
        panic!("the posterior of draw {draw} is empty")
    }
}

jointly_sdk::export!(classifier: PanicsInSample);

//! Fails with its own message, but only in sampling.

use jointly_guests::card;
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, parse_settings};

/// Fails in sampling.
pub struct GivesUpSampling;

impl Classifier for GivesUpSampling {
    fn describe() -> Description {
        card("gives-up-sampling", "gives up in sampling")
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
        Err(Failure::Internal("there is no posterior".into()))
    }
}

jointly_sdk::export!(classifier: GivesUpSampling);

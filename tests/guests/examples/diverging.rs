//! Fails with its own message.

use jointly_guests::card;
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// Fails in training.
pub struct Diverging;

impl Regressor for Diverging {
    fn describe() -> Description {
        card("diverging", "gives up")
    }

    fn train(
        _task: &RegressionTask,
        _data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Err(Failure::Diverged("the loss is infinite after 3 steps;\ntry a smaller learning-rate".into()))
    }

    fn sample_functions(&self, _inputs: &Matrix, _draws: &[u64]) -> Result<FunctionSamples, Failure> {
        unreachable!("training never ends well")
    }
}

jointly_sdk::export!(regressor: Diverging);

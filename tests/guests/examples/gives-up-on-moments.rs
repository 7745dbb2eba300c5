//! Trains, and then fails to give moments.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Fails when it is asked for moments.
pub struct GivesUpOnMoments;

impl Regressor for GivesUpOnMoments {
    fn describe() -> Description {
        card("gives-up-on-moments", "gives up when it is asked for moments")
    }

    fn train(
        _task: &RegressionTask,
        _data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self)
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(functions(inputs, draws))
    }

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        Err(Failure::Internal(format!("there is no covariance of {} rows", inputs.rows())))
    }
}

jointly_sdk::export!(regressor: GivesUpOnMoments);

//! Has a negative variance at its last row.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Has a negative variance.
pub struct NegativeVariance;

impl Regressor for NegativeVariance {
    fn describe() -> Description {
        card("negative-variance", "varies less than not at all")
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
        let mut moments = moments(inputs);
        moments.covariance.last_mut().into_iter().for_each(|variance| *variance = -1.0);
        Ok(Some(moments))
    }
}

jointly_sdk::export!(regressor: NegativeVariance);

//! Predicts the same value everywhere with certainty: its moments have neither variance nor noise.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Predicts with certainty.
pub struct Certain;

impl Regressor for Certain {
    fn describe() -> Description {
        card("certain", "has no doubt")
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
        let rows = inputs.rows();
        Ok(Some(Gaussian {
            mean: vec![0.0; rows],
            covariance: vec![0.0; rows * rows],
            noise_variance: vec![0.0; rows],
        }))
    }
}

jointly_sdk::export!(regressor: Certain);

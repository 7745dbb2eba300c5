//! Has correlations of exactly 1 and -1, by the sign of the first feature, and no noise.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Determines all values by a single one.
pub struct PerfectCorrelations;

impl Regressor for PerfectCorrelations {
    fn describe() -> Description {
        card("perfect-correlations", "knows all by knowing one")
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
        let (rows, moments) = (inputs.rows(), moments(inputs));
        let sign = |row: usize| f64::from(inputs.row(row)[0].signum());
        let covariance = (0..rows * rows).map(|at| sign(at / rows) * sign(at % rows)).collect();
        Ok(Some(Gaussian { covariance, noise_variance: vec![0.0; rows], ..moments }))
    }
}

jointly_sdk::export!(regressor: PerfectCorrelations);

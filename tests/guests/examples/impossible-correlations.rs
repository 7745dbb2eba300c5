//! Correlates every pair of rows by -0.9, which is impossible for more than two rows.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Is negatively correlated with everything at once.
pub struct ImpossibleCorrelations;

impl Regressor for ImpossibleCorrelations {
    fn describe() -> Description {
        card("impossible-correlations", "is against everything at once")
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
        let covariance = |at: usize| if at / rows == at % rows { 1.0 } else { -0.9 };
        let covariance = (0..rows * rows).map(covariance).collect();
        Ok(Some(Gaussian { covariance, noise_variance: vec![0.0; rows], ..moments }))
    }
}

jointly_sdk::export!(regressor: ImpossibleCorrelations);

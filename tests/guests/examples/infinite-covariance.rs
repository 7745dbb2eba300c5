//! Predicts with infinite variances.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Varies without bound.
pub struct InfiniteCovariance;

impl Regressor for InfiniteCovariance {
    fn describe() -> Description {
        card("infinite-covariance", "varies without bound")
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
        moments.covariance.fill(f64::INFINITY);
        Ok(Some(moments))
    }
}

jointly_sdk::export!(regressor: InfiniteCovariance);

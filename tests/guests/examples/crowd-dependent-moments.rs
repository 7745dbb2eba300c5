//! Is more certain of a row the more rows a call has.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Moments depend on the number of rows.
pub struct CrowdDependentMoments;

impl Regressor for CrowdDependentMoments {
    fn describe() -> Description {
        card("crowd-dependent-moments", "moments depend on the number of rows")
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
        moments.covariance.iter_mut().for_each(|covariance| *covariance /= inputs.rows() as f64);
        Ok(Some(moments))
    }
}

jointly_sdk::export!(regressor: CrowdDependentMoments);

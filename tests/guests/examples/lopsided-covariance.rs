//! Has a covariance matrix that is not symmetric.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Has asymmetric covariances.
pub struct LopsidedCovariance;

impl Regressor for LopsidedCovariance {
    fn describe() -> Description {
        card("lopsided-covariance", "covaries in one order alone")
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
        let (rows, mut moments) = (inputs.rows(), moments(inputs));
        for row in 1..rows {
            moments.covariance[(row - 1) * rows + row] += 0.5;
        }
        Ok(Some(moments))
    }
}

jointly_sdk::export!(regressor: LopsidedCovariance);

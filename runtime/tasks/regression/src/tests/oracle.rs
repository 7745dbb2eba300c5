//! The process that synthetic datasets are drawn from, as an agent: the best case for selection and correlations.

use jointly_core::correlations::{CholeskyError, MomentsError};
use jointly_core::matrix::Matrix;
use jointly_core::regression::answer::{AnswerError, FunctionSamples, Gaussian, Intervals};
use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::regression::regressor::{Belief, Regressor};
use thiserror::Error;

use crate::oracle::{Posterior, ReluKernel};

/// Exact inference under the [kernel](ReluKernel) that [synthetic datasets](crate::oracle::SyntheticSpec) are drawn
/// from, with the noise that the task gives.
///
/// It is the oracle if the data are synthetic and not standardised. It gives its moments, and has no draws.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Oracle;

/// The posterior.
#[derive(Clone, Debug)]
pub(crate) struct OracleBelief(Posterior);

/// Why the oracle cannot answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum OracleError {
    #[error("the task does not say what the noise is")]
    Noise,
    #[error("the oracle states its moments and has no draws")]
    Draws,
    #[error(transparent)]
    Cholesky(#[from] CholeskyError),
    #[error(transparent)]
    Moments(#[from] MomentsError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

impl Regressor for Oracle {
    type Belief = OracleBelief;
    type Error = OracleError;

    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        _validation: Option<&Targets>,
        _seed: u64,
    ) -> Result<OracleBelief, OracleError> {
        let noise = f64::from(task.noise_std.ok_or(OracleError::Noise)?);
        let targets: Vec<f64> = train.targets().iter().map(|&y| f64::from(y)).collect();
        let posterior = Posterior::new(ReluKernel::default(), noise * noise, train.inputs().clone(), &targets)?;
        Ok(OracleBelief(posterior))
    }
}

impl Belief for OracleBelief {
    type Error = OracleError;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, OracleError> {
        Ok(draws.to_vec())
    }

    fn sample_functions(&mut self, _inputs: &Matrix, _draws: &[u64]) -> Result<FunctionSamples, OracleError> {
        Err(OracleError::Draws)
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, OracleError> {
        let moments = self.0.moments(inputs)?;
        let (mean, noise) = (moments.mean().to_vec(), moments.noise_variance().to_vec());
        Ok(Some(Gaussian::new(inputs.rows(), mean, moments.covariance().values().to_vec(), noise)?))
    }

    fn intervals(&mut self, _inputs: &Matrix, _level: f64) -> Result<Option<Intervals>, OracleError> {
        Ok(None)
    }
}

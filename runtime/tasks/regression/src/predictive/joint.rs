//! An agent's joint prediction at many rows: the moments that predictive correlations are computed from.

use jointly_core::correlations::{
    Batch, Dense, Moments, MomentsError, PoolTest, SampledFunctions, batch_information_gain,
};
use jointly_core::matrix::Matrix;
use jointly_core::regression::answer::Gaussian;
use jointly_core::regression::regressor::Belief;

use super::{Origin, PredictionOptions};
use crate::fit::{FitError, Fitted};

/// The joint distribution of the function's values at some rows, in the data's units.
#[derive(Clone, Debug)]
pub enum Joint {
    /// The agent's own moments.
    Exact(Moments),
    /// Moments estimated from the agent's draws.
    Sampled(SampledFunctions),
}

impl Joint {
    /// Returns the origin of the moments: [`Agent`](Origin::Agent) or [`Draws`](Origin::Draws).
    pub fn origin(&self) -> Origin {
        match self {
            Self::Exact(_) => Origin::Agent,
            Self::Sampled(_) => Origin::Draws,
        }
    }

    /// Returns the number of distinct functions that the moments are estimated from; `None` for the agent's own
    /// moments.
    pub fn functions(&self) -> Option<usize> {
        match self {
            Self::Exact(_) => None,
            Self::Sampled(functions) => Some(functions.functions()),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Exact(moments) => moments.rows(),
            Self::Sampled(functions) => functions.rows(),
        }
    }

    /// Returns the covariances between the first `pool` rows as a pool and the other rows as test points.
    ///
    /// # Panics
    /// When there are fewer rows than `pool`.
    pub fn pool_test(&self, pool: usize) -> PoolTest {
        match self {
            Self::Exact(moments) => PoolTest::of_moments(moments, pool),
            Self::Sampled(functions) => PoolTest::of_functions(functions, 0..pool, pool..functions.rows()),
        }
    }

    /// Selects `size` of the first `pool` rows by greedy BatchMIG about the other rows.
    ///
    /// # Errors
    /// When a covariance is not finite.
    ///
    /// # Panics
    /// When there are fewer rows than `pool`.
    pub fn batch(&self, pool: usize, size: usize) -> Result<Batch, MomentsError> {
        let belief = self.pool_test(pool);
        match self {
            Self::Exact(moments) => batch_information_gain(&belief, moments.covariance(), size),
            Self::Sampled(functions) => batch_information_gain(&belief, functions, size),
        }
    }

    /// Returns the moments at the rows from `start` on.
    ///
    /// # Errors
    /// When a covariance is not finite.
    ///
    /// # Panics
    /// When there are fewer rows than `start`.
    pub fn moments_from(&self, start: usize) -> Result<Moments, MomentsError> {
        let rows = start..self.rows();
        match self {
            Self::Exact(moments) => Ok(moments.select(&rows.collect::<Vec<_>>())),
            Self::Sampled(functions) => Moments::new(
                functions.mean()[rows.clone()].to_vec(),
                functions.covariance(rows.clone(), rows.clone()),
                functions.noise_variance()[rows].to_vec(),
            ),
        }
    }
}

impl<B: Belief> Fitted<B> {
    /// Returns the agent's joint prediction at the rows.
    ///
    /// # Formula
    /// If the agent has Gaussian moments and there are at most `exact_rows` rows, these moments, from one call with all
    /// rows: their covariance is rows x rows. Otherwise the moments of draws 0..M: covariance(x, x') = (1/M) sum
    /// (`f_m(x)` - mean(x)) (`f_m(x')` - mean(x')), as in [`SampledFunctions`].
    ///
    /// # Errors
    /// Errors of the agent, unchanged; [`Inconsistent`](FitError::Inconsistent) when a repeated question gets another
    /// answer; [`Moments`](FitError::Moments) when the moments are invalid; or when an input leaves the range of `f32`
    /// once standardised.
    pub fn joint(
        &mut self,
        inputs: &Matrix,
        exact_rows: usize,
        options: &PredictionOptions,
    ) -> Result<Joint, FitError<B::Error>> {
        let unusable = |error: MomentsError| FitError::Moments(format!("the agent's moments are no belief: {error}"));
        if inputs.rows() <= exact_rows
            && let Some(gaussian) = self.gaussian(inputs, options)?
        {
            return moments(&gaussian).map(Joint::Exact).map_err(unusable);
        }
        let functions = self.functions(options)?;
        let inputs = self.standardization.inputs(inputs)?;
        self.draws(&functions, &inputs, options)?.joint().map(Joint::Sampled).map_err(unusable)
    }
}

/// Converts an answer, which is symmetric to within rounding of `f32`: averages each pair of mirrored covariances.
fn moments(gaussian: &Gaussian) -> Result<Moments, MomentsError> {
    let (rows, covariance) = (gaussian.mean().len(), gaussian.covariance());
    let mean = |i: usize, j: usize| {
        let (above, below) = (covariance[i * rows + j], covariance[j * rows + i]);
        above + 0.5 * (below - above)
    };
    Moments::new(gaussian.mean().to_vec(), Dense::symmetric(rows, mean), gaussian.noise_variance().to_vec())
}

//! What an agent believes of many rows together: the moments that predictive correlations are made of.

use jointly_core::correlations::{
    Batch, Dense, Moments, MomentsError, PoolTest, SampledFunctions, batch_information_gain,
};
use jointly_core::matrix::Matrix;
use jointly_core::regression::answer::Gaussian;
use jointly_core::regression::regressor::Belief;

use super::{Origin, PredictionOptions};
use crate::fit::{FitError, Fitted};

/// A belief about the function's values at some rows together, in the data's units.
#[derive(Clone, Debug)]
pub enum Joint {
    /// The agent's own moments.
    Exact(Moments),
    /// Those of its draws.
    Sampled(SampledFunctions),
}

impl Joint {
    /// Where the moments come from: [`Agent`](Origin::Agent) or [`Draws`](Origin::Draws).
    pub fn origin(&self) -> Origin {
        match self {
            Self::Exact(_) => Origin::Agent,
            Self::Sampled(_) => Origin::Draws,
        }
    }

    /// Number of distinct functions that the moments are estimated from, where they are.
    pub fn functions(&self) -> Option<usize> {
        match self {
            Self::Exact(_) => None,
            Self::Sampled(functions) => Some(functions.functions()),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Exact(moments) => moments.rows(),
            Self::Sampled(functions) => functions.rows(),
        }
    }

    /// The belief of the first `pool` rows as a pool and the others as test points.
    ///
    /// # Panics
    /// When there are fewer rows.
    pub fn pool_test(&self, pool: usize) -> PoolTest {
        match self {
            Self::Exact(moments) => PoolTest::of_moments(moments, pool),
            Self::Sampled(functions) => PoolTest::of_functions(functions, 0..pool, pool..functions.rows()),
        }
    }

    /// Greedy BatchMIG of `size` of the first `pool` rows about the others.
    ///
    /// # Errors
    /// When a covariance is not finite.
    ///
    /// # Panics
    /// When there are fewer rows.
    pub fn batch(&self, pool: usize, size: usize) -> Result<Batch, MomentsError> {
        let belief = self.pool_test(pool);
        match self {
            Self::Exact(moments) => batch_information_gain(&belief, moments.covariance(), size),
            Self::Sampled(functions) => batch_information_gain(&belief, functions, size),
        }
    }

    /// The moments at the rows from `start` on.
    ///
    /// # Errors
    /// When a covariance is not finite.
    ///
    /// # Panics
    /// When there are fewer rows.
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
    /// What the agent believes of the rows together.
    ///
    /// # Formula
    /// The agent's own Gaussian moments, asked for in one call of all rows, where it has some and there are at most
    /// `exact_rows`: their covariance is rows x rows. Else those of draws 0..M: covariance(x, x') = (1/M) sum (`f_m(x)` -
    /// mean(x)) (`f_m(x')` - mean(x')), as [`SampledFunctions`] has it.
    ///
    /// # Errors
    /// Those of the agent, as they are; [`Inconsistent`](FitError::Inconsistent) when what is asked for again comes out
    /// otherwise; [`Moments`](FitError::Moments) when they are no belief; or when an input leaves the range of `f32` once
    /// standardised.
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

/// An answer is symmetric to within rounding of `f32`: of two mirrored covariances the mean is taken.
fn moments(gaussian: &Gaussian) -> Result<Moments, MomentsError> {
    let (rows, covariance) = (gaussian.mean().len(), gaussian.covariance());
    let mean = |i: usize, j: usize| {
        let (above, below) = (covariance[i * rows + j], covariance[j * rows + i]);
        above + 0.5 * (below - above)
    };
    Moments::new(gaussian.mean().to_vec(), Dense::symmetric(rows, mean), gaussian.noise_variance().to_vec())
}

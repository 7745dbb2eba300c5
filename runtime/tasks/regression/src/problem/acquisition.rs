//! Acquisition functions of active learning: which points a round queries, and by whose prediction.

use std::fmt;

use jointly_core::correlations::{MomentsError, marginal_information_gain, most_informative, total_information_gain};
use serde::{Deserialize, Serialize};

use crate::predictive::Joint;

/// The acquisition function that selects the points of a round: appendix C of Wang, Sun and Grosse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Acquisition {
    /// Total information gain: the largest function variances relative to the noise variances.
    Tig,
    /// Marginal information gain about the test points, point by point.
    Mig,
    /// Marginal information gain of the whole batch about the test points, selected greedily.
    BatchMig,
    /// No acquisition function: points are selected at random.
    Random,
    /// Total information gain under the oracle's posterior.
    OracleTig,
    /// Marginal information gain under the oracle's posterior, point by point.
    OracleMig,
    /// Marginal information gain of the whole batch under the oracle's posterior, selected greedily.
    OracleBatchMig,
}

/// The quantity that an acquisition function maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gain {
    Total,
    Marginal,
    Batch,
}

impl Acquisition {
    /// All acquisition functions, in the order of figures.
    pub const ALL: [Self; 7] =
        [Self::BatchMig, Self::Mig, Self::Tig, Self::OracleBatchMig, Self::OracleMig, Self::OracleTig, Self::Random];
    /// Acquisition by the agent's predictions, and random points.
    pub const BY_AGENT: [Self; 4] = [Self::BatchMig, Self::Mig, Self::Tig, Self::Random];
    /// Acquisition by the oracle's posterior, and random points; for data with an oracle.
    pub const BY_ORACLE: [Self; 4] = [Self::OracleBatchMig, Self::OracleMig, Self::OracleTig, Self::Random];

    /// Returns whether the agent selects. Otherwise the oracle or chance does, and all agents get the same points.
    pub fn asks_agent(self) -> bool {
        matches!(self, Self::Tig | Self::Mig | Self::BatchMig)
    }

    /// Returns what it maximises; `None` for random points.
    pub(super) fn gain(self) -> Option<Gain> {
        match self {
            Self::Tig | Self::OracleTig => Some(Gain::Total),
            Self::Mig | Self::OracleMig => Some(Gain::Marginal),
            Self::BatchMig | Self::OracleBatchMig => Some(Gain::Batch),
            Self::Random => None,
        }
    }
}

impl Gain {
    /// Returns the indices of the points with the largest gain among the first `pool` rows; the others are the test
    /// points.
    ///
    /// # Errors
    /// When a covariance is not finite.
    pub(super) fn select(self, joint: &Joint, pool: usize, query: usize) -> Result<Vec<usize>, MomentsError> {
        match self {
            Self::Total => {
                let moments = joint.moments_from(0)?;
                let variance = &moments.variance()[..pool];
                Self::largest_variances(variance, &moments.noise_variance()[..pool], query)
            }
            Self::Marginal => {
                let belief = joint.pool_test(pool);
                Ok(most_informative(&marginal_information_gain(&belief), belief.pool_variance(), query))
            }
            Self::Batch => joint.batch(pool, query).map(|batch| batch.chosen),
        }
    }

    /// Returns the indices of the points with the largest total gain.
    ///
    /// # Errors
    /// When a variance is negative or not finite.
    pub(super) fn largest_variances(variance: &[f64], noise: &[f64], query: usize) -> Result<Vec<usize>, MomentsError> {
        Ok(most_informative(&total_information_gain(variance, noise)?, variance, query))
    }
}

impl fmt::Display for Acquisition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tig => "tig",
            Self::Mig => "mig",
            Self::BatchMig => "batch-mig",
            Self::Random => "random",
            Self::OracleTig => "oracle-tig",
            Self::OracleMig => "oracle-mig",
            Self::OracleBatchMig => "oracle-batch-mig",
        })
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::correlations::Dense;
    use jointly_core::matrix::Matrix;

    use super::{Acquisition, Gain, Joint};
    use crate::oracle::{Posterior, ReluKernel};

    /// Figure 2: a pool along a line from -4 to 4, test points in two parts of it, and two training points.
    struct Line {
        train: Vec<f32>,
        pool: Vec<f32>,
        test: Vec<f32>,
    }

    const NOISE_VARIANCE: f64 = 0.01;
    const QUERY: usize = 5;

    impl Line {
        fn new() -> Self {
            let pool = (0..81).map(|i| -4.0 + 0.1 * i as f32).collect();
            let test = vec![-2.2, -2.1, -2.0, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0];
            Self { train: vec![-0.5, 0.5], pool, test }
        }

        /// Returns the moments after training on more points. They do not depend on the targets.
        fn moments(&self, more: &[f32], at: &[f32]) -> jointly_core::correlations::Moments {
            let inputs = Matrix::from_rows(1, [&self.train[..], more].concat());
            let targets = vec![0.0; inputs.rows()];
            let posterior = Posterior::new(ReluKernel::default(), NOISE_VARIANCE, inputs, &targets).unwrap();
            posterior.moments(&Matrix::from_rows(1, at.to_vec())).unwrap()
        }

        fn chosen(&self, gain: Gain) -> Vec<f32> {
            let joint = Joint::Exact(self.moments(&[], &[&self.pool[..], &self.test].concat()));
            let chosen = gain.select(&joint, self.pool.len(), QUERY).unwrap();
            chosen.into_iter().map(|i| self.pool[i]).collect()
        }

        /// Returns the mean variance of the function at the test points after queries.
        fn variance_after(&self, queried: &[f32]) -> f64 {
            self.moments(queried, &self.test).variance().iter().sum::<f64>() / self.test.len() as f64
        }
    }

    /// Returns the largest distance of two points.
    fn width(points: &[f32]) -> f32 {
        let (least, most) = points.iter().fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        most - least
    }

    #[test]
    fn tig_queries_the_edges_mig_one_place_and_batch_mig_all_test_points() {
        let line = Line::new();
        let [tig, mig, batch] = [Gain::Total, Gain::Marginal, Gain::Batch].map(|gain| line.chosen(gain));
        assert!(tig.iter().all(|x| x.abs() > 3.5), "{tig:?}");
        assert!(width(&mig) < 0.55, "{mig:?}");
        let near = |x: &f32| line.test.iter().any(|test| (test - x).abs() < 0.5);
        assert!(batch.iter().all(near) && width(&batch) > 3.0, "{batch:?}");
        let [before, tig, mig, batch] = [&[][..], &tig, &mig, &batch].map(|queried| line.variance_after(queried));
        assert!(batch < 0.2 * mig.min(tig) && mig.max(tig) < before, "{before} {tig} {mig} {batch}");
    }

    #[test]
    fn the_largest_total_gain_is_the_largest_variance() {
        let covariance = Dense::from_fn(4, 4, |i, j| if i == j { [1.0, 3.0, 2.0, 9.0][i] } else { 0.1 });
        let moments = jointly_core::correlations::Moments::new(vec![0.0; 4], covariance, vec![0.5; 4]).unwrap();
        assert_eq!(Gain::Total.select(&Joint::Exact(moments), 3, 2).unwrap(), [1, 2]);
    }

    #[test]
    fn suites_use_each_acquisition_once_and_the_oracle_asks_no_agent() {
        let mut used: Vec<Acquisition> = Acquisition::BY_AGENT.into_iter().chain(Acquisition::BY_ORACLE).collect();
        used.sort_by_key(|own| Acquisition::ALL.iter().position(|known| known == own));
        used.dedup();
        assert_eq!(used, Acquisition::ALL);
        assert_eq!(Acquisition::BY_ORACLE.map(Acquisition::asks_agent), [false; 4]);
        assert_eq!(Acquisition::BY_AGENT.map(Acquisition::asks_agent), [true, true, true, false]);
    }
}

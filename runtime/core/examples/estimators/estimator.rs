//! The estimators of a joint log-likelihood that are compared.

use jointly_core::Stream;
use jointly_core::estimate::{Cells, DrawError, JointEstimate, KMeans, MonteCarlo, Partition, Planes};

use crate::belief::{CLASSES, Question};
use crate::debiased::{multilevel, roulette};

/// The number of hyperplanes of the testbed; there are at most 2^7 clusters.
const PLANES: u32 = 7;

/// A method of estimation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimator {
    MonteCarlo,
    /// Monte Carlo, with the leading term V / 2 (M - 1) of its bias added.
    Delta,
    Jackknife,
    Multilevel,
    Roulette,
    Planes {
        clip: bool,
    },
    KMeans {
        clip: bool,
    },
}

/// An estimate, and what it claims about itself.
pub(crate) struct Estimated {
    pub(crate) log_likelihood: f64,
    /// The standard error over draws; NaN if the estimator does not claim one.
    pub(crate) stderr: f64,
    /// The effective number of draws; NaN if the estimator has none.
    pub(crate) effective: f64,
}

impl Estimator {
    pub(crate) const ALL: [Self; 9] = [
        Self::MonteCarlo,
        Self::Delta,
        Self::Jackknife,
        Self::Multilevel,
        Self::Roulette,
        Self::Planes { clip: false },
        Self::Planes { clip: true },
        Self::KMeans { clip: false },
        Self::KMeans { clip: true },
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MonteCarlo => "Monte Carlo",
            Self::Delta => "delta",
            Self::Jackknife => "jackknife",
            Self::Multilevel => "multilevel",
            Self::Roulette => "roulette",
            Self::Planes { clip: false } => "planes",
            Self::Planes { clip: true } => "planes, clip",
            Self::KMeans { clip: false } => "k-means",
            Self::KMeans { clip: true } => "k-means, clip",
        }
    }

    pub(crate) fn estimate(self, question: &Question, draws: usize, trial: u32, source: &mut Stream) -> Estimated {
        let tau = question.labels.len() as u32;
        let partition = |cells: Cells, clip, source: &mut Stream| {
            let mut estimate = Partition::new(cells, &question.labels, CLASSES, clip);
            for _ in 0..draws {
                estimate.add(&question.draw(source), 1);
            }
            estimate.finish()
        };
        let mut draw = |source: &mut Stream| question.draw_log_likelihood(source);
        let estimate = match self {
            Self::MonteCarlo => monte_carlo(question, draws, source).finish(),
            Self::Delta => {
                let plain = monte_carlo(question, draws, source).finish();
                let bias = plain.variance / (2.0 * (draws as f64 - 1.0));
                JointEstimate { log_likelihood: plain.log_likelihood + bias, ..plain }
            }
            Self::Jackknife => monte_carlo(question, draws, source).finish_jackknife(),
            Self::Multilevel => return Estimated::without_claim(multilevel(draws, source, &mut draw)),
            Self::Roulette => return Estimated::without_claim(roulette(draws, source, &mut draw)),
            Self::Planes { clip } => {
                partition(Planes::sample(0.into(), "trial", tau, trial, CLASSES, PLANES).into(), clip, source)
            }
            Self::KMeans { clip } => {
                partition(KMeans::new(0.into(), "trial", tau, trial, CLASSES, PLANES).into(), clip, source)
            }
        };
        Estimated::of(&estimate, draws)
    }
}

/// Draws functions and returns the Monte Carlo estimate before it is finished.
pub(crate) fn monte_carlo(question: &Question, draws: usize, source: &mut Stream) -> MonteCarlo {
    let mut estimate = MonteCarlo::new();
    for _ in 0..draws {
        estimate.add(question.draw_log_likelihood(source), 1);
    }
    estimate
}

impl Estimated {
    pub(crate) fn of(estimate: &JointEstimate, draws: usize) -> Self {
        let mut error = DrawError::default();
        error.add(estimate, &vec![1; draws], true);
        Self { log_likelihood: estimate.log_likelihood, stderr: error.stderr(), effective: error.effective_draws() }
    }

    fn without_claim(log_likelihood: f64) -> Self {
        Self { log_likelihood, stderr: f64::NAN, effective: f64::NAN }
    }
}

//! The errors of an estimator on a belief, over many independent questions and sets of draws.

use jointly_core::estimate::{
    Cells, DrawError, JointEstimate, KMeans, MonteCarlo, Partition, Planes, joint_log_likelihood,
};
use jointly_core::{Stream, stream};

use crate::belief::{Belief, CLASSES, Question};

/// The number of hyperplanes of the testbed; there are at most 2^7 clusters.
const PLANES: u32 = 7;

/// A method of estimation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimator {
    MonteCarlo,
    Planes { clip: bool },
    KMeans { clip: bool },
}

/// The error of an estimated loss -log p, in nats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    /// The mean error of finite losses.
    pub(crate) bias: f64,
    /// The standard deviation of the error of finite losses.
    pub(crate) spread: f64,
    /// The root mean square of the error over draws that each estimate claims.
    pub(crate) claimed: f64,
    /// The harmonic mean of the effective numbers of draws where losses are finite.
    pub(crate) effective: f64,
    /// The share of losses that are infinite.
    pub(crate) infinite: f64,
}

impl Estimator {
    pub(crate) const ALL: [Self; 5] = [
        Self::MonteCarlo,
        Self::Planes { clip: false },
        Self::Planes { clip: true },
        Self::KMeans { clip: false },
        Self::KMeans { clip: true },
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MonteCarlo => "Monte Carlo",
            Self::Planes { clip: false } => "planes",
            Self::Planes { clip: true } => "planes, clip",
            Self::KMeans { clip: false } => "k-means",
            Self::KMeans { clip: true } => "k-means, clip",
        }
    }

    fn estimate(self, question: &Question, draws: usize, trial: u32, source: &mut Stream) -> JointEstimate {
        let tau = question.labels.len() as u32;
        let partition = |cells: Cells, clip, source: &mut Stream| {
            let mut estimate = Partition::new(cells, &question.labels, CLASSES, clip);
            for _ in 0..draws {
                estimate.add(&question.draw(source), 1);
            }
            estimate.finish()
        };
        match self {
            Self::MonteCarlo => {
                let mut estimate = MonteCarlo::new();
                for _ in 0..draws {
                    estimate.add(joint_log_likelihood(&question.draw(source), &question.labels, CLASSES), 1);
                }
                estimate.finish()
            }
            Self::Planes { clip } => {
                partition(Planes::sample(0.into(), "trial", tau, trial, CLASSES, PLANES).into(), clip, source)
            }
            Self::KMeans { clip } => {
                partition(KMeans::new(0.into(), "trial", tau, trial, CLASSES, PLANES).into(), clip, source)
            }
        }
    }
}

/// Estimates `trials` questions of order `tau`, each with fresh draws; every estimator gets the same questions.
pub(crate) fn errors(belief: Belief, tau: usize, draws: usize, estimator: Estimator, trials: u32) -> Errors {
    let (mut errors, mut claims, mut inverses) = (Vec::new(), Vec::new(), 0.0);
    for trial in 0..trials {
        let question = belief.question(tau, &mut stream(0, "question", belief.name(), u64::from(trial)));
        let mut source = stream(0, "draws", belief.name(), u64::from(trial));
        let estimate = estimator.estimate(&question, draws, trial, &mut source);
        let mut error = DrawError::default();
        error.add(&estimate, &vec![1; draws], true);
        if estimate.log_likelihood.is_finite() {
            inverses += 1.0 / error.effective_draws();
            errors.push(question.log_likelihood - estimate.log_likelihood);
            claims.push(error.stderr());
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &[f64], centre: f64| values.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>();
    let bias = mean(&errors);
    Errors {
        bias,
        spread: (squares(&errors, bias) / (errors.len() as f64 - 1.0)).sqrt(),
        claimed: (squares(&claims, 0.0) / claims.len() as f64).sqrt(),
        effective: errors.len() as f64 / inverses,
        infinite: 1.0 - errors.len() as f64 / f64::from(trials),
    }
}

//! The errors of an estimator on a belief, over many independent questions and sets of draws.

use jointly_core::stream;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::belief::Belief;
use crate::estimator::{Estimated, Estimator};

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

/// Estimates `trials` questions of order `tau`, each with fresh draws; every estimator gets the same questions.
pub(crate) fn errors(belief: Belief, tau: usize, draws: usize, estimator: Estimator, trials: u32) -> Errors {
    let estimate = |trial: u32| {
        let question = belief.question(tau, &mut stream(0, "question", belief.name(), u64::from(trial)));
        let mut source = stream(0, "draws", belief.name(), u64::from(trial));
        (question.log_likelihood, estimator.estimate(&question, draws, trial, &mut source))
    };
    let all: Vec<(f64, Estimated)> = (0..trials).into_par_iter().map(estimate).collect();
    let finite: Vec<&(f64, Estimated)> = all.iter().filter(|(_, own)| own.log_likelihood.is_finite()).collect();
    let errors: Vec<f64> = finite.iter().map(|(truth, own)| truth - own.log_likelihood).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &[f64], centre: f64| values.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>();
    let claims: Vec<f64> = finite.iter().map(|(_, own)| own.stderr).collect();
    let bias = mean(&errors);
    Errors {
        bias,
        spread: (squares(&errors, bias) / (errors.len() as f64 - 1.0)).sqrt(),
        claimed: (squares(&claims, 0.0) / claims.len() as f64).sqrt(),
        effective: errors.len() as f64 / finite.iter().map(|(_, own)| 1.0 / own.effective).sum::<f64>(),
        infinite: 1.0 - errors.len() as f64 / f64::from(trials),
    }
}

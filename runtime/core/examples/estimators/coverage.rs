//! How often confidence intervals contain the true log-likelihood.

use jointly_core::estimate::{Bracket, MIN_EFFECTIVE_DRAWS};
use jointly_core::stream;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::belief::Belief;
use crate::estimator::{Estimated, monte_carlo};

/// The master seed. With that of [`crate::trial`], the number of effective draws was chosen from which on an interval is
/// claimed, so the check needs other questions and draws.
const SEED: u64 = 1;
/// The quantile of the normal distribution for an interval of 95 %.
const NORMAL: f64 = 1.959_963_984_540_054;

/// One tau-sample's true log-likelihood with its estimates from the same draws.
pub(crate) struct Trial {
    truth: f64,
    /// The interval whose upper end is finite with any number of effective draws.
    bracket: Bracket,
    plain: Estimated,
    jackknife: f64,
}

/// Shares of trials, and means over trials.
pub(crate) struct Coverage {
    /// The harmonic mean of the effective numbers of draws.
    pub(crate) effective: f64,
    /// The shares of trials where the truth is below `low`, above `high`, and above `limit`.
    pub(crate) below: f64,
    pub(crate) above: f64,
    pub(crate) beyond_limit: f64,
    /// The share of trials where the interval from `low` to `high` contains the truth.
    pub(crate) covered: f64,
    /// The mean width of that interval, in nats.
    pub(crate) width: f64,
    /// The mean of the limit less the lower end, in nats.
    pub(crate) to_limit: f64,
    /// The share of trials where the jackknife's estimate with 1.96 standard errors contains the truth.
    pub(crate) normal: f64,
    /// The mean width of that interval.
    pub(crate) normal_width: f64,
}

/// Estimates `trials` questions of order `tau`, each with fresh draws.
pub(crate) fn run(belief: Belief, tau: usize, draws: usize, trials: u32) -> Vec<Trial> {
    let trial = |trial: u32| {
        let question = belief.question(tau, &mut stream(SEED, "question", belief.name(), u64::from(trial)));
        let mut source = stream(SEED, "draws", belief.name(), u64::from(trial));
        let estimate = monte_carlo(&question, draws, &mut source);
        Trial {
            truth: question.log_likelihood,
            bracket: estimate.bracket(0.0),
            plain: Estimated::of(&estimate.clone().finish(), draws),
            jackknife: estimate.finish_jackknife().log_likelihood,
        }
    };
    (0..trials).into_par_iter().map(trial).collect()
}

impl Trial {
    /// Says whether an interval is claimed.
    pub(crate) fn usable(&self) -> bool {
        self.effective() >= MIN_EFFECTIVE_DRAWS
    }

    /// Returns the effective number of draws; 0 if no draw allows the labels.
    pub(crate) fn effective(&self) -> f64 {
        if self.plain.log_likelihood.is_finite() { self.plain.effective } else { 0.0 }
    }
}

impl Coverage {
    pub(crate) fn of(trials: &[&Trial]) -> Self {
        let mean =
            |value: &dyn Fn(&Trial) -> f64| trials.iter().map(|own| value(own)).sum::<f64>() / trials.len() as f64;
        let share = |holds: &dyn Fn(&Trial) -> bool| mean(&|own| f64::from(u8::from(holds(own))));
        Self {
            effective: 1.0 / mean(&|own| 1.0 / own.effective()),
            below: share(&|own| own.truth < own.bracket.low),
            above: share(&|own| own.truth > own.bracket.high),
            beyond_limit: share(&|own| own.truth > own.bracket.limit),
            covered: share(&|own| own.bracket.low <= own.truth && own.truth <= own.bracket.high),
            width: mean(&|own| own.bracket.high - own.bracket.low),
            to_limit: mean(&|own| own.bracket.limit - own.bracket.low),
            normal: share(&|own| (own.jackknife - own.truth).abs() <= NORMAL * own.plain.stderr),
            normal_width: mean(&|own| 2.0 * NORMAL * own.plain.stderr),
        }
    }
}

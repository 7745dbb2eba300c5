//! One chain of the sampler: from the prior to the posterior by annealing, then draws.

use super::Settings;
use super::hamiltonian::{State, Trajectory, WIDEST_STEP};
use super::law::Law;
use super::likelihood::Likelihood;
use crate::stream::Stream;

/// The power of the likelihood that annealing begins with.
const FIRST_POWER: f64 = 1e-4;
/// The probability of moving that the step is fitted to.
const ACCEPTANCE: f64 = 0.8;
/// How much a transition's probability of moving changes the logarithm of the step.
const GAIN: f64 = 0.15;
/// The step that annealing begins with, in radians.
const FIRST_STEP: f64 = 0.1;
/// A shorter step could not be told from none.
const SHORTEST_STEP: f64 = 1e-6;

/// What a chain leaves.
pub(super) struct Chain {
    /// The network's parameters at each draw.
    pub(super) draws: Vec<Vec<f32>>,
    /// Of the training labels at each draw.
    pub(super) log_likelihoods: Vec<f64>,
    /// The mean probability of moving after warm-up.
    pub(super) acceptance: f64,
    /// The step after warm-up, in radians.
    pub(super) step: f64,
}

impl Chain {
    /// Draws from the prior, raises the likelihood's power from nearly 0 to 1 in equal ratios over the first half of the
    /// warm-up, fits the step all through it, and then keeps every `thin`th of the states at the mean of the second
    /// half's steps.
    pub(super) fn run(law: &Law, likelihood: &mut Likelihood, settings: &Settings, stream: &mut Stream) -> Self {
        let mut evaluate = |position: &[f64], gradient: &mut [f64]| likelihood.evaluate(position, gradient);
        let mut state = State::new(law.sample(stream), &mut evaluate);
        let mut trajectory = Trajectory { power: FIRST_POWER, step: FIRST_STEP, most_steps: settings.steps as usize };
        let mut log_step = libm::log(FIRST_STEP);
        let mut later_steps = 0.0;
        let half = settings.warmup / 2;
        for i in 0..settings.warmup {
            let left = 1.0 - f64::from((i + 1).min(half)) / f64::from(half);
            trajectory.power = libm::exp(left * libm::log(FIRST_POWER));
            let moved = state.transition(&law.walls, trajectory, &mut evaluate, stream);
            log_step = (log_step + GAIN * (moved - ACCEPTANCE)).clamp(libm::log(SHORTEST_STEP), libm::log(WIDEST_STEP));
            trajectory.step = libm::exp(log_step);
            if i >= half {
                later_steps += log_step;
            }
        }
        trajectory.step = libm::exp(later_steps / f64::from(settings.warmup - half));

        let mut chain = Self { draws: Vec::new(), log_likelihoods: Vec::new(), acceptance: 0.0, step: trajectory.step };
        let draws = settings.per_chain();
        for _ in 0..draws {
            for _ in 0..settings.thin {
                chain.acceptance += state.transition(&law.walls, trajectory, &mut evaluate, stream);
            }
            let mut parameters = Vec::new();
            law.parameters(&state.position, &mut parameters);
            chain.draws.push(parameters);
            chain.log_likelihoods.push(state.log_likelihood);
        }
        chain.acceptance /= draws as f64 * f64::from(settings.thin);
        chain
    }
}

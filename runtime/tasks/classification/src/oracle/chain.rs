//! One chain of the sampler: annealed from the prior to the posterior, then sampled.

use jointly_core::stream::Stream;

use super::Settings;
use super::hamiltonian::{State, Trajectory, WIDEST_STEP};
use super::law::Law;
use super::likelihood::Likelihood;

/// The power of the likelihood at the start of annealing.
const FIRST_POWER: f64 = 1e-4;
/// The acceptance probability to which the step size is adapted.
const ACCEPTANCE: f64 = 0.8;
/// The gain of the step-size adaptation: the change of the log step size per unit of acceptance probability.
const GAIN: f64 = 0.15;
/// The adaptation before a further round takes 1 / `REFIT` of the warm-up's transitions.
const REFIT: u32 = 4;
/// The step size at the start of annealing, in radians.
const FIRST_STEP: f64 = 0.1;
/// The least step size; a smaller step is indistinguishable from none.
const SHORTEST_STEP: f64 = 1e-6;

/// A chain and its draws of the present round.
pub(super) struct Chain {
    stream: Stream,
    state: State,
    trajectory: Trajectory,
    /// Transitions from one draw to the next.
    thin: u32,
    /// The network's parameters at each draw.
    pub(super) draws: Vec<Vec<f32>>,
    /// The log-likelihood of the training labels at each draw.
    pub(super) log_likelihoods: Vec<f64>,
    /// The mean acceptance probability.
    pub(super) acceptance: f64,
}

impl Chain {
    /// Draws from the prior, raises the likelihood's power from nearly 0 to 1 in equal ratios over the first half of
    /// the warm-up, and adapts the step size throughout.
    pub(super) fn warm_up(law: &Law, likelihood: &mut Likelihood, settings: &Settings, mut stream: Stream) -> Self {
        let mut evaluate = |position: &[f64], gradient: &mut [f64]| likelihood.evaluate(position, gradient);
        let state = State::new(law.sample(&mut stream), &mut evaluate);
        let trajectory = Trajectory { power: FIRST_POWER, step: FIRST_STEP, most_steps: settings.steps as usize };
        let (draws, log_likelihoods) = (Vec::new(), Vec::new());
        let mut chain =
            Self { stream, state, trajectory, thin: settings.thin, draws, log_likelihoods, acceptance: 0.0 };
        let half = settings.warmup / 2;
        let power = |i: u32| {
            let left = 1.0 - f64::from((i + 1).min(half)) / f64::from(half);
            libm::exp(left * libm::log(FIRST_POWER))
        };
        chain.fit(law, likelihood, settings.warmup, power);
        chain
    }

    /// Makes `count` transitions at the given powers, adapts the step size after each, and then sets it to the
    /// geometric mean over the later half.
    fn fit(&mut self, law: &Law, likelihood: &mut Likelihood, count: u32, power: impl Fn(u32) -> f64) {
        let mut evaluate = |position: &[f64], gradient: &mut [f64]| likelihood.evaluate(position, gradient);
        let mut log_step = libm::log(self.trajectory.step);
        let mut later_steps = 0.0;
        let half = count / 2;
        for i in 0..count {
            self.trajectory.power = power(i);
            let moved = self.state.transition(&law.walls, self.trajectory, &mut evaluate, &mut self.stream);
            log_step = (log_step + GAIN * (moved - ACCEPTANCE)).clamp(libm::log(SHORTEST_STEP), libm::log(WIDEST_STEP));
            self.trajectory.step = libm::exp(log_step);
            if i >= half {
                later_steps += log_step;
            }
        }
        self.trajectory.step = libm::exp(later_steps / f64::from(count - half));
    }

    /// Continues the chain and replaces its draws by `count` states, each `thin` transitions apart.
    pub(super) fn draw(&mut self, law: &Law, likelihood: &mut Likelihood, count: usize) {
        let mut evaluate = |position: &[f64], gradient: &mut [f64]| likelihood.evaluate(position, gradient);
        self.draws.clear();
        self.log_likelihoods.clear();
        let mut moved = 0.0;
        for _ in 0..count {
            for _ in 0..self.thin {
                moved += self.state.transition(&law.walls, self.trajectory, &mut evaluate, &mut self.stream);
            }
            let mut parameters = Vec::new();
            law.parameters(&self.state.position, &mut parameters);
            self.draws.push(parameters);
            self.log_likelihoods.push(self.state.log_likelihood);
        }
        self.acceptance = moved / (count as f64 * f64::from(self.thin));
    }

    /// Doubles the work between draws. While trajectories end short of a quarter turn, they become twice as long,
    /// because one long trajectory may go twice as far where two short ones go only sqrt 2 times as far; after that,
    /// the number of trajectories between draws doubles. The step size is then adapted again.
    pub(super) fn lengthen(&mut self, law: &Law, likelihood: &mut Likelihood, settings: &Settings) {
        if self.trajectory.falls_short() {
            self.trajectory.most_steps *= 2;
        } else {
            self.thin *= 2;
        }
        self.fit(law, likelihood, settings.warmup.div_ceil(REFIT), |_| 1.0);
    }

    /// Returns the step size, in radians.
    pub(super) fn step(&self) -> f64 {
        self.trajectory.step
    }
}

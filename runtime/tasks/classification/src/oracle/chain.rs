//! One chain of the sampler: from the prior to the posterior by annealing, then draws.

use jointly_core::stream::Stream;

use super::Settings;
use super::hamiltonian::{State, Trajectory, WIDEST_STEP};
use super::law::Law;
use super::likelihood::Likelihood;

/// The power of the likelihood that annealing begins with.
const FIRST_POWER: f64 = 1e-4;
/// The probability of moving that the step is fitted to.
const ACCEPTANCE: f64 = 0.8;
/// How much a transition's probability of moving changes the logarithm of the step.
const GAIN: f64 = 0.15;
/// What share of the warm-up's transitions fit the step again before a further round.
const REFIT: u32 = 4;
/// The step that annealing begins with, in radians.
const FIRST_STEP: f64 = 0.1;
/// A shorter step could not be told from none.
const SHORTEST_STEP: f64 = 1e-6;

/// A chain, and what it has left in the present round.
pub(super) struct Chain {
    stream: Stream,
    state: State,
    trajectory: Trajectory,
    /// Transitions from one draw to the next.
    thin: u32,
    /// The network's parameters at each draw.
    pub(super) draws: Vec<Vec<f32>>,
    /// Of the training labels at each draw.
    pub(super) log_likelihoods: Vec<f64>,
    /// The mean probability of moving.
    pub(super) acceptance: f64,
}

impl Chain {
    /// Draws from the prior, raises the likelihood's power from nearly 0 to 1 in equal ratios over the first half of the
    /// warm-up, and fits the step all through it.
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

    /// Makes so many transitions at the powers given, fits the step after each, and then takes the geometric mean of the
    /// later half's steps.
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

    /// Goes on, and keeps every `thin`th of so many states in place of those kept before.
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

    /// Doubles the work from one draw to the next: by longer trajectories while they end short of a quarter turn, since
    /// one that is twice as long may go twice as far where two go but sqrt 2 times as far, and then by more of them. The
    /// step is then fitted again.
    pub(super) fn lengthen(&mut self, law: &Law, likelihood: &mut Likelihood, settings: &Settings) {
        if self.trajectory.falls_short() {
            self.trajectory.most_steps *= 2;
        } else {
            self.thin *= 2;
        }
        self.fit(law, likelihood, settings.warmup.div_ceil(REFIT), |_| 1.0);
    }

    /// The step, in radians.
    pub(super) fn step(&self) -> f64 {
        self.trajectory.step
    }
}

//! The actions of a problem under one seed, with their expected rewards.

use jointly_classification::{Environment, EnvironmentSpec};
use jointly_core::Seed;
use jointly_core::matrix::Matrix;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::{Stream, stream};

use crate::problem::{DecisionProblem, Setting};

/// The class whose probability is the expected reward of a bandit.
pub(crate) const REWARDED: usize = 1;
/// The standard deviation of the noise of a search's observations, in standard deviations of the function over all actions.
pub(crate) const NOISE: f32 = 0.1;

/// The actions of a problem under one seed.
pub(crate) struct Arms {
    /// One row for each action.
    pub(crate) inputs: Matrix,
    /// The expected reward of each action; empty where none is better than another.
    expected: Vec<f64>,
    best: f64,
    outcome: Outcome,
}

/// The observation after an action.
enum Outcome {
    /// One with the expected reward as its probability, else 0.
    Reward,
    /// The expected reward with noise.
    Value,
    /// A class, with the probabilities of the action's row.
    Class { probs: Vec<f32>, classes: usize },
}

impl Arms {
    /// Samples environment or function, and actions.
    pub(crate) fn sample(problem: &DecisionProblem, seed: Seed) -> Self {
        let named = |purpose| stream(seed, purpose, problem.stream_name(), 0);
        let actions = problem.actions() as usize;
        let sampled = |spec: &EnvironmentSpec| {
            let environment = Environment::sample(spec, &mut named("environment"));
            let inputs = normal_inputs(actions, spec.input_dim as usize, &mut named("actions"));
            let probs = environment.class_probs(&inputs);
            (inputs, probs, spec.num_classes as usize)
        };
        let (inputs, expected, outcome) = match &problem.setting {
            Setting::Bandit(spec) => {
                let (inputs, probs, classes) = sampled(spec);
                let expected = probs.chunks_exact(classes).map(|row| f64::from(row[REWARDED])).collect();
                (inputs, expected, Outcome::Reward)
            }
            Setting::Labels { environment, .. } => {
                let (inputs, probs, classes) = sampled(environment);
                (inputs, Vec::new(), Outcome::Class { probs, classes })
            }
            Setting::Search { objective, .. } => {
                let inputs = objective.inputs(actions, &mut named("actions"));
                let values = objective.values(&inputs, &mut named("objective"));
                (inputs, standardized(values), Outcome::Value)
            }
        };
        let best = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { inputs, expected, best, outcome }
    }

    /// Draws what is observed after an action: a reward, a value or the number of a class.
    pub(crate) fn observe(&self, action: usize, source: &mut Stream) -> f32 {
        match &self.outcome {
            Outcome::Reward => f32::from(u8::from(source.uniform() < self.expected[action])),
            Outcome::Value => (self.expected[action] + f64::from(NOISE) * source.normal()) as f32,
            Outcome::Class { probs, classes } => source.categorical(&probs[action * classes..][..*classes]) as f32,
        }
    }

    /// Returns the expected regret of an action; `None` where no action is better than another.
    pub(crate) fn regret(&self, action: usize) -> Option<f64> {
        self.expected.get(action).map(|expected| self.best - expected)
    }

    /// Returns the expected regret of an action that is chosen uniformly at random; `None` as for [`regret`](Self::regret).
    pub(crate) fn uniform_regret(&self) -> Option<f64> {
        let sum: f64 = self.expected.iter().sum();
        (!self.expected.is_empty()).then(|| self.best - sum / self.expected.len() as f64)
    }
}

/// Shifts and scales values to mean 0 and variance 1.
fn standardized(values: Vec<f64>) -> Vec<f64> {
    let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
    let (count, middle) = (values.len(), mean(&mut values.iter().copied(), values.len()));
    let variance = mean(&mut values.iter().map(|value| (value - middle) * (value - middle)), count);
    values.into_iter().map(|value| (value - middle) / variance.sqrt()).collect()
}

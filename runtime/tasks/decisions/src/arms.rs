//! The actions of a problem under one seed, with their expected rewards.

use jointly_classification::Environment;
use jointly_core::Seed;
use jointly_core::matrix::Matrix;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::stream;

use crate::problem::DecisionProblem;

/// The class whose probability is the expected reward.
pub(crate) const REWARDED: usize = 1;

/// The actions of a problem under one seed.
pub(crate) struct Arms {
    /// One row for each action.
    pub(crate) inputs: Matrix,
    /// The expected reward of each action.
    expected: Vec<f64>,
    best: f64,
}

impl Arms {
    /// Samples environment and actions.
    pub(crate) fn sample(problem: &DecisionProblem, seed: Seed) -> Self {
        let (spec, name) = (&problem.environment, problem.name.as_str());
        let environment = Environment::sample(spec, &mut stream(seed, "environment", name, 0));
        let mut source = stream(seed, "actions", name, 0);
        let inputs = normal_inputs(problem.actions() as usize, spec.input_dim as usize, &mut source);
        let probs = environment.class_probs(&inputs);
        let expected: Vec<f64> =
            probs.chunks_exact(spec.num_classes as usize).map(|row| f64::from(row[REWARDED])).collect();
        let best = expected.iter().copied().fold(0.0, f64::max);
        Self { inputs, expected, best }
    }

    /// Returns the expected reward of an action.
    pub(crate) fn expected(&self, action: usize) -> f64 {
        self.expected[action]
    }

    /// Returns the expected regret of an action.
    pub(crate) fn regret(&self, action: usize) -> f64 {
        self.best - self.expected[action]
    }

    /// Returns the expected regret of an action that is chosen uniformly at random.
    pub(crate) fn uniform_regret(&self) -> f64 {
        let sum: f64 = self.expected.iter().sum();
        self.best - sum / self.expected.len() as f64
    }
}

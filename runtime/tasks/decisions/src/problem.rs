//! A problem of decisions: an environment, and the actions among which agents choose.

use jointly_classification::EnvironmentSpec;
use jointly_core::coordinates::Coordinates;
use jointly_core::task::Task;

use crate::options::DecisionOptions;
use crate::schedule::Schedule;

/// The number of actions of a bandit for each dimension of an action, as in the reference implementation.
const ACTIONS: u32 = 50;

/// A bandit whose actions are inputs of a random environment of two classes.
///
/// # Formula
/// There are 50 d actions, each a point of N(0, I) in d dimensions. The reward of action a is 1 with the environment's
/// probability P(y = 1 | a), else 0. The regret of an action is the largest such probability less its own.
/// Osband et al., "The Neural Testbed", section 6.
#[derive(Clone, Debug)]
pub struct DecisionProblem {
    /// The name in results.
    pub name: String,
    /// The distribution of the environment.
    pub environment: EnvironmentSpec,
    /// Its place in its suite.
    pub coordinates: Coordinates,
}

impl DecisionProblem {
    /// Returns the description of the task that agents receive.
    pub fn task(&self) -> Task {
        self.environment.task()
    }

    /// Returns the number of actions among which agents choose.
    pub fn actions(&self) -> u32 {
        ACTIONS * self.environment.input_dim
    }

    /// Returns the rounds of its courses. The first batch has an action for each dimension.
    pub fn schedule(&self, options: &DecisionOptions) -> Schedule {
        Schedule::new(self.environment.input_dim, options.growth, options.steps)
    }
}

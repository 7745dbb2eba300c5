//! A problem of decisions: what is decided, and the actions among which agents choose.

use jointly_classification::EnvironmentSpec;
use jointly_core::coordinates::Coordinates;

use crate::objective::Objective;
use crate::options::DecisionOptions;
use crate::priority::Priority;
use crate::rule::Rule;
use crate::schedule::Schedule;

/// The number of actions of a bandit for each dimension of an action, as in the reference implementation.
const ACTIONS: u32 = 50;
/// The number of inputs among which a search chooses.
const CANDIDATES: u32 = 1000;
/// The number of inputs whose labels can be bought, for each dimension, as in the reference implementation.
const POOL: u32 = 20;

/// A problem of decisions.
#[derive(Clone, Debug)]
pub struct DecisionProblem {
    /// The name in results.
    pub name: String,
    /// The decisions and their outcomes.
    pub setting: Setting,
    /// Its place in its suite.
    pub coordinates: Coordinates,
}

/// The decisions of a problem, and their outcomes.
#[derive(Clone, Debug)]
pub enum Setting {
    /// A bandit whose actions are inputs of a random environment of two classes from this distribution.
    ///
    /// # Formula
    /// There are 50 d actions, each a point of N(0, I) in d dimensions. The reward of action a is 1 with the environment's
    /// probability P(y = 1 | a), else 0. The regret of an action is the largest such probability less its own.
    /// Osband et al., "The Neural Testbed", section 6.
    Bandit(EnvironmentSpec),
    /// A search for the largest value of a function, by observations with noise.
    ///
    /// # Formula
    /// There are 1000 actions, each an input x drawn at random. The function is shifted and scaled so that its values f(x)
    /// at them have mean 0 and variance 1, and an observation is f(x) + N(0, 0.01). The regret of an action is the largest
    /// value less its own.
    Search {
        /// The function.
        objective: Objective,
        /// The rule that chooses actions.
        rule: Rule,
    },
    /// Active learning: inputs whose labels are bought, to predict well at others.
    ///
    /// # Formula
    /// There are 20 d inputs, each a point of N(0, I), and a label that is bought is drawn from the environment's probabilities
    /// there; an input can be bought again. What counts is the joint KL at new inputs.
    Labels {
        /// The distribution of the environment.
        environment: EnvironmentSpec,
        /// The priority by which inputs are chosen.
        priority: Priority,
    },
}

impl DecisionProblem {
    /// Returns the name of its random streams: without the rule or the priority, so that all of them have the same inputs,
    /// environment and outcomes.
    pub(crate) fn stream_name(&self) -> &str {
        let rule = match &self.setting {
            Setting::Bandit(_) => return &self.name,
            Setting::Search { rule, .. } => rule.name(),
            Setting::Labels { priority, .. } => priority.name(),
        };
        self.name.strip_suffix(rule).and_then(|name| name.strip_suffix('/')).unwrap_or(&self.name)
    }

    /// Returns the number d of features of an action.
    pub fn input_dim(&self) -> u32 {
        match &self.setting {
            Setting::Bandit(environment) | Setting::Labels { environment, .. } => environment.input_dim,
            Setting::Search { objective, .. } => objective.input_dim(),
        }
    }

    /// Returns the number of actions among which agents choose.
    pub fn actions(&self) -> u32 {
        match &self.setting {
            Setting::Bandit(environment) => ACTIONS * environment.input_dim,
            Setting::Search { .. } => CANDIDATES,
            Setting::Labels { environment, .. } => POOL * environment.input_dim,
        }
    }

    /// Returns the number of actions in the first batch, which are random: one for each dimension, two of a search.
    pub(crate) fn first(&self) -> u32 {
        match &self.setting {
            Setting::Bandit(environment) | Setting::Labels { environment, .. } => environment.input_dim,
            Setting::Search { objective, .. } => 2 * objective.input_dim(),
        }
    }

    /// Returns the number of trainings: one before each batch but the first and, of active learning, one on all labels.
    pub fn trainings(&self, options: &DecisionOptions) -> usize {
        let last = matches!(self.setting, Setting::Labels { .. });
        self.schedule(options).trainings() + usize::from(last)
    }

    /// Returns the numbers of actions after which an agent is trained, in order.
    pub(crate) fn trained_after(&self, options: &DecisionOptions) -> Vec<u32> {
        let schedule = self.schedule(options);
        let ends = std::iter::successors(schedule.next(0), |done| schedule.next(*done));
        ends.take(self.trainings(options)).collect()
    }

    /// Returns the rounds of its courses.
    pub fn schedule(&self, options: &DecisionOptions) -> Schedule {
        Schedule::new(self.first(), options.growth, options.steps)
    }
}

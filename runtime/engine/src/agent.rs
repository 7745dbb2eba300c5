//! An agent of either tier: a component in the sandbox, whose results can be replayed, or a native agent, whose results
//! are reported.

use jointly_core::regression::{Belief, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets};
use jointly_core::{Classifier, Dataset, Inputs, Matrix, Model, Task};
use jointly_host::{Description, Failure, Interface, Limits, Setting, Trace};
use jointly_native::NativeAgent;

/// An agent. Cheap to clone.
#[derive(Clone)]
pub enum Agent {
    /// A component in the sandbox.
    Component(Box<jointly_host::Agent>),
    /// A process or a server outside the sandbox.
    Native(NativeAgent),
}

/// Calls a method of an agent, a model or a belief of either tier.
macro_rules! either {
    ($of:expr, $one:ident => $do:expr) => {
        match $of {
            Self::Component($one) => $do,
            Self::Native($one) => $do,
        }
    };
}

impl Agent {
    /// Returns `sha256:` and the digest of the component, or of a native agent's description.
    pub fn digest(&self) -> &str {
        either!(self, agent => agent.digest())
    }

    /// Returns the description that the agent gives of itself.
    pub fn description(&self) -> &Description {
        either!(self, agent => agent.description())
    }

    /// Returns whether the agent supports the interface.
    pub fn supports(&self, interface: Interface) -> bool {
        either!(self, agent => agent.supports(interface))
    }

    /// Returns whether the agent may train in parts as a classifier.
    pub fn trains_in_parts(&self) -> bool {
        match self {
            Self::Component(agent) => agent.trains_in_parts(),
            Self::Native(_) => false,
        }
    }

    /// Returns how a native agent is reached, or `None` for a component.
    pub fn reported(&self) -> Option<String> {
        match self {
            Self::Component(_) => None,
            Self::Native(agent) => Some(agent.source().to_string()),
        }
    }

    /// Returns the largest difference between two answers to one question that the contract allows.
    pub fn tolerance(&self) -> f32 {
        match self {
            Self::Component(_) => 0.0,
            Self::Native(_) => jointly_native::TOLERANCE,
        }
    }

    /// Makes a classifier of the agent with these settings and limits; its progress and log go into `trace`.
    pub fn classifier(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredClassifier {
        match self {
            Self::Component(agent) => ConfiguredClassifier::Component(agent.classifier(settings, limits, trace)),
            Self::Native(agent) => ConfiguredClassifier::Native(agent.classifier(settings, limits, trace)),
        }
    }

    /// Makes a regressor of the agent with these settings and limits; its progress and log go into `trace`.
    pub fn regressor(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredRegressor {
        match self {
            Self::Component(agent) => ConfiguredRegressor::Component(agent.regressor(settings, limits, trace)),
            Self::Native(agent) => ConfiguredRegressor::Native(agent.regressor(settings, limits, trace)),
        }
    }

    /// Trains the agent on no examples and returns its message if it refuses the settings as invalid.
    pub fn refusal(&self, interface: Interface, settings: &[Setting], limits: Limits) -> Option<String> {
        either!(self, agent => agent.refusal(interface, settings, limits))
    }
}

/// An agent with its settings and limits, for problems of classification.
pub enum ConfiguredClassifier {
    /// A component.
    Component(jointly_host::ConfiguredClassifier),
    /// A native agent.
    Native(jointly_native::NativeClassifier),
}

impl ConfiguredClassifier {
    /// Trains all parts together, if the agent has parts.
    #[must_use]
    pub fn whole(self) -> Self {
        match self {
            Self::Component(agent) => Self::Component(agent.whole()),
            Self::Native(agent) => Self::Native(agent),
        }
    }
}

impl Classifier for ConfiguredClassifier {
    type Model = TrainedClassifier;
    type Error = Failure;

    fn train(
        &mut self,
        task: &Task,
        train: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<TrainedClassifier, Failure> {
        Ok(match self {
            Self::Component(agent) => {
                TrainedClassifier::Component(agent.train(task, train, validation, unlabelled, seed)?.into())
            }
            Self::Native(agent) => TrainedClassifier::Native(agent.train(task, train, validation, unlabelled, seed)?),
        })
    }
}

/// A trained classifier.
pub enum TrainedClassifier {
    /// A component in its store.
    Component(Box<jointly_host::TrainedClassifier>),
    /// A native agent behind its connection.
    Native(jointly_native::NativeModel),
}

impl TrainedClassifier {
    /// Returns the units of fuel used so far, or `None` where fuel is not counted.
    pub fn fuel_used(&self) -> Option<u64> {
        match self {
            Self::Component(model) => Some(model.fuel_used()),
            Self::Native(_) => None,
        }
    }

    /// Returns the bytes of the agent's memories, or `None` where they are not counted.
    pub fn memory_used(&self) -> Option<u64> {
        match self {
            Self::Component(model) => Some(model.memory_used()),
            Self::Native(_) => None,
        }
    }
}

impl Model for TrainedClassifier {
    type Error = Failure;

    fn tolerance(&self) -> f32 {
        either!(self, model => model.tolerance())
    }

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        either!(self, model => model.canonical_draws(draws))
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        either!(self, model => model.sample_probs(inputs, draws))
    }
}

/// An agent with its settings and limits, for problems of regression.
pub enum ConfiguredRegressor {
    /// A component.
    Component(jointly_host::ConfiguredRegressor),
    /// A native agent.
    Native(jointly_native::NativeRegressor),
}

impl ConfiguredRegressor {
    /// Returns the units of fuel used by all trainings, or `None` where fuel is not counted.
    pub fn fuel_used(&self) -> Option<u64> {
        match self {
            Self::Component(agent) => Some(agent.fuel_used()),
            Self::Native(_) => None,
        }
    }
}

impl Regressor for ConfiguredRegressor {
    type Belief = TrainedRegressor;
    type Error = Failure;

    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        validation: Option<&Targets>,
        seed: u64,
    ) -> Result<TrainedRegressor, Failure> {
        Ok(match self {
            Self::Component(agent) => TrainedRegressor::Component(agent.train(task, train, validation, seed)?.into()),
            Self::Native(agent) => TrainedRegressor::Native(agent.train(task, train, validation, seed)?),
        })
    }
}

/// A trained regressor.
pub enum TrainedRegressor {
    /// A component in its store.
    Component(Box<jointly_host::TrainedRegressor>),
    /// A native agent behind its connection.
    Native(jointly_native::NativeBelief),
}

impl TrainedRegressor {
    /// Returns the units of fuel used so far, or `None` where fuel is not counted.
    pub fn fuel_used(&self) -> Option<u64> {
        match self {
            Self::Component(belief) => Some(belief.fuel_used()),
            Self::Native(_) => None,
        }
    }
}

impl Belief for TrainedRegressor {
    type Error = Failure;

    fn tolerance(&self) -> f32 {
        either!(self, belief => belief.tolerance())
    }

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        either!(self, belief => belief.canonical_draws(draws))
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        either!(self, belief => belief.sample_functions(inputs, draws))
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        either!(self, belief => belief.gaussian(inputs))
    }

    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        either!(self, belief => belief.intervals(inputs, level))
    }
}

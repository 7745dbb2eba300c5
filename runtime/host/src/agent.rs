//! A loaded agent: a component that speaks one interface or several.

use jointly_core::regression::RegressionTask;
use jointly_core::{MultimodalTask, Task, Tokens};
use wasmtime::component::InstancePre;

use crate::bindings::jointly::agent::types;
use crate::bindings::multimodal::{MultimodalClassifier, MultimodalClassifierPre};
use crate::bindings::regression::{Regressor, RegressorPre};
use crate::bindings::{Classifier, ClassifierPre};
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::printable::clean;
use crate::sandbox::Sandbox;
use crate::{
    ConfiguredAgent, ConfiguredMultimodal, ConfiguredRegressor, Description, Failure, Interface, Limits, Phase,
    Setting, Trace, classifier, multimodal, regressor,
};

/// What an agent may use to say what it is, whatever its limits.
const DESCRIBE_FUEL: u64 = 1_000_000_000;
/// The seed where an agent is asked what is the same under every seed.
const NO_SEED: u64 = 0;

/// An agent, compiled and checked. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    digest: String,
    description: Description,
    pub(crate) component: Component,
}

/// What of the interface a component exports.
#[derive(Clone)]
pub(crate) struct Component {
    pub(crate) classifier: Option<ClassifierPre<Meter>>,
    pub(crate) regressor: Option<RegressorPre<Meter>>,
    pub(crate) multimodal: Option<MultimodalClassifierPre<Meter>>,
}

impl Component {
    fn new(instance: &InstancePre<Meter>, interfaces: &[Interface]) -> wasmtime::Result<Self> {
        let speaks = |interface| interfaces.contains(&interface);
        Ok(Self {
            classifier: speaks(Interface::Classification).then(|| ClassifierPre::new(instance.clone())).transpose()?,
            regressor: speaks(Interface::Regression).then(|| RegressorPre::new(instance.clone())).transpose()?,
            multimodal: speaks(Interface::Multimodal)
                .then(|| MultimodalClassifierPre::new(instance.clone()))
                .transpose()?,
        })
    }

    fn describe(&self, limits: Limits) -> Result<Description, Failure> {
        /// Asks one of the worlds, all of which export the same `info`.
        macro_rules! ask {
            ($world:ty, $component:expr) => {{
                let mut sandbox = Sandbox::<$world>::new($component, limits, Trace::default(), NO_SEED)?;
                sandbox.call(Phase::Load, |world, store| world.jointly_agent_info().call_describe(store))?.into()
            }};
        }
        Ok(match (&self.classifier, &self.regressor, &self.multimodal) {
            (Some(component), _, _) => ask!(Classifier, component),
            (_, Some(component), _) => ask!(Regressor, component),
            (_, _, Some(component)) => ask!(MultimodalClassifier, component),
            (None, None, None) => unreachable!("a component that passed its check speaks an interface"),
        })
    }
}

impl Agent {
    pub(crate) fn new(
        digest: String,
        instance: &InstancePre<Meter>,
        interfaces: &[Interface],
        limits: Limits,
    ) -> Result<Self, LoadError> {
        let component = Component::new(instance, interfaces).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let limits = Limits { fuel: limits.fuel.min(DESCRIBE_FUEL), ..limits };
        let description = component.describe(limits).map_err(LoadError::Describe)?;
        if !description.has_plain_name() {
            return Err(LoadError::Name(description.name.chars().take(40).collect()));
        }
        if let Some(text) = description.unfit_text() {
            return Err(LoadError::Text(text));
        }
        Ok(Self { digest, description, component })
    }

    /// `sha256:` and the digest of the file that it was loaded from.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What the agent says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Whether it learns what the interface is about.
    pub fn speaks(&self, interface: Interface) -> bool {
        match interface {
            Interface::Classification => self.component.classifier.is_some(),
            Interface::Regression => self.component.regressor.is_some(),
            Interface::Multimodal => self.component.multimodal.is_some(),
        }
    }

    /// The agent with settings and limits, as a classifier; what it says goes into `trace`. Where it is none, training fails.
    pub fn with(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredAgent {
        ConfiguredAgent::new(self.clone(), settings, limits, trace)
    }

    /// The same as a regressor.
    pub fn regressor(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredRegressor {
        ConfiguredRegressor::new(self.clone(), settings, limits, trace)
    }

    /// The same as a classifier of inputs of any kind: one that speaks of classification alone takes part where inputs are
    /// numbers.
    pub fn multimodal(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredMultimodal {
        ConfiguredMultimodal::new(self.clone(), settings, limits, trace)
    }

    /// The agent's refusal of settings, if it refuses them as invalid in a training on no examples. Whatever else
    /// happens there is no answer to the question.
    pub fn refusal(&self, interface: Interface, settings: &[Setting], limits: Limits) -> Option<String> {
        let trained = match interface {
            Interface::Classification => {
                let task = Task { input_dim: 1, num_classes: 2, temperature: None, hidden_layers: None };
                let mut sandbox =
                    Sandbox::new(self.component.classifier.as_ref()?, limits, Trace::default(), NO_SEED).ok()?;
                classifier::train(&mut sandbox, &task, None, None, settings, NO_SEED)
            }
            Interface::Regression => {
                let task = RegressionTask { input_dim: 1, noise_std: None };
                let mut sandbox =
                    Sandbox::new(self.component.regressor.as_ref()?, limits, Trace::default(), NO_SEED).ok()?;
                regressor::train(&mut sandbox, &task, None, None, settings, NO_SEED)
            }
            Interface::Multimodal => {
                let task = MultimodalTask { num_classes: 2, numbers: 1, image: None, tokens: Tokens::Absent };
                let mut sandbox =
                    Sandbox::new(self.component.multimodal.as_ref()?, limits, Trace::default(), NO_SEED).ok()?;
                multimodal::train(&mut sandbox, &task, None, None, settings, NO_SEED)
            }
        };
        match trained {
            Ok(Err(types::Failure::InvalidSetting(reason))) => Some(clean(&reason)),
            _ => None,
        }
    }
}

/// What is said where an agent is asked for what it does not speak.
pub(crate) fn unspoken(interface: Interface) -> Failure {
    let message = format!("the agent does not speak {interface}");
    Failure { phase: Phase::Load, kind: crate::Kind::AgentFailure, message }
}

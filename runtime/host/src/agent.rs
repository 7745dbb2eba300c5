//! A loaded agent: a component that exports one interface or several.

use jointly_core::Task;
use jointly_core::regression::RegressionTask;
use wasmtime::component::InstancePre;

use crate::bindings::ClassifierPre;
use crate::bindings::jointly::agent::types;
use crate::bindings::regression::{Regressor, RegressorPre};
use crate::given::Given;
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::sandbox::Sandbox;
use crate::world::Classification;
use crate::{
    ConfiguredClassifier, ConfiguredRegressor, Description, Failure, Interface, Limits, Phase, Setting, Trace,
    regressor,
};
use jointly_core::printable::clean;

/// The units of fuel that an agent may use to describe itself, whatever the limits of a run.
const DESCRIBE_FUEL: u64 = 3_000_000_000;
/// The seed of calls whose answers do not depend on the seed.
const NO_SEED: u64 = 0;

/// An agent, compiled and checked. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    digest: String,
    description: Description,
    component: Component,
    in_parts: bool,
}

/// The worlds of the interface that a component exports.
#[derive(Clone)]
struct Component {
    classifier: Option<ClassifierPre<Meter>>,
    regressor: Option<RegressorPre<Meter>>,
}

impl Component {
    fn new(instance: &InstancePre<Meter>, interfaces: &[Interface]) -> wasmtime::Result<Self> {
        let supports = |interface| interfaces.contains(&interface);
        Ok(Self {
            classifier: supports(Interface::Classification)
                .then(|| ClassifierPre::new(instance.clone()))
                .transpose()?,
            regressor: supports(Interface::Regression).then(|| RegressorPre::new(instance.clone())).transpose()?,
        })
    }

    fn describe(&self, limits: Limits) -> Result<Description, Failure> {
        /// Calls one of the worlds, all of which export the same `info`.
        macro_rules! ask {
            ($world:ty, $component:expr) => {{
                let mut sandbox = Sandbox::<$world>::new($component, limits, Trace::default(), NO_SEED)?;
                sandbox.call(Phase::Load, |world, store| world.jointly_agent_info().call_describe(store))?.into()
            }};
        }
        Ok(match (&self.classifier, &self.regressor) {
            (Some(component), _) => ask!(Classification, component),
            (_, Some(component)) => ask!(Regressor, component),
            (None, None) => unreachable!("a component that passed its check supports an interface"),
        })
    }
}

impl Agent {
    pub(crate) fn new(
        digest: String,
        instance: &InstancePre<Meter>,
        interfaces: &[Interface],
        in_parts: bool,
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
        Ok(Self { digest, description, component, in_parts })
    }

    /// Returns `sha256:` and the digest of the agent's file.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the description that the agent gives of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns whether the agent exports the interface.
    pub fn supports(&self, interface: Interface) -> bool {
        match interface {
            Interface::Classification => self.component.classifier.is_some(),
            Interface::Regression => self.component.regressor.is_some(),
        }
    }

    /// Returns whether the agent may train in parts as a classifier.
    pub fn trains_in_parts(&self) -> bool {
        self.in_parts
    }

    /// Makes a classifier of the agent with these settings and limits; its progress and log go into `trace`. If the
    /// agent does not support classification, training fails.
    pub fn classifier(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredClassifier {
        ConfiguredClassifier::new(self.component.classifier.clone(), &self.description, settings, limits, trace)
    }

    /// Makes a regressor of the agent with these settings and limits; its progress and log go into `trace`. If the
    /// agent does not support regression, training fails.
    pub fn regressor(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredRegressor {
        ConfiguredRegressor::new(self.component.regressor.clone(), settings, limits, trace)
    }

    /// Trains the agent on no examples and returns its message if it refuses the settings as invalid. Any other outcome
    /// says nothing about the settings, and gives `None`.
    pub fn refusal(&self, interface: Interface, settings: &[Setting], limits: Limits) -> Option<String> {
        let trained = match interface {
            Interface::Classification => {
                let task = Task::new(1, 2);
                let mut sandbox =
                    Sandbox::new(self.component.classifier.as_ref()?, limits, Trace::default(), NO_SEED).ok()?;
                Given::new(&task, None, None, None, settings, NO_SEED).train(&mut sandbox)
            }
            Interface::Regression => {
                let task = RegressionTask { input_dim: 1, noise_std: None };
                let mut sandbox =
                    Sandbox::new(self.component.regressor.as_ref()?, limits, Trace::default(), NO_SEED).ok()?;
                regressor::train(&mut sandbox, &task, None, None, settings, NO_SEED)
            }
        };
        match trained {
            Ok(Err(types::Failure::InvalidSetting(reason))) => Some(clean(&reason)),
            _ => None,
        }
    }
}

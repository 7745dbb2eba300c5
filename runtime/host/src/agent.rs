//! A loaded agent, and the same with its settings and limits: a classifier.

use jointly_core::{Classifier, Dataset, Task};
use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::bindings::{Classifier as World, ClassifierPre};
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::trained::{Sandbox, clean, matrix};
use crate::{Description, Failure, Kind, Limits, Phase, Setting, Trace, Trained};

/// What an agent may use to say what it is, whatever its limits.
const DESCRIBE_FUEL: u64 = 1_000_000_000;

/// An agent, compiled and checked. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    digest: String,
    description: Description,
    component: ClassifierPre<Meter>,
}

impl Agent {
    pub(crate) fn new(digest: String, instance: InstancePre<Meter>, limits: Limits) -> Result<Self, LoadError> {
        let component = ClassifierPre::new(instance).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let limits = Limits { fuel: limits.fuel.min(DESCRIBE_FUEL), ..limits };
        let describe = |world: &World, store: &mut Store<Meter>| world.jointly_agent_info().call_describe(store);
        let description = Sandbox::new(&component, limits, Trace::default())
            .and_then(|mut sandbox| sandbox.call(Phase::Load, describe))
            .map_err(LoadError::Describe)?;
        let description = Description::from(description);
        if !description.has_plain_name() {
            return Err(LoadError::Name(description.name.chars().take(40).collect()));
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

    /// The agent with settings and limits; what it says goes into `trace`.
    pub fn with(&self, settings: Vec<Setting>, limits: Limits, trace: Trace) -> ConfiguredAgent {
        ConfiguredAgent { agent: self.clone(), settings, limits, trace }
    }

    /// The agent's refusal of settings, if it refuses them as invalid in a training on no examples. Whatever else
    /// happens there is no answer to the question.
    pub fn refusal(&self, settings: &[Setting], limits: Limits) -> Option<String> {
        let task = Task { input_dim: 1, num_classes: 2, temperature: None, hidden_layers: None };
        let mut sandbox = Sandbox::new(&self.component, limits, Trace::default()).ok()?;
        match sandbox.train(&task, None, None, settings, 0) {
            Ok(Err(types::Failure::InvalidSetting(reason))) => Some(clean(&reason)),
            _ => None,
        }
    }
}

/// An agent as it takes part in a run.
#[derive(Clone)]
pub struct ConfiguredAgent {
    agent: Agent,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl Classifier for ConfiguredAgent {
    type Model = Trained;
    type Error = Failure;

    fn train(
        &mut self,
        task: &Task,
        train: &Dataset,
        validation: Option<&Dataset>,
        seed: u64,
    ) -> Result<Trained, Failure> {
        let mut sandbox = Sandbox::new(&self.agent.component, self.limits, self.trace.clone())?;
        let trained = sandbox.train(task, Some(train), validation, &self.settings, seed)?;
        let model = trained.map_err(|failure| own_word(Phase::Train, failure))?;
        Ok(Trained::new(sandbox, model, task.num_classes, self.limits.fuel))
    }
}

/// An agent's typed failure, as the unit's.
pub(crate) fn own_word(phase: Phase, failure: types::Failure) -> Failure {
    let message = match failure {
        types::Failure::InvalidSetting(reason) => format!("invalid setting: {reason}"),
        types::Failure::Unsupported(reason) => format!("unsupported task: {reason}"),
        types::Failure::Diverged(reason) => format!("diverged: {reason}"),
        types::Failure::Internal(reason) => reason,
    };
    Failure { phase, kind: Kind::AgentFailure, message: clean(&message) }
}

/// The interface's view of a data set.
pub(crate) fn dataset(dataset: &Dataset) -> wit::Dataset<'_> {
    wit::Dataset { inputs: matrix(dataset.inputs()), labels: dataset.labels() }
}

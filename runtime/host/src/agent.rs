//! A loaded agent, and the same with its settings and limits: a classifier.

use jointly_core::{Classifier, Dataset, Task};
use wasmtime::component::InstancePre;

use crate::bindings::ClassifierPre;
use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::trained::{Sandbox, clean, matrix};
use crate::{Description, Failure, Kind, Limits, Phase, Progress, Setting, Trained};

/// What an agent may use to say what it is.
const DESCRIBE: Limits = Limits { fuel: 1_000_000_000, memory: 1 << 28 };
/// What an agent may use to refuse its settings, before any unit is paid for.
const PREFLIGHT: Limits = Limits { fuel: 100_000_000, memory: 1 << 28 };

/// An agent, compiled and checked. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    digest: String,
    description: Description,
    component: ClassifierPre<Meter>,
}

impl Agent {
    pub(crate) fn new(digest: String, instance: InstancePre<Meter>) -> Result<Self, LoadError> {
        let component = ClassifierPre::new(instance).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let mut sandbox = Sandbox::new(&component, DESCRIBE, Progress::default())?;
        let description = sandbox.call(Phase::Load, |world, store| world.jointly_agent_info().call_describe(store))?;
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

    /// The agent with settings, limits, and somewhere to report progress.
    pub fn with(&self, settings: Vec<Setting>, limits: Limits, progress: Progress) -> ConfiguredAgent {
        ConfiguredAgent { agent: self.clone(), settings, limits, progress }
    }

    /// Asks the agent whether it accepts the settings, by a training on nothing that is cut short.
    ///
    /// # Errors
    ///
    /// The agent's refusal.
    pub fn accepts(&self, settings: &[Setting]) -> Result<(), Failure> {
        if settings.is_empty() {
            return Ok(());
        }
        let task = Task { input_dim: 1, num_classes: 2, temperature: None, hidden_layers: None };
        let mut sandbox = Sandbox::new(&self.component, PREFLIGHT, Progress::default())?;
        match sandbox.train(&task, None, None, settings, 0) {
            Ok(Err(types::Failure::InvalidSetting(reason))) => {
                Err(Failure { phase: Phase::Train, kind: Kind::AgentFailure, message: clean(&reason) })
            }
            // Whatever else happens on an empty data set will be told by the run itself.
            _ => Ok(()),
        }
    }
}

/// An agent as it takes part in a run.
#[derive(Clone)]
pub struct ConfiguredAgent {
    agent: Agent,
    settings: Vec<Setting>,
    limits: Limits,
    progress: Progress,
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
        self.progress.set(0.0);
        let mut sandbox = Sandbox::new(&self.agent.component, self.limits, self.progress.clone())?;
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

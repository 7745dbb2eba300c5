//! An agent with settings and limits as a classifier of the runtime, and the trained classifier.

use jointly_core::class_probs::normalized;
use jointly_core::{Classifier, Dataset, Inputs, Model, Task, Tokens};
use wasmtime::component::ResourceAny;

use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::bindings::{Classifier as World, ClassifierPre};
use crate::meter::Meter;
use crate::sandbox::{Sandbox, invalid, matrix, own_word, setting};
use crate::{Description, Failure, Interface, Limits, Phase, Setting, Trace};

/// An agent with its settings and limits, for problems of classification.
#[derive(Clone)]
pub struct ConfiguredClassifier {
    /// The world `classifier`; None if the agent does not support classification.
    component: Option<ClassifierPre<Meter>>,
    /// Whether the agent takes inputs that have tokens.
    tokens: bool,
    /// Whether the agent uses inputs without labels.
    unlabelled: bool,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl ConfiguredClassifier {
    pub(crate) fn new(
        component: Option<ClassifierPre<Meter>>,
        description: &Description,
        settings: Vec<Setting>,
        limits: Limits,
        trace: Trace,
    ) -> Self {
        let &Description { tokens, unlabelled, .. } = description;
        Self { component, tokens, unlabelled, settings, limits, trace }
    }
}

impl Classifier for ConfiguredClassifier {
    type Model = TrainedClassifier;
    type Error = Failure;

    /// Trains the agent in a store of its own. The agent gets `unlabelled` only if its description says that it uses
    /// them.
    ///
    /// # Errors
    /// The agent's failure. An agent that does not support classification, or tokens that the task has, fails before
    /// any of its code runs.
    fn train(
        &mut self,
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<TrainedClassifier, Failure> {
        let component = self.component.as_ref().ok_or_else(|| Failure::no_interface(Interface::Classification))?;
        if task.tokens != Tokens::Absent && !self.tokens {
            return Err(Failure::no_tokens());
        }
        let unlabelled = unlabelled.filter(|_| self.unlabelled);
        let mut sandbox = Sandbox::new(component, self.limits, self.trace.clone(), seed)?;
        let trained = train(&mut sandbox, task, Some(data), validation, unlabelled, &self.settings, seed)?;
        let model = trained.map_err(|failure| own_word(Phase::Train, failure))?;
        Ok(TrainedClassifier { sandbox, model, num_classes: task.num_classes as usize })
    }
}

/// Calls the guest's `train`; None stands for an empty data set.
pub(crate) fn train(
    sandbox: &mut Sandbox<World>,
    task: &Task,
    train: Option<&Dataset>,
    validation: Option<&Dataset>,
    unlabelled: Option<&Inputs>,
    settings: &[Setting],
    seed: u64,
) -> Result<Result<ResourceAny, types::Failure>, Failure> {
    let nothing = wit::Inputs {
        numbers: types::Matrix { rows: 0, cols: task.input_dim, values: &[] },
        tokens: wit::TokenMatrix { rows: 0, cols: task.tokens.columns() as u32, values: &[] },
    };
    let train = train.map_or(wit::Dataset { inputs: nothing, labels: &[] }, dataset);
    let validation = validation.map(dataset);
    let unlabelled = unlabelled.map(inputs);
    let settings: Vec<_> = settings.iter().map(setting).collect();
    let task = wit::Task {
        input_dim: task.input_dim,
        num_classes: task.num_classes,
        image: task.image.map(|shape| wit::Image {
            height: shape.height() as u32,
            width: shape.width() as u32,
            channels: shape.channels() as u32,
        }),
        tokens: match &task.tokens {
            Tokens::Absent => wit::Tokens::Absent,
            &Tokens::Text { vocabulary, length } => wit::Tokens::Text(wit::Text { vocabulary, length }),
            Tokens::Categories(sizes) => wit::Tokens::Categories(sizes),
        },
        temperature: task.temperature,
        hidden_layers: task.hidden_layers,
    };
    sandbox.call(Phase::Train, |world, store| {
        let classification = world.jointly_agent_classification();
        classification.call_train(store, task, train, validation, unlabelled, &settings, seed)
    })
}

/// Converts inputs to the types of the interface.
fn inputs(inputs: &Inputs) -> wit::Inputs<'_> {
    let tokens = inputs.tokens();
    let tokens = wit::TokenMatrix { rows: tokens.rows() as u32, cols: tokens.cols() as u32, values: tokens.values() };
    wit::Inputs { numbers: matrix(inputs.numbers()), tokens }
}

/// Converts a data set to the types of the interface.
fn dataset(dataset: &Dataset) -> wit::Dataset<'_> {
    wit::Dataset { inputs: inputs(dataset.inputs()), labels: dataset.labels() }
}

/// A trained classifier in its store.
pub struct TrainedClassifier {
    sandbox: Sandbox<World>,
    model: ResourceAny,
    num_classes: usize,
}

impl TrainedClassifier {
    /// Returns the units of fuel used so far, by training and all later calls.
    pub fn fuel_used(&self) -> u64 {
        self.sandbox.fuel_used()
    }

    /// Returns the bytes of the agent's memories, which never shrink.
    pub fn memory_used(&self) -> u64 {
        self.sandbox.memory_used()
    }
}

impl Model for TrainedClassifier {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let model = self.model;
        let canonical = self.sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
            world.jointly_agent_classification().model().call_canonical_draws(store, model, draws)
        })?;
        if canonical.len() == draws.len() {
            return Ok(canonical);
        }
        Err(invalid(format!("{} canonical draws for {} draws", canonical.len(), draws.len())))
    }

    fn sample_probs(&mut self, asked: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let (model, rows) = (self.model, asked.rows());
        let bytes = draws.len() * rows * self.num_classes * size_of::<f32>();
        let probs = self
            .sandbox
            .call_for(Phase::Sample, bytes, |world, store| {
                world.jointly_agent_classification().model().call_sample_probs(store, model, inputs(asked), draws)
            })?
            .map_err(|failure| own_word(Phase::Sample, failure))?;
        normalized(probs, draws, rows, self.num_classes).map_err(invalid)
    }
}

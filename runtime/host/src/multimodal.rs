//! An agent with its settings and limits, as the runtime's classifier of inputs of any kind, and what training leaves.

use jointly_core::{
    Classifier as _, Dataset, Inputs, Model as _, MultimodalClassifier, MultimodalDataset, MultimodalModel,
    MultimodalTask, Task, Tokens,
};
use wasmtime::component::ResourceAny;

use crate::agent::unspoken;
use crate::bindings::jointly::agent::types;
use crate::bindings::multimodal::MultimodalClassifier as World;
use crate::bindings::multimodal::exports::jointly::agent::multimodal as wit;
use crate::invalid::defect;
use crate::sandbox::{Sandbox, invalid, matrix, own_word, setting};
use crate::{Agent, Failure, Interface, Kind, Limits, Phase, Setting, Trace, Trained};

/// An agent as it takes part in a run on inputs of any kind.
///
/// One that speaks of `classification` alone is given the numbers, where there are no tokens: what its images are it has to
/// do without.
#[derive(Clone)]
pub struct ConfiguredMultimodal {
    agent: Agent,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl ConfiguredMultimodal {
    pub(crate) fn new(agent: Agent, settings: Vec<Setting>, limits: Limits, trace: Trace) -> Self {
        Self { agent, settings, limits, trace }
    }

    /// Trains one that knows of numbers alone.
    fn train_on_numbers(
        &self,
        task: &MultimodalTask,
        train: &MultimodalDataset,
        validation: Option<&MultimodalDataset>,
        seed: u64,
    ) -> Result<Trained, Failure> {
        if task.tokens != Tokens::Absent {
            let message = format!("inputs have tokens, and the agent does not speak {}", Interface::Multimodal);
            return Err(Failure { phase: Phase::Load, kind: Kind::AgentFailure, message });
        }
        let numbers = |data: &MultimodalDataset| {
            Dataset::new(data.inputs().numbers().clone(), data.labels().to_vec(), task.num_classes)
                .expect("what is a dataset of numbers and tokens is one of numbers")
        };
        let task =
            Task { input_dim: task.numbers, num_classes: task.num_classes, temperature: None, hidden_layers: None };
        let mut agent = self.agent.with(self.settings.clone(), self.limits, self.trace.clone());
        agent.train(&task, &numbers(train), validation.map(numbers).as_ref(), seed)
    }
}

impl MultimodalClassifier for ConfiguredMultimodal {
    type Model = TrainedMultimodal;
    type Error = Failure;

    fn train(
        &mut self,
        task: &MultimodalTask,
        data: &MultimodalDataset,
        validation: Option<&MultimodalDataset>,
        seed: u64,
    ) -> Result<TrainedMultimodal, Failure> {
        let Some(component) = &self.agent.component.multimodal else {
            if !self.agent.speaks(Interface::Classification) {
                return Err(unspoken(Interface::Multimodal));
            }
            let trained = self.train_on_numbers(task, data, validation, seed)?;
            return Ok(TrainedMultimodal(Speech::Numbers(trained)));
        };
        let mut sandbox = Sandbox::new(component, self.limits, self.trace.clone(), seed)?;
        let trained = train(&mut sandbox, task, Some(data), validation, &self.settings, seed)?;
        let model = trained.map_err(|failure| own_word(Phase::Train, failure))?;
        Ok(TrainedMultimodal(Speech::Multimodal { sandbox, model, num_classes: task.num_classes as usize }))
    }
}

/// Calls the guest's `train`; no data stands for a set of no rows.
pub(crate) fn train(
    sandbox: &mut Sandbox<World>,
    task: &MultimodalTask,
    train: Option<&MultimodalDataset>,
    validation: Option<&MultimodalDataset>,
    settings: &[Setting],
    seed: u64,
) -> Result<Result<ResourceAny, types::Failure>, Failure> {
    let none = wit::Inputs {
        numbers: types::Matrix { rows: 0, cols: task.numbers, values: &[] },
        tokens: wit::TokenMatrix { rows: 0, cols: task.tokens.columns() as u32, values: &[] },
    };
    let train = train.map_or(wit::Dataset { inputs: none, labels: &[] }, dataset);
    let validation = validation.map(dataset);
    let settings: Vec<_> = settings.iter().map(setting).collect();
    let task = wit::Task {
        num_classes: task.num_classes,
        numbers: task.numbers,
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
    };
    sandbox.call(Phase::Train, |world, store| {
        world.jointly_agent_multimodal().call_train(store, task, train, validation, &settings, seed)
    })
}

/// The interface's view of inputs.
fn inputs(inputs: &Inputs) -> wit::Inputs<'_> {
    let tokens = inputs.tokens();
    let tokens = wit::TokenMatrix { rows: tokens.rows() as u32, cols: tokens.cols() as u32, values: tokens.values() };
    wit::Inputs { numbers: matrix(inputs.numbers()), tokens }
}

/// The interface's view of a data set.
fn dataset(dataset: &MultimodalDataset) -> wit::Dataset<'_> {
    wit::Dataset { inputs: inputs(dataset.inputs()), labels: dataset.labels() }
}

/// A trained agent, alive in its store.
pub struct TrainedMultimodal(Speech);

/// What it is asked by.
enum Speech {
    Multimodal { sandbox: Sandbox<World>, model: ResourceAny, num_classes: usize },
    Numbers(Trained),
}

impl TrainedMultimodal {
    /// Fuel used so far: by training and by every call since.
    pub fn fuel_used(&self) -> u64 {
        match &self.0 {
            Speech::Multimodal { sandbox, .. } => sandbox.fuel_used(),
            Speech::Numbers(trained) => trained.fuel_used(),
        }
    }

    /// Bytes of the agent's memories, which never shrink.
    pub fn memory_used(&self) -> u64 {
        match &self.0 {
            Speech::Multimodal { sandbox, .. } => sandbox.memory_used(),
            Speech::Numbers(trained) => trained.memory_used(),
        }
    }
}

impl MultimodalModel for TrainedMultimodal {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let (sandbox, model) = match &mut self.0 {
            Speech::Multimodal { sandbox, model, .. } => (sandbox, *model),
            Speech::Numbers(trained) => return trained.canonical_draws(draws),
        };
        let canonical = sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
            world.jointly_agent_multimodal().model().call_canonical_draws(store, model, draws)
        })?;
        if canonical.len() == draws.len() {
            return Ok(canonical);
        }
        Err(invalid(format!("{} canonical draws for {} draws", canonical.len(), draws.len())))
    }

    fn sample_probs(&mut self, asked: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let (sandbox, model, num_classes) = match &mut self.0 {
            Speech::Multimodal { sandbox, model, num_classes } => (sandbox, *model, *num_classes),
            Speech::Numbers(trained) => return trained.sample_probs(asked.numbers(), draws),
        };
        let bytes = draws.len() * asked.rows() * num_classes * size_of::<f32>();
        let probs = sandbox
            .call_for(Phase::Sample, bytes, |world, store| {
                world.jointly_agent_multimodal().model().call_sample_probs(store, model, inputs(asked), draws)
            })?
            .map_err(|failure| own_word(Phase::Sample, failure))?;
        match defect(&probs, draws, asked.rows(), num_classes) {
            None => Ok(probs),
            Some(what) => Err(invalid(what)),
        }
    }
}

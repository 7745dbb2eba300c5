//! An agent with its settings and limits, as the runtime's classifier.

use jointly_core::{Classifier, Dataset, Task};
use wasmtime::component::ResourceAny;

use crate::agent::unspoken;
use crate::bindings::Classifier as World;
use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::sandbox::{Sandbox, matrix, own_word, setting};
use crate::{Agent, Failure, Interface, Limits, Phase, Setting, Trace, Trained};

/// An agent as it takes part in a run.
#[derive(Clone)]
pub struct ConfiguredAgent {
    agent: Agent,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl ConfiguredAgent {
    pub(crate) fn new(agent: Agent, settings: Vec<Setting>, limits: Limits, trace: Trace) -> Self {
        Self { agent, settings, limits, trace }
    }
}

impl Classifier for ConfiguredAgent {
    type Model = Trained;
    type Error = Failure;

    fn train(
        &mut self,
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
        seed: u64,
    ) -> Result<Trained, Failure> {
        let component = self.agent.component.classifier.as_ref();
        let component = component.ok_or_else(|| unspoken(Interface::Classification))?;
        let mut sandbox = Sandbox::new(component, self.limits, self.trace.clone(), seed)?;
        let trained = train(&mut sandbox, task, Some(data), validation, &self.settings, seed)?;
        let model = trained.map_err(|failure| own_word(Phase::Train, failure))?;
        Ok(Trained::new(sandbox, model, task.num_classes))
    }
}

/// Calls the guest's `train`; no data stands for a set of no rows.
pub(crate) fn train(
    sandbox: &mut Sandbox<World>,
    task: &Task,
    train: Option<&Dataset>,
    validation: Option<&Dataset>,
    settings: &[Setting],
    seed: u64,
) -> Result<Result<ResourceAny, types::Failure>, Failure> {
    let nothing = wit::Dataset { inputs: types::Matrix { rows: 0, cols: task.input_dim, values: &[] }, labels: &[] };
    let train = train.map_or(nothing, dataset);
    let validation = validation.map(dataset);
    let settings: Vec<_> = settings.iter().map(setting).collect();
    let task = wit::Task {
        input_dim: task.input_dim,
        num_classes: task.num_classes,
        temperature: task.temperature,
        hidden_layers: task.hidden_layers,
    };
    sandbox.call(Phase::Train, |world, store| {
        world.jointly_agent_classification().call_train(store, task, train, validation, &settings, seed)
    })
}

/// The interface's view of a data set.
fn dataset(dataset: &Dataset) -> wit::Dataset<'_> {
    wit::Dataset { inputs: matrix(dataset.inputs()), labels: dataset.labels() }
}

//! A guest in its store: the one place that calls it and classifies how a call ends.

use jointly_core::{Dataset, Matrix, Model, Task};
use wasmtime::component::ResourceAny;
use wasmtime::{Store, Trap};

use crate::agent::{dataset, own_word};
use crate::bindings::exports::jointly::agent::classification as wit;
use crate::bindings::jointly::agent::types;
use crate::bindings::{Classifier as World, ClassifierPre};
use crate::invalid::defect;
use crate::load_error::one_line;
use crate::meter::Meter;
use crate::{Failure, Kind, Limits, Phase, Setting, Trace};

/// Bytes that an answer may have beyond what was asked for: room for texts.
const SLACK_BYTES: usize = 1 << 20;
/// The longest message of an agent that is kept.
const MESSAGE_CHARS: usize = 500;

/// A store with an instance of an agent in it.
pub(crate) struct Sandbox {
    store: Store<Meter>,
    world: World,
}

impl Sandbox {
    pub(crate) fn new(component: &ClassifierPre<Meter>, limits: Limits, trace: Trace) -> Result<Self, Failure> {
        let mut store = Store::new(component.engine(), Meter::new(limits, trace));
        store.limiter(|meter| meter);
        store.set_fuel(limits.fuel).map_err(|error| classify(&store, Phase::Load, &error))?;
        match component.instantiate(&mut store) {
            Ok(world) => Ok(Self { store, world }),
            Err(error) => Err(classify(&store, Phase::Load, &error)),
        }
    }

    /// Calls the guest; whatever goes wrong becomes a failure of the phase.
    pub(crate) fn call<T>(
        &mut self,
        phase: Phase,
        call: impl FnOnce(&World, &mut Store<Meter>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        self.call_for(phase, 0, call)
    }

    /// The same, where an answer of so many bytes is due.
    fn call_for<T>(
        &mut self,
        phase: Phase,
        bytes: usize,
        call: impl FnOnce(&World, &mut Store<Meter>) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        self.store.set_hostcall_fuel(bytes + SLACK_BYTES);
        call(&self.world, &mut self.store).map_err(|error| classify(&self.store, phase, &error))
    }

    pub(crate) fn train(
        &mut self,
        task: &Task,
        train: Option<&Dataset>,
        validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Result<ResourceAny, types::Failure>, Failure> {
        let nothing =
            wit::Dataset { inputs: types::Matrix { rows: 0, cols: task.input_dim, values: &[] }, labels: &[] };
        let train = train.map_or(nothing, dataset);
        let validation = validation.map(dataset);
        let settings: Vec<_> =
            settings.iter().map(|setting| types::SettingParam { name: &setting.name, value: &setting.value }).collect();
        let task = wit::Task {
            input_dim: task.input_dim,
            num_classes: task.num_classes,
            temperature: task.temperature,
            hidden_layers: task.hidden_layers,
        };
        self.call(Phase::Train, |world, store| {
            world.jointly_agent_classification().call_train(store, task, train, validation, &settings, seed)
        })
    }
}

/// A trained agent, alive in its store.
pub struct Trained {
    sandbox: Sandbox,
    model: ResourceAny,
    num_classes: usize,
    fuel: u64,
}

impl Trained {
    pub(crate) fn new(sandbox: Sandbox, model: ResourceAny, num_classes: u32, fuel: u64) -> Self {
        Self { sandbox, model, num_classes: num_classes as usize, fuel }
    }

    /// Fuel used so far: by training and by every call since.
    pub fn fuel_used(&self) -> u64 {
        self.fuel - self.sandbox.store.get_fuel().unwrap_or(0)
    }
}

impl Model for Trained {
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

    fn sample_probs(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let (model, rows) = (self.model, inputs.rows());
        let bytes = draws.len() * rows * self.num_classes * size_of::<f32>();
        let probs = self
            .sandbox
            .call_for(Phase::Sample, bytes, |world, store| {
                let inputs = matrix(inputs);
                world.jointly_agent_classification().model().call_sample_probs(store, model, inputs, draws)
            })?
            .map_err(|failure| own_word(Phase::Sample, failure))?;
        match defect(&probs, draws, rows, self.num_classes) {
            None => Ok(probs),
            Some(what) => Err(invalid(what)),
        }
    }
}

/// The interface's view of a matrix.
pub(crate) fn matrix(matrix: &Matrix) -> types::Matrix<'_> {
    types::Matrix { rows: matrix.rows() as u32, cols: matrix.cols() as u32, values: matrix.values() }
}

fn invalid(message: String) -> Failure {
    Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message }
}

/// How a call ended, from the engine's error and what the store saw before it.
fn classify(store: &Store<Meter>, phase: Phase, error: &wasmtime::Error) -> Failure {
    let meter = store.data();
    let (kind, message) = match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => (Kind::OutOfFuel, "used up its fuel; --fuel sets the limit".to_owned()),
        _ if meter.host_is_short => (Kind::Host, one_line(error)),
        None if meter.refused() && phase == Phase::Load => {
            (Kind::Refused, "wants more memory to start with than it may have; --memory sets the limit".to_owned())
        }
        _ if meter.refused() => {
            (Kind::OutOfMemory, "gave up after being refused memory; --memory sets the limit".to_owned())
        }
        Some(trap) => {
            let last = meter.trace.last_line().map(|last| format!("; its log ends: {last}")).unwrap_or_default();
            (Kind::Trapped, format!("{trap}{last}"))
        }
        // Nothing of the guest has run or answered yet: what fails is the machine.
        None if phase == Phase::Load => (Kind::Host, one_line(error)),
        None => (Kind::InvalidOutput, one_line(error)),
    };
    Failure { phase, kind, message: clean(&message) }
}

/// One printable line of bounded length: messages quote what a guest wrote.
pub(crate) fn clean(message: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    message.chars().map(printable).take(MESSAGE_CHARS).collect()
}

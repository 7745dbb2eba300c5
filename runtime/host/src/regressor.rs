//! An agent with settings and limits as a regressor of the runtime, and the trained regressor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jointly_core::Matrix;
use jointly_core::regression::{
    AnswerError, Belief, Bounds, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets,
};
use wasmtime::component::ResourceAny;

use crate::bindings::jointly::agent::types;
use crate::bindings::regression::exports::jointly::agent::regression as wit;
use crate::bindings::regression::{Regressor as World, RegressorPre};
use crate::meter::Meter;
use crate::sandbox::{Sandbox, invalid, matrix, own_word, setting};
use crate::{Failure, Interface, Limits, Phase, Setting, Trace};

/// An agent with its settings and limits, for problems of regression.
///
/// A problem may train it many times; all trainings share one limit of fuel.
pub struct ConfiguredRegressor {
    /// The world `regressor`; None if the agent does not support regression.
    component: Option<RegressorPre<Meter>>,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
    spent: Arc<AtomicU64>,
}

impl ConfiguredRegressor {
    pub(crate) fn new(
        component: Option<RegressorPre<Meter>>,
        settings: Vec<Setting>,
        limits: Limits,
        trace: Trace,
    ) -> Self {
        Self { component, settings, limits, trace, spent: Arc::default() }
    }

    /// Returns the units of fuel used by all trainings, and by trained agents that have been dropped.
    pub fn fuel_used(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }
}

impl Regressor for ConfiguredRegressor {
    type Belief = TrainedRegressor;
    type Error = Failure;

    fn train(
        &mut self,
        task: &RegressionTask,
        data: &Targets,
        validation: Option<&Targets>,
        seed: u64,
    ) -> Result<TrainedRegressor, Failure> {
        let component = self.component.as_ref().ok_or_else(|| Failure::no_interface(Interface::Regression))?;
        let limits = Limits { fuel: self.limits.fuel.saturating_sub(self.fuel_used()), ..self.limits };
        let mut sandbox =
            Metered { sandbox: Sandbox::new(component, limits, self.trace.clone(), seed)?, spent: self.spent.clone() };
        let trained = train(&mut sandbox.sandbox, task, Some(data), validation, &self.settings, seed)?;
        let model = trained.map_err(|failure| own_word(Phase::Train, failure))?;
        Ok(TrainedRegressor { metered: sandbox, model })
    }
}

/// A sandbox that adds the fuel it used to a total when it is dropped.
struct Metered {
    sandbox: Sandbox<World>,
    spent: Arc<AtomicU64>,
}

impl Drop for Metered {
    fn drop(&mut self) {
        self.spent.fetch_add(self.sandbox.fuel_used(), Ordering::Relaxed);
    }
}

/// Calls the guest's `train`; None stands for an empty data set.
pub(crate) fn train(
    sandbox: &mut Sandbox<World>,
    task: &RegressionTask,
    train: Option<&Targets>,
    validation: Option<&Targets>,
    settings: &[Setting],
    seed: u64,
) -> Result<Result<ResourceAny, types::Failure>, Failure> {
    let nothing = wit::Dataset { inputs: types::Matrix { rows: 0, cols: task.input_dim, values: &[] }, targets: &[] };
    let train = train.map_or(nothing, dataset);
    let validation = validation.map(dataset);
    let settings: Vec<_> = settings.iter().map(setting).collect();
    let task = wit::Task { input_dim: task.input_dim, noise_std: task.noise_std };
    sandbox.call(Phase::Train, |world, store| {
        world.jointly_agent_regression().call_train(store, task, train, validation, &settings, seed)
    })
}

/// Converts training examples to the types of the interface.
fn dataset(targets: &Targets) -> wit::Dataset<'_> {
    wit::Dataset { inputs: matrix(targets.inputs()), targets: targets.targets() }
}

/// A trained agent in its store: a posterior distribution over functions and noise.
pub struct TrainedRegressor {
    metered: Metered,
    model: ResourceAny,
}

impl TrainedRegressor {
    /// Returns the units of fuel used so far, by training and all later calls.
    pub fn fuel_used(&self) -> u64 {
        self.metered.sandbox.fuel_used()
    }
}

impl Belief for TrainedRegressor {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let model = self.model;
        let canonical = self.metered.sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
            world.jointly_agent_regression().model().call_canonical_draws(store, model, draws)
        })?;
        if canonical.len() == draws.len() {
            return Ok(canonical);
        }
        Err(invalid(format!("{} canonical draws for {} draws", canonical.len(), draws.len())))
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let (model, rows) = (self.model, inputs.rows());
        let bytes = 2 * draws.len() * rows * size_of::<f32>();
        let samples = self.metered.sandbox.call_for(Phase::Sample, bytes, |world, store| {
            world.jointly_agent_regression().model().call_sample_functions(store, model, matrix(inputs), draws)
        })?;
        let samples = samples.map_err(|failure| own_word(Phase::Sample, failure))?;
        checked(FunctionSamples::new(rows, draws.len(), samples.means, samples.noise_stds))
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        let (model, rows) = (self.model, inputs.rows());
        let bytes = rows * (rows + 2) * size_of::<f64>();
        let moments = self.metered.sandbox.call_for(Phase::Sample, bytes, |world, store| {
            world.jointly_agent_regression().model().call_gaussian(store, model, matrix(inputs))
        })?;
        let moments = moments.map_err(|failure| own_word(Phase::Sample, failure))?;
        let check = |wit::Gaussian { mean, covariance, noise_variance }| {
            checked(Gaussian::new(rows, mean, covariance, noise_variance))
        };
        moments.map(check).transpose()
    }

    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        let (model, rows) = (self.model, inputs.rows());
        let bytes = 4 * rows * size_of::<f64>();
        let intervals = self.metered.sandbox.call_for(Phase::Sample, bytes, |world, store| {
            world.jointly_agent_regression().model().call_intervals(store, model, matrix(inputs), level)
        })?;
        let intervals = intervals.map_err(|failure| own_word(Phase::Sample, failure))?;
        let bounds = |bounds: wit::Bounds| {
            let bounds = checked(Bounds::new(bounds.lower, bounds.upper))?;
            if bounds.rows() == rows {
                return Ok(bounds);
            }
            Err(invalid(format!("intervals at {} rows, expected {rows}", bounds.rows())))
        };
        let check = |intervals: wit::Intervals| {
            let confidence = intervals.confidence.map(bounds).transpose()?;
            Ok(Intervals { confidence, prediction: bounds(intervals.prediction)? })
        };
        intervals.map(check).transpose()
    }
}

fn checked<T>(answer: Result<T, AnswerError>) -> Result<T, Failure> {
    answer.map_err(|error| invalid(error.to_string()))
}

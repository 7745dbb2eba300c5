//! Measures a class: the shortest of several times of the thread, over the fuel that ended it.

use jointly_core::{Classifier as _, Dataset, Inputs, Matrix, Model as _, Task};
use jointly_engine::stopwatch::Stopwatch;
use jointly_host::{Agent, Kind, Limits, Runtime, Trace};

use crate::guest::Class;

/// The shortest loop that is measured, in seconds.
const SHORTEST: f64 = 0.02;
/// The fuel of the first attempt; each is ten times the one before, until it takes long enough.
const FIRST: u64 = 100_000;
const REPETITIONS: usize = 4;
/// Enough fuel for what a class prepares.
const PREPARATION: u64 = 1 << 40;

/// Returns the nanoseconds that a unit of fuel takes in the loop of a class.
pub(crate) fn nanoseconds_a_unit(runtime: &Runtime, class: &Class) -> Result<f64, String> {
    let limits = Limits { fuel: PREPARATION, memory: 1 << 30, ..Limits::default() };
    let agent = runtime.load(&class.module()?, limits).map_err(|error| error.to_string())?;
    let prepared = prepared(&agent)?;
    let mut fuel = FIRST;
    loop {
        let seconds = seconds(&agent, prepared, fuel)?;
        if seconds >= SHORTEST {
            let again = (1..REPETITIONS).map(|_| self::seconds(&agent, prepared, fuel));
            let best = again.collect::<Result<Vec<_>, _>>()?.into_iter().fold(seconds, f64::min);
            return Ok(best * 1e9 / fuel as f64);
        }
        let missing = (2.0 * SHORTEST / seconds.max(1e-6)).clamp(2.0, 10.0);
        fuel = (fuel as f64 * missing) as u64;
    }
}

/// Returns the fuel that is used before the loop.
fn prepared(agent: &Agent) -> Result<u64, String> {
    trained(agent, PREPARATION).map(|model| model.fuel_used())
}

/// Returns the seconds in which the loop uses up its fuel.
fn seconds(agent: &Agent, prepared: u64, fuel: u64) -> Result<f64, String> {
    let mut model = trained(agent, prepared + fuel)?;
    let inputs = Inputs::from(Matrix::from_rows(1, Vec::new()));
    let mut stopwatch = Stopwatch::start();
    let ended = model.sample_probs(&inputs, &[]);
    let seconds = stopwatch.lap();
    match ended {
        Err(failure) if failure.kind == Kind::OutOfFuel => Ok(seconds),
        Err(failure) => Err(failure.to_string()),
        Ok(_) => Err("the loop came to an end".to_owned()),
    }
}

fn trained(agent: &Agent, fuel: u64) -> Result<jointly_host::TrainedClassifier, String> {
    let limits = Limits { fuel, memory: 1 << 30, ..Limits::default() };
    let mut classifier = agent.classifier(Vec::new(), limits, Trace::default());
    let task = Task::new(1, 2);
    let nothing =
        Dataset::new(&task, Matrix::from_rows(1, Vec::new()), Vec::new()).map_err(|error| error.to_string())?;
    classifier.train(&task, &nothing, None, None, 0).map_err(|failure| failure.to_string())
}

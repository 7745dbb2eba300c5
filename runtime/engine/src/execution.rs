//! Carries out units on several threads, each unit on its own and in no order that a score depends on.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use jointly_classification::shift::{Cost, ShiftProblem, ShiftScores, evaluate_shift};
use jointly_classification::{EvaluateError, Problem, evaluate};
use jointly_core::{Classifier, MultimodalClassifier, agent_seed, digest};
use jointly_host::{Failure, Kind, Phase, Trace};
use jointly_record::format::Format;
use jointly_record::unit::{Outcome, Unit, UnitResult};
use jointly_regression::{FitError, RegressionProblem, RegressionResult};

use crate::activity::{Activity, Watcher};
use crate::workload::{Contestant, Problems, Workload};
use crate::{oracle, schedule};

/// The stack of a thread: a guest's, the engine's own and ours.
const STACK_BYTES: usize = 8 << 20;
/// How often the display shows what runs.
const REFRESH: Duration = Duration::from_millis(200);

/// The number of threads: what was asked for, else one a core.
pub fn jobs(asked: Option<NonZero<usize>>) -> usize {
    asked.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// A unit's result, and what of it goes into a file of its own.
pub struct Finished {
    /// The result.
    pub result: UnitResult,
    /// The predictions that other agents are scored against, where the problem is one of correlations.
    pub belief: Option<Belief>,
}

/// An agent's predictions at a problem's test inputs.
pub struct Belief {
    /// The digest that the result names.
    pub digest: String,
    /// The bytes with that digest.
    pub bytes: Vec<u8>,
}

/// The plan's units that have no result yet, in the order in which they are run: problem by problem, so that all agents get
/// on together.
pub fn pending(workload: &Workload, results: &[UnitResult]) -> Vec<Unit> {
    let done: std::collections::HashSet<(&str, &str)> =
        results.iter().map(|result| (result.agent.as_str(), result.problem.as_str())).collect();
    let plan = &workload.plan;
    let units = schedule::order(plan)
        .into_iter()
        .flat_map(|problem| (0..plan.agents.len()).map(move |agent| Unit { agent, problem }))
        .filter(|unit| {
            let key = (plan.agents[unit.agent].label.as_str(), plan.problems[unit.problem].problem.as_str());
            !done.contains(&key)
        });
    units.collect()
}

/// Runs the units on `jobs` threads and hands each result to `record` as it comes.
///
/// # Errors
/// With the first error of `record`, of which the watcher hears at once; when those units that still run have ended.
pub fn execute(
    workload: &Workload,
    units: &[Unit],
    jobs: usize,
    watcher: &dyn Watcher,
    mut record: impl FnMut(Finished) -> Result<()>,
) -> Result<()> {
    let work = |unit: Unit, activity: &Activity| carry_out(workload, unit, activity);
    on_threads(units, jobs, watcher, work, |finished| {
        let result = &finished.result;
        recordable(result)?;
        let failure = match &result.outcome {
            Outcome::Scored { .. } | Outcome::Regression { .. } | Outcome::Shift { .. } => None,
            Outcome::Failed(failure) => Some(failure),
        };
        watcher.finished(&result.agent, &result.problem, result.seconds.unwrap_or_default(), failure);
        record(finished)
    })
}

/// Does that with each of the units, in their order on `jobs` threads, and hands what comes of it to `record`.
///
/// # Errors
/// As [`execute`].
pub fn on_threads<T: Send>(
    units: &[Unit],
    jobs: usize,
    watcher: &dyn Watcher,
    work: impl Fn(Unit, &Activity) -> T + Sync,
    mut record: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let activities: Vec<Activity> = (0..jobs.min(units.len())).map(|_| Activity::default()).collect();
    thread::scope(|scope| {
        let (results, finished) = mpsc::channel();
        for activity in &activities {
            let (results, next, stop, work) = (results.clone(), &next, &stop, &work);
            let work = move || {
                while !stop.load(Ordering::Relaxed)
                    && let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if results.send(work(*unit, activity)).is_err() {
                        break;
                    }
                }
            };
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, work)
                .context("failed to start a thread")?;
        }
        drop(results);
        let mut outcome = Ok(());
        loop {
            match finished.recv_timeout(REFRESH) {
                Ok(finished) => {
                    if outcome.is_ok()
                        && let Err(error) = record(finished)
                    {
                        stop.store(true, Ordering::Relaxed);
                        watcher.stopped(&error);
                        outcome = Err(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => watcher.running(&activities),
                Err(RecvTimeoutError::Disconnected) => return outcome,
            }
        }
    })
}

/// Does `work` on a thread whose stack is large enough for guests: where they run one after the other.
///
/// # Errors
/// With the error of the work, or when no thread can be started.
pub fn with_room<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        // A panic ends the process, so that there is nothing else to hear of.
        thread.context("failed to start a thread")?.join().unwrap_or_else(|_| bail!("a thread ended in a panic"))
    })
}

/// Carries out one unit, on a thread whose stack is large enough for a guest.
pub fn carry_out(workload: &Workload, unit: Unit, activity: &Activity) -> Finished {
    let planned = &workload.plan.agents[unit.agent];
    let problem = &workload.plan.problems[unit.problem].problem;
    let start = Instant::now();
    let trace = Trace::default();
    activity.begin(&planned.label, problem, trace.clone());
    let mut report = |fraction| activity.sampling(fraction);
    let scored = match &workload.problems {
        Problems::Classification(problems) => {
            classify(workload, &problems[unit.problem], unit.agent, trace.clone(), &mut report).map(|it| (it, None))
        }
        Problems::Regression(problems) => regress(workload, &problems[unit.problem], unit.agent, &trace, &mut report),
        Problems::Shift(problems) => {
            shift(workload, &problems[unit.problem], unit.agent, trace.clone(), &mut report).map(|it| (it, None))
        }
    };
    activity.end();
    let (outcome, belief) = scored.unwrap_or_else(|failure| (Outcome::Failed(failure), None));
    let result = UnitResult {
        format: Format,
        agent: planned.label.clone(),
        problem: problem.clone(),
        seconds: Some(start.elapsed().as_secs_f64()),
        outcome,
        log: log_lines(&trace),
    };
    Finished { result: result.cleaned(), belief }
}

fn classify(
    Workload { plan, agents, .. }: &Workload,
    problem: &Problem,
    agent: usize,
    trace: Trace,
    report: &mut dyn FnMut(f64),
) -> std::result::Result<Outcome, Failure> {
    let evaluation = plan.evaluation().expect("a plan of classification");
    let instance = problem.instance(plan.seed);
    let seed = agent_seed(plan.seed, problem.stream_name());
    let (scores, fuel, diagnosis) = match &agents[agent] {
        Contestant::Agent(contestant) => {
            let mut agent = contestant.with(plan.agents[agent].settings.to_list(), plan.limits, trace);
            let mut model = agent.train(&problem.task(), instance.train(), instance.validation(), seed)?;
            let scores = evaluate(&mut model, problem, &instance, evaluation, plan.seed, report);
            (scores, Some(model.fuel_used()), None)
        }
        Contestant::Oracle(sampling) => {
            let mut posterior = oracle::posterior(sampling, problem, &instance, seed, &trace)?;
            // It does not fail; only an answer that changes could go wrong with it.
            let scores = match evaluate(&mut posterior, problem, &instance, evaluation, plan.seed, report) {
                Ok(scores) => Ok(scores),
                Err(EvaluateError::Inconsistent(message)) => Err(EvaluateError::Inconsistent(message)),
            };
            (scores, None, Some(oracle::diagnosis(&posterior)))
        }
    };
    match scores {
        Ok(scores) => Ok(Outcome::Scored { scores, fuel, diagnosis }),
        Err(error) => Err(unscored(error)),
    }
}

/// The failure that is recorded for an agent that has no scores.
pub fn unscored(error: EvaluateError<Failure>) -> Failure {
    match error {
        EvaluateError::Agent(failure) => failure,
        EvaluateError::Inconsistent(message) => Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message },
    }
}

fn shift(
    Workload { plan, agents, .. }: &Workload,
    problem: &ShiftProblem,
    agent: usize,
    trace: Trace,
    report: &mut dyn FnMut(f64),
) -> std::result::Result<Outcome, Failure> {
    let options = plan.shift().expect("a plan of dataset shift");
    let Contestant::Agent(contestant) = &agents[agent] else { panic!("an agent of a plan of dataset shift") };
    let instance = problem.instance(plan.seed);
    let seed = agent_seed(plan.seed, problem.stream_name());
    let mut agent = contestant.multimodal(plan.agents[agent].settings.to_list(), plan.limits, trace);
    let mut model = agent.train(&problem.task(), &instance.train, Some(&instance.validation), seed)?;
    let training = model.fuel_used();
    let scores = evaluate_shift(&mut model, problem, &instance, options, plan.seed, report).map_err(unscored)?;
    let fuel = model.fuel_used();
    let cost = Cost { training, prediction: fuel - training, bytes: model.memory_used() };
    Ok(Outcome::Shift { scores: Box::new(ShiftScores { cost: Some(cost), ..scores }), fuel })
}

/// The fuel is that of the agent, and of the one that predicts where that is another.
fn regress(
    workload: &Workload,
    problem: &RegressionProblem,
    agent: usize,
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> std::result::Result<(Outcome, Option<Belief>), Failure> {
    let plan = &workload.plan;
    let terms = plan.regression().expect("a plan of regression");
    let Contestant::Agent(contestant) = &workload.agents[agent] else { panic!("an agent of a plan of regression") };
    let mut agent = contestant.regressor(plan.agents[agent].settings.to_list(), plan.limits, trace.clone());
    let mut predictor = workload
        .predictor
        .as_ref()
        .zip(plan.predictor())
        .map(|(predictor, planned)| predictor.regressor(planned.settings.to_list(), plan.limits, trace.clone()));
    let result = problem.run(&mut agent, predictor.as_mut(), plan.seed, &terms.options, report);
    let fuel = agent.fuel_used() + predictor.map_or(0, |predictor| predictor.fuel_used());
    match result {
        Ok(RegressionResult { scores, belief }) => {
            let belief = belief.map(|bytes| Belief { digest: digest(&bytes), bytes });
            Ok((Outcome::Regression { scores: Box::new(scores), fuel }, belief))
        }
        Err(FitError::Predictor(error)) => {
            let label = plan.predictor().map_or("the agent", |predictor| predictor.label.as_str());
            let failure = failure_of(*error);
            Err(Failure { message: format!("{label}, which predicts: {}", failure.message), ..failure })
        }
        Err(error) => Err(failure_of(error)),
    }
}

fn failure_of(error: FitError<Failure>) -> Failure {
    match error {
        FitError::Agent(failure) => failure,
        // No agent can help that: it is not recorded as one's failure.
        FitError::Oracle(_) | FitError::Data(_) => {
            Failure { phase: Phase::Load, kind: Kind::Host, message: error.to_string() }
        }
        FitError::Inconsistent(_) | FitError::Moments(_) | FitError::Predictor(_) => {
            Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message: error.to_string() }
        }
    }
}

/// A machine that is short of memory, or data that cannot be used, say nothing of the agent: the unit is not recorded.
///
/// # Errors
/// When the unit failed for a reason that is not the agent's.
pub fn recordable(result: &UnitResult) -> Result<()> {
    match &result.outcome {
        Outcome::Failed(failure) if failure.kind == Kind::Host => bail!(
            "{} on {} could not be run: {}; finished units are kept: where memory is short make room, or ask for fewer --jobs, \
             and run the same command again; else leave the problem out with --problems",
            result.agent,
            result.problem,
            failure.message
        ),
        _ => Ok(()),
    }
}

fn log_lines(trace: &Trace) -> Vec<String> {
    let (mut lines, more) = trace.log();
    if more > 0 {
        lines.push(format!("({more} more lines)"));
    }
    lines
}

//! Carries out units on several threads, each unit on its own and in no order that a score depends on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use jointly_core::{Classifier, agent_seed, evaluate};
use jointly_host::{Progress, Trained};

use crate::plan::PlannedAgent;
use crate::progress::{Activity, Display};
use crate::unit::{Outcome, UnitResult};
use crate::workload::Workload;

/// Room for a guest's stack, the engine's own and ours.
const STACK_BYTES: usize = 8 << 20;
/// How often the display shows what runs.
const REFRESH: Duration = Duration::from_millis(200);
/// The first lines of an agent's log are enough to see what it does.
const LOG_LINES: usize = 20;

/// One agent on one problem, by their places in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) agent: usize,
    pub(crate) problem: usize,
}

/// The plan's units that have no result yet: problem by problem, so that all agents get on together.
pub(crate) fn pending(workload: &Workload, results: &[UnitResult]) -> Vec<Unit> {
    let done: std::collections::HashSet<(&str, &str)> =
        results.iter().map(|result| (result.agent.as_str(), result.problem.as_str())).collect();
    let plan = &workload.plan;
    let units = (0..plan.problems.len())
        .flat_map(|problem| (0..plan.agents.len()).map(move |agent| Unit { agent, problem }))
        .filter(|unit| {
            let key = (plan.agents[unit.agent].label.as_str(), plan.problems[unit.problem].problem.as_str());
            !done.contains(&key)
        });
    units.collect()
}

/// Runs the units on `jobs` threads and hands each result to `record` as it comes; the first error of `record` ends
/// the work.
pub(crate) fn execute(
    workload: &Workload,
    units: &[Unit],
    jobs: usize,
    display: &Display,
    mut record: impl FnMut(UnitResult) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let activities: Vec<Activity> = (0..jobs.min(units.len())).map(|_| Activity::default()).collect();
    thread::scope(|scope| {
        let (results, finished) = mpsc::channel();
        for activity in &activities {
            let (results, next, stop) = (results.clone(), &next, &stop);
            let work = move || {
                while !stop.load(Ordering::Relaxed)
                    && let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if results.send(carry_out(workload, *unit, activity)).is_err() {
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
        loop {
            match finished.recv_timeout(REFRESH) {
                Ok(result) => {
                    display.finished(&result);
                    let recorded = record(result);
                    if recorded.is_err() {
                        // Threads that are in a unit finish it, unrecorded: it will run again.
                        stop.store(true, Ordering::Relaxed);
                        return recorded;
                    }
                }
                Err(RecvTimeoutError::Timeout) => display.running(&activities),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    })
}

fn carry_out(workload: &Workload, unit: Unit, activity: &Activity) -> UnitResult {
    let planned = &workload.plan.agents[unit.agent];
    let problem = &workload.problems[unit.problem];
    let start = Instant::now();
    let progress = Progress::default();
    activity.begin(&planned.label, &problem.name, progress.clone());
    let (outcome, log) = score(workload, planned, unit, progress, activity);
    activity.end();
    UnitResult {
        agent: planned.label.clone(),
        problem: problem.name.clone(),
        seconds: start.elapsed().as_secs_f64(),
        outcome,
        log,
    }
}

fn score(
    workload: &Workload,
    planned: &PlannedAgent,
    unit: Unit,
    progress: Progress,
    activity: &Activity,
) -> (Outcome, Vec<String>) {
    let Workload { plan, agents, problems, .. } = workload;
    let problem = &problems[unit.problem];
    let instance = problem.instance(plan.seed);
    let seed = agent_seed(plan.seed, &problem.name);
    let mut agent = agents[unit.agent].with(planned.settings.to_list(), plan.limits, progress);
    let mut model = match agent.train(&problem.task(), instance.train(), instance.validation(), seed) {
        Ok(model) => model,
        Err(failure) => return (Outcome::Failed(failure), Vec::new()),
    };
    let mut report = |fraction| activity.sampling(fraction);
    let outcome = match evaluate(&mut model, problem, &instance, &plan.evaluation, plan.seed, &mut report) {
        Ok(scores) => Outcome::Scored { scores, fuel: model.fuel_used() },
        Err(failure) => Outcome::Failed(failure),
    };
    (outcome, first_lines(&model))
}

fn first_lines(model: &Trained) -> Vec<String> {
    let (lines, dropped) = model.log();
    let mut kept: Vec<String> = lines.iter().take(LOG_LINES).cloned().collect();
    let missing = (lines.len() - kept.len()) as u64 + dropped;
    if missing > 0 {
        kept.push(format!("({missing} more lines)"));
    }
    kept
}

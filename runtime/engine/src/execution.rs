//! Carries out units on several threads, independently and in no order that a score depends on.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use jointly_host::{Kind, Trace};
use jointly_record::format::Format;
use jointly_record::lines::Lines;
use jointly_record::unit::{Outcome, Unit, UnitResult};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::activity::{Activity, Watcher};
use crate::problem_set::Belief;
use crate::schedule;
use crate::workload::Workload;

/// The stack of a thread in bytes, shared by the guest, the engine and the host's code.
const STACK_BYTES: usize = 8 << 20;
/// How often the progress display is refreshed.
const REFRESH: Duration = Duration::from_millis(200);

/// Returns the number of threads: as requested, else one per core.
pub fn jobs(asked: Option<NonZero<usize>>) -> usize {
    asked.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// A unit's result, and the part of it that goes into a file of its own.
pub struct Finished {
    /// The result.
    pub result: UnitResult,
    /// The predictions that other agents are scored against, for a problem of correlations.
    pub belief: Option<Belief>,
}

/// Returns the plan's units that have no result yet, in the order in which they are run: problem by problem, so that
/// all agents progress together.
pub fn pending(workload: &Workload, lines: &Lines) -> Vec<Unit> {
    let plan = &workload.plan;
    let done = lines.of_plan(plan);
    let units = schedule::order(plan)
        .into_iter()
        .flat_map(|problem| (0..plan.agents.len()).map(move |agent| Unit { agent, problem }))
        .filter(|unit| done.get(*unit).is_none());
    units.collect()
}

/// Runs the units on `jobs` threads and hands each result to `record` as it comes.
///
/// # Errors
/// With the first error of `record`, after the units that still run have ended; the watcher is told at once.
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
        let seconds = result.seconds.unwrap_or_default();
        watcher.finished(&result.agent, &result.problem, seconds, result.outcome.failure());
        record(finished)
    })
}

/// Applies `work` to each of the units in order on `jobs` threads, and hands each outcome to `record`.
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
    let (results, finished) = mpsc::channel();
    pool(jobs)?.in_place_scope(|scope| {
        let (next, stop, activities_of, work) = (&next, &stop, &activities, &work);
        // A loop on each thread, not a task for each unit: a thread that waits for a part of its unit's estimates takes
        // up other tasks of the pool, and must not begin another unit in the middle of its own.
        scope.spawn_broadcast(move |_, thread| {
            // Threads without a unit compute parts of other units.
            let Some(activity) = activities_of.get(thread.index()) else { return };
            while !stop.load(Ordering::Relaxed)
                && let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed))
            {
                if results.send(work(*unit, activity)).is_err() {
                    break;
                }
            }
        });
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

/// Runs `work` on a single thread whose stack is large enough for guests.
///
/// # Errors
/// With the error of `work`, or when the thread cannot be started.
pub fn with_room<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    pool(1)?.install(work)
}

/// Makes a pool whose threads have stacks large enough for guests. Parallel work inside them stays on these threads.
fn pool(threads: usize) -> Result<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES);
    builder.build().context("failed to start a thread")
}

/// Carries out one unit, on a thread whose stack is large enough for a guest.
pub fn carry_out(workload: &Workload, unit: Unit, activity: &Activity) -> Finished {
    let planned = &workload.plan.agents[unit.agent];
    let problem = &workload.plan.problems[unit.problem].problem;
    let start = Instant::now();
    let trace = Trace::default();
    activity.begin(&planned.label, problem, trace.clone());
    let mut report = |fraction| activity.sampling(fraction);
    let scored = workload.problems.carry_out(workload.participants(), unit, &trace, &mut report);
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

/// Refuses to record a unit that failed because of the machine or its data, which says nothing about the agent.
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Barrier;

    use jointly_host::Failure;
    use rayon::iter::{IntoParallelIterator, ParallelIterator};

    use super::*;

    struct Nobody;

    impl Watcher for Nobody {
        fn finished(&self, _: &str, _: &str, _: f64, _: Option<&Failure>) {}
        fn running(&self, _: &[Activity]) {}
        fn stopped(&self, _: &anyhow::Error) {}
    }

    fn units(count: usize) -> Vec<Unit> {
        (0..count).map(|problem| Unit { agent: 0, problem }).collect()
    }

    thread_local! {
        static BUSY: Cell<bool> = const { Cell::new(false) };
    }

    /// Computes a unit in many parts, for which its thread waits.
    fn in_parts(unit: Unit, _: &Activity) -> (usize, usize) {
        assert!(!BUSY.replace(true), "a unit begins inside another");
        let part = |i: usize| (0..i % 200).map(|j| i ^ j).sum::<usize>();
        let sum = (0..20).map(|_| (0..2000).into_par_iter().map(part).sum::<usize>()).sum();
        BUSY.set(false);
        (unit.problem, sum)
    }

    #[test]
    fn each_unit_is_run_once_and_none_inside_another() {
        let mut alone = Vec::new();
        on_threads(&units(40), 1, &Nobody, in_parts, |done| {
            alone.push(done);
            Ok(())
        })
        .unwrap();
        assert!(alone.iter().map(|done| done.0).eq(0..40), "one thread keeps the order");
        for jobs in [2, 4, 50] {
            let mut several = Vec::new();
            on_threads(&units(40), jobs, &Nobody, in_parts, |done| {
                several.push(done);
                Ok(())
            })
            .unwrap();
            several.sort_unstable();
            assert_eq!(several, alone);
        }
    }

    /// The two parts of the unit wait for one another.
    #[test]
    fn a_single_unit_uses_the_threads_that_have_none() {
        let both = Barrier::new(2);
        let work = |_: Unit, _: &Activity| {
            rayon::join(|| both.wait(), || both.wait());
        };
        let mut done = 0;
        on_threads(&units(1), 2, &Nobody, work, |()| {
            done += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(done, 1);
    }

    #[test]
    fn the_first_error_of_the_record_is_that_of_the_run() {
        let mut recorded = 0;
        let full = |unit: Unit| {
            recorded += 1;
            bail!("no room for {}", unit.problem)
        };
        let error = on_threads(&units(9), 1, &Nobody, |unit, _| unit, full).unwrap_err();
        assert_eq!((error.to_string().as_str(), recorded), ("no room for 0", 1));
    }

    #[test]
    fn a_thread_with_room_computes_all_parts_itself() {
        assert_eq!(with_room(|| Ok(rayon::current_num_threads())).unwrap(), 1);
        assert_eq!(with_room::<()>(|| bail!("no")).unwrap_err().to_string(), "no");
    }
}

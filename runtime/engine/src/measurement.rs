//! Measures the cost of a plan's units on a sample: each agent on one problem of each size class, and only as much of
//! that unit as determines its whole cost.

use std::collections::HashMap;

use anyhow::{Result, bail};
use jointly_host::Kind;
use jointly_record::plan::Plan;
use jointly_record::unit::Unit;

use crate::activity::{Activity, Watcher};
use crate::cost::Cost;
use crate::execution;
use crate::size_class::{SizeClass, size_classes};
use crate::stopwatch::Stopwatch;
use crate::workload::Workload;

/// Measurements are repeated [`TIMES`] times, unless they have taken this many seconds before, and the medians are
/// kept: machines vary in speed from second to second, and a process is slower when it does something for the first
/// time.
const ENOUGH: f64 = 3.0;
const TIMES: usize = 3;

/// The costs of the units of a plan, class by class.
pub struct Measurements {
    /// The classes of the plan's problems.
    pub classes: Vec<SizeClass>,
    /// The cost for each class and each of the plan's agents.
    costs: Vec<Vec<Cost>>,
    /// Seconds that the measurement took.
    pub seconds: f64,
}

impl Measurements {
    /// Returns the cost of each of an agent's units in a class.
    pub fn cost(&self, class: usize, agent: usize) -> &Cost {
        &self.costs[class][agent]
    }

    /// Returns the number of units that were measured.
    pub fn units(&self) -> usize {
        self.costs.iter().map(Vec::len).sum()
    }
}

/// Returns the problem of a class that is measured: the middle one, because problems are ordered by temperature.
pub fn measured(class: &SizeClass) -> usize {
    class.problems[class.problems.len() / 2]
}

/// Returns the units that are measured: each agent on one problem of each class.
pub fn measured_units(plan: &Plan) -> Vec<Unit> {
    let unit = |class: &SizeClass| {
        let problem = measured(class);
        (0..plan.agents.len()).map(move |agent| Unit { agent, problem })
    };
    size_classes(plan).iter().flat_map(unit).collect()
}

/// Measures all agents on all classes on `jobs` threads, while the watcher shows the progress.
///
/// # Errors
/// When the machine cannot run a unit.
pub fn measure(workload: &Workload, jobs: usize, watcher: &dyn Watcher) -> Result<Measurements> {
    let (plan, classes) = (&workload.plan, size_classes(&workload.plan));
    let agents = plan.agents.len();
    let places: HashMap<usize, usize> = classes.iter().enumerate().map(|(place, it)| (measured(it), place)).collect();
    let units = measured_units(plan);
    let clock = std::time::Instant::now();
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); units.len()];
    // Each unit gets a pool of one thread: the stopwatch measures only the thread on which it runs.
    let work = |unit: Unit, activity: &Activity| execution::with_room(|| Ok((unit, cost_of(workload, unit, activity))));
    for time in 0..TIMES {
        if time > 0 && clock.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        execution::on_threads(&units, jobs, watcher, work, |measured| {
            let (unit, cost) = measured?;
            let (agent, problem) = names(plan, unit);
            if let Some(failure) = cost.failure.as_ref().filter(|failure| failure.kind == Kind::Host) {
                bail!(
                    "{agent} on {problem} could not be measured: {}; make room, or leave the problem out with --problems",
                    failure.message
                );
            }
            if time == 0 {
                watcher.finished(agent, problem, cost.seconds, cost.failure.as_ref());
            }
            costs[places[&unit.problem] * agents + unit.agent].push(cost);
            Ok(())
        })?;
    }
    let costs: Vec<Cost> = costs.into_iter().map(middle).collect();
    let costs = costs.chunks(agents.max(1)).map(<[Cost]>::to_vec).collect();
    Ok(Measurements { classes, costs, seconds: clock.elapsed().as_secs_f64() })
}

/// Returns the names of a unit's agent and problem.
pub fn names(plan: &Plan, unit: Unit) -> (&str, &str) {
    (&plan.agents[unit.agent].label, &plan.problems[unit.problem].problem)
}

/// Returns the median of one unit's costs by time; of two, the lower.
fn middle(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    costs.swap_remove((costs.len() - 1) / 2)
}

fn cost_of(workload: &Workload, unit: Unit, activity: &Activity) -> Cost {
    let mut stopwatch = Stopwatch::start();
    let participants = workload.participants();
    let measured = workload.problems.measure(participants, unit, activity).unwrap_or_else(|| {
        let outcome = execution::carry_out(workload, unit, activity).result.outcome;
        match outcome.failure() {
            Some(failure) => Err(failure.clone()),
            None => Ok(Cost { seconds: stopwatch.lap(), fuel: outcome.fuel().map(|fuel| fuel as f64), failure: None }),
        }
    });
    activity.end();
    measured.unwrap_or_else(|failure| Cost { seconds: stopwatch.lap(), fuel: None, failure: Some(failure) })
}

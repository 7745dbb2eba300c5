//! Measures what the units of a plan cost on a few of them: each agent on one problem of each size class, with few of
//! its test inputs.
//!
//! Fuel is deterministic and grows by the same amount with each test tau-sample, so that a few of them tell what all cost;
//! training is paid for once. Of regression and dataset shift, whose problems are scored in one piece, a whole unit is run.

use std::collections::HashMap;

use anyhow::{Result, bail};
use jointly_classification::{Instance, Problem, Source, evaluate};
use jointly_core::{Evaluation, agent_seed};
use jointly_host::{Failure, Kind, Phase, Trace, TrainedClassifier};
use jointly_record::plan::Plan;
use jointly_record::quantity;
use jointly_record::unit::{Outcome, Unit};

use crate::activity::{Activity, Watcher};
use crate::size_class::{SizeClass, size_classes};
use crate::stopwatch::Stopwatch;
use crate::workload::{Contestant, Problems, Workload};
use crate::{execution, oracle, training};

/// The shares of a problem's tau-samples that are measured: one in each of these. The first is measured twice: an agent
/// may keep what it makes for a draw the first time, and that is paid once, however many tau-samples follow.
const SHARES: [u32; 3] = [20, 20, 4];
/// All is measured [`TIMES`] times, unless it has taken this many seconds before, and the medians are kept: a machine
/// is slower in one second than in another, and so is the first time that a process does something.
const ENOUGH: f64 = 3.0;
const TIMES: usize = 3;

/// The cost of a unit.
#[derive(Clone, Debug)]
pub struct Cost {
    /// On one core.
    pub seconds: f64,
    /// None where the host itself does the work.
    pub fuel: Option<f64>,
    /// How it ends, where it does so before its time.
    pub failure: Option<Failure>,
}

/// The costs of the units of a plan, class by class.
pub struct Measurements {
    /// The classes of the plan's problems.
    pub classes: Vec<SizeClass>,
    /// The cost of each class for each of the plan's agents.
    costs: Vec<Vec<Cost>>,
    /// The cost of measuring.
    pub seconds: f64,
}

impl Measurements {
    /// The cost of each of an agent's units of a class.
    pub fn cost(&self, class: usize, agent: usize) -> &Cost {
        &self.costs[class][agent]
    }

    /// The number of units that were measured.
    pub fn units(&self) -> usize {
        self.costs.iter().map(Vec::len).sum()
    }
}

/// The problem of a class that is measured: one in the middle, for their temperatures are in order.
pub fn measured(class: &SizeClass) -> usize {
    class.problems[class.problems.len() / 2]
}

/// The units that are measured: each agent on one problem of each class.
pub fn measured_units(plan: &Plan) -> Vec<Unit> {
    let unit = |class: &SizeClass| {
        let problem = measured(class);
        (0..plan.agents.len()).map(move |agent| Unit { agent, problem })
    };
    size_classes(plan).iter().flat_map(unit).collect()
}

/// Measures all agents on all classes on `jobs` threads, while the watcher shows how far it has got.
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
    // A pool of one thread for each: the stopwatch tells the time of the thread that it runs on, and of no other.
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

/// The names of a unit's agent and problem.
pub fn names(plan: &Plan, unit: Unit) -> (&str, &str) {
    (&plan.agents[unit.agent].label, &plan.problems[unit.problem].problem)
}

/// The one in the middle of the same unit's costs, of two the less.
fn middle(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    costs.swap_remove((costs.len() - 1) / 2)
}

fn cost_of(workload: &Workload, unit: Unit, activity: &Activity) -> Cost {
    let mut stopwatch = Stopwatch::start();
    let measured = match &workload.problems {
        Problems::Classification(problems) => classification(workload, &problems[unit.problem], unit, activity),
        Problems::Regression(_) | Problems::Shift(_) => {
            let fuel = match execution::carry_out(workload, unit, activity).result.outcome {
                Outcome::Regression { fuel, .. } | Outcome::Shift { fuel, .. } => Ok(Some(fuel)),
                Outcome::Scored { fuel, .. } => Ok(fuel),
                Outcome::Failed(failure) => Err(failure),
            };
            fuel.map(|fuel| Cost { seconds: stopwatch.lap(), fuel: fuel.map(|fuel| fuel as f64), failure: None })
        }
    };
    activity.end();
    measured.unwrap_or_else(|failure| Cost { seconds: stopwatch.lap(), fuel: None, failure: Some(failure) })
}

/// Trains once and asks for a few tau-samples, then for some more.
fn classification(
    workload: &Workload,
    problem: &Problem,
    unit: Unit,
    activity: &Activity,
) -> std::result::Result<Cost, Failure> {
    let Workload { plan, agents, .. } = workload;
    let evaluation = plan.evaluation().expect("a plan of classification");
    let (label, name) = names(plan, unit);
    let trace = Trace::default();
    activity.begin(label, name, trace.clone());
    let mut stopwatch = Stopwatch::start();
    let instance = problem.instance(plan.seed);
    let asks = asks(problem, evaluation);
    match &agents[unit.agent] {
        Contestant::Agent(contestant) => {
            let settings = plan.agents[unit.agent].settings.to_list();
            let mut model = training::train(contestant, settings, plan.limits, trace, (problem, &instance), plan.seed)?;
            let training = (stopwatch.lap(), model.fuel_used() as f64);
            let mut asked = Vec::new();
            for samples in &asks {
                let before = model.fuel_used();
                ask(&mut model, problem, &instance, evaluation, *samples, plan.seed, activity)?;
                asked.push((stopwatch.lap(), (model.fuel_used() - before) as f64));
            }
            let (times, fuels): (Vec<f64>, Vec<f64>) = asked.into_iter().unzip();
            let fuel = at_all(&asks, &fuels, problem.samples(evaluation));
            // Fuel is exact and times are not: all samples take as long for their fuel as those that were asked for.
            let seconds = training.0 + fuel * times.iter().sum::<f64>() / fuels.iter().sum::<f64>().max(1.0);
            Ok(within(plan.limits.fuel as f64, seconds, training.1 + fuel))
        }
        Contestant::Oracle(sampling) => {
            let seed = agent_seed(plan.seed, problem.stream_name());
            let mut posterior = oracle::posterior(sampling, problem, &instance, seed, &trace)?;
            let training = stopwatch.lap();
            let mut times = Vec::new();
            for samples in &asks {
                // It does not fail; only an answer that changes could go wrong with it.
                let evaluation = few(evaluation, *samples);
                let report = &mut |fraction| activity.sampling(fraction);
                if let Err(error) = evaluate(&mut posterior, problem, &instance, &evaluation, plan.seed, report) {
                    return Err(Failure {
                        phase: Phase::Sample,
                        kind: Kind::InvalidOutput,
                        message: error.to_string(),
                    });
                }
                times.push(stopwatch.lap());
            }
            let seconds = training + at_all(&asks, &times, problem.samples(evaluation));
            Ok(Cost { seconds, fuel: None, failure: None })
        }
    }
}

fn ask(
    model: &mut TrainedClassifier,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    samples: u32,
    seed: u64,
    activity: &Activity,
) -> std::result::Result<(), Failure> {
    let report = &mut |fraction| activity.sampling(fraction);
    let scores = evaluate(model, problem, instance, &few(evaluation, samples), seed, report);
    scores.map(|_| ()).map_err(execution::unscored)
}

fn few(evaluation: &Evaluation, samples: u32) -> Evaluation {
    Evaluation { samples, ..evaluation.clone() }
}

/// How many tau-samples are asked for, one number after the other. A file has as many as it has.
fn asks(problem: &Problem, evaluation: &Evaluation) -> Vec<u32> {
    let all = problem.samples(evaluation);
    if matches!(problem.source, Source::Imported(_)) || all < 2 * SHARES[0] {
        return vec![all];
    }
    SHARES.iter().map(|share| all / share).collect()
}

/// The cost of all tau-samples, by the cost of some of them in one call after another: the first call, and for each
/// tau-sample more what the last ask takes for each that it has more than the one before. Of disturbed times, no more
/// and no less than can be.
fn at_all(asks: &[u32], costs: &[f64], all: u32) -> f64 {
    match (asks, costs) {
        (&[few, _, more], &[first, second, last]) if few < more => {
            let (few, more, all) = (f64::from(few), f64::from(more), f64::from(all));
            first + ((last - second) / (more - few)).clamp(0.0, last / more) * (all - few)
        }
        _ => costs.iter().sum(),
    }
}

/// The cost of a unit that is stopped where it has used what it may.
fn within(limit: f64, seconds: f64, fuel: f64) -> Cost {
    if fuel <= limit {
        return Cost { seconds, fuel: Some(fuel), failure: None };
    }
    let message = format!(
        "a whole unit takes about {} of fuel, more than the {} that it may; give more --fuel",
        quantity::count(fuel),
        quantity::count(limit)
    );
    let failure = Failure { phase: Phase::Sample, kind: Kind::OutOfFuel, message };
    Cost { seconds: seconds * limit / fuel, fuel: Some(limit), failure: Some(failure) }
}

#[cfg(test)]
mod tests {
    use super::{at_all, within};

    #[test]
    fn what_is_fixed_is_not_paid_again() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        // 10 the first time, 3 to begin with and 2 each.
        close(at_all(&[5, 5, 25], &[23.0, 13.0, 53.0], 100), 213.0);
        close(at_all(&[100], &[7.0], 100), 7.0);
        // A clock that was disturbed says nothing that cannot be.
        close(at_all(&[5, 5, 25], &[60.0, 60.0, 50.0], 100), 60.0);
        close(at_all(&[5, 5, 25], &[10.0, 0.0, 50.0], 100), 200.0);
    }

    #[test]
    fn a_unit_that_would_take_more_than_it_may_is_stopped() {
        let cost = within(10.0, 8.0, 20.0);
        assert_eq!((cost.seconds, cost.fuel), (4.0, Some(10.0)));
        assert!(cost.failure.unwrap().to_string().contains("give more --fuel"));
        assert!(within(10.0, 8.0, 10.0).failure.is_none());
    }
}

//! Measures the cost of a unit of classification on some of its test inputs.
//!
//! Fuel is deterministic and grows by the same amount with each test tau-sample, so a few tau-samples determine the
//! cost of all. Training is paid for once.

use jointly_classification::{Classification, Evaluation, Instance, Problem, Source, evaluate};
use jointly_core::Seed;
use jointly_core::agent_seed;
use jointly_host::{Failure, Kind, Phase, Trace};
use jointly_record::quantity;
use jointly_record::unit::Unit;

use crate::activity::Activity;
use crate::agent::TrainedClassifier;
use crate::contestant::Contestant;
use crate::cost::Cost;
use crate::failures::{inconsistent, unscored};
use crate::problem_set::Participants;
use crate::stopwatch::Stopwatch;
use crate::{contestant, oracle, training};

/// The tau-samples measured in each call, as divisors of the problem's total. The first size is measured twice: an
/// agent may cache what it computes for a draw at first use, and that cost is paid once, however many tau-samples
/// follow.
const SHARES: [u32; 3] = [20, 20, 4];
/// Trains once, asks for a few tau-samples, then for some more.
pub(super) fn cost(
    Participants { plan, agents, .. }: Participants,
    problem: &Problem,
    unit: Unit,
    activity: &Activity,
) -> Result<Cost, Failure> {
    let evaluation = plan.options::<Classification>().expect("a plan of classification");
    let (label, name) = (&plan.agents[unit.agent].label, &problem.name);
    let trace = Trace::default();
    activity.begin(label, name, trace.clone());
    let mut stopwatch = Stopwatch::start();
    let instance = problem.instance(plan.seed);
    let asks = asks(problem, evaluation);
    // All steps up to the most draws, in times of the last.
    let steps = evaluation.steps().into_iter().map(f64::from).sum::<f64>() / f64::from(evaluation.draws);
    match &agents[unit.agent] {
        Contestant::Agent(contestant) => {
            let settings = plan.agents[unit.agent].settings.to_list();
            let mut model = training::train(contestant, settings, plan.limits, trace, (problem, &instance), plan.seed)?;
            let fuel_used = |model: &TrainedClassifier| model.fuel_used().unwrap_or_default();
            let training = (stopwatch.lap(), fuel_used(&model) as f64);
            let mut asked = Vec::new();
            for samples in &asks {
                let before = fuel_used(&model);
                ask(&mut model, problem, &instance, evaluation, *samples, plan.seed, activity)?;
                asked.push((stopwatch.lap(), (fuel_used(&model) - before) as f64));
            }
            let (times, fuels): (Vec<f64>, Vec<f64>) = asked.into_iter().unzip();
            if model.fuel_used().is_none() {
                let seconds = training.0 + steps * at_all(&asks, &times, problem.samples(evaluation));
                return Ok(Cost { seconds, fuel: None, failure: None });
            }
            let fuel = steps * at_all(&asks, &fuels, problem.samples(evaluation));
            // Fuel is exact and times are not: all samples are assumed to take as long per fuel as the measured ones.
            let seconds = training.0 + fuel * times.iter().sum::<f64>() / fuels.iter().sum::<f64>().max(1.0);
            Ok(within(plan.limits.fuel as f64, seconds, training.1 + fuel))
        }
        Contestant::Predictions(predictions) => {
            let mut model = predictions.model(problem, &instance, evaluation)?;
            let report = &mut |fraction| activity.sampling(fraction);
            evaluate(&mut model, problem, &instance, evaluation, plan.seed, report).map_err(unscored)?;
            Ok(Cost { seconds: stopwatch.lap(), fuel: None, failure: None })
        }
        Contestant::Absent => Err(contestant::absent()),
        Contestant::Oracle(sampling) => {
            let seed = agent_seed(plan.seed, problem.stream_name());
            let mut posterior = oracle::posterior(sampling, problem, &instance, seed, &trace)?;
            let training = stopwatch.lap();
            let mut times = Vec::new();
            for samples in &asks {
                let evaluation = few(evaluation, *samples);
                let report = &mut |fraction| activity.sampling(fraction);
                evaluate(&mut posterior, problem, &instance, &evaluation, plan.seed, report).map_err(inconsistent)?;
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
    seed: Seed,
    activity: &Activity,
) -> Result<(), Failure> {
    let report = &mut |fraction| activity.sampling(fraction);
    let scores = evaluate(model, problem, instance, &few(evaluation, samples), seed, report);
    scores.map(|_| ()).map_err(unscored)
}

/// Returns the evaluation with fewer tau-samples, by the most draws that it may ask for.
fn few(evaluation: &Evaluation, samples: u32) -> Evaluation {
    Evaluation { samples, precision: None, ..evaluation.clone() }
}

/// Returns the number of tau-samples of each call. An imported problem is measured with all that it has.
fn asks(problem: &Problem, evaluation: &Evaluation) -> Vec<u32> {
    let all = problem.samples(evaluation);
    if matches!(problem.source, Source::Imported(_)) || all < 2 * SHARES[0] {
        return vec![all];
    }
    SHARES.iter().map(|share| all / share).collect()
}

/// Extrapolates the cost of all tau-samples from successive calls with some of them: the cost of the first call, plus,
/// for each further tau-sample, the cost difference of the last two calls per additional tau-sample. Disturbed times
/// are clamped to the possible range.
fn at_all(asks: &[u32], costs: &[f64], all: u32) -> f64 {
    match (asks, costs) {
        (&[few, _, more], &[first, second, last]) if few < more => {
            let (few, more, all) = (f64::from(few), f64::from(more), f64::from(all));
            first + ((last - second) / (more - few)).clamp(0.0, last / more) * (all - few)
        }
        _ => costs.iter().sum(),
    }
}

/// Returns the cost of a unit that is stopped when it reaches its fuel limit.
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
        // The first call costs 10 extra, each call 3, and each tau-sample 2.
        close(at_all(&[5, 5, 25], &[23.0, 13.0, 53.0], 100), 213.0);
        close(at_all(&[100], &[7.0], 100), 7.0);
        // A disturbed clock gives no impossible result.
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

//! Invented runs of regression for tests.

use jointly_core::{Metric, Real, digest};
use jointly_regression::coverage::{Flags, LevelCoverage, Numbers};
use jointly_regression::score::LevelScores;
use jointly_regression::{
    CorrelationScores, Origin, RegressionScores, RegressionUnit, Round, SimulationCoverage, regression_suite,
};

use super::{InventedRun, agent, coordinates, plan, planned_problem};
use crate::format::Format;
use crate::plan::{PlannedAgent, RegressionTerms, Terms};
use crate::planned_table::PlannedTable;
use crate::unit::{Outcome, UnitResult};

/// The only level of invented intervals.
const LEVEL: f64 = 0.9;

/// Returns the result of an agent on a problem, given the problem's number.
type Units<'u> = &'u dyn Fn(usize) -> RegressionUnit;

fn run(suite: &str, problems: &[String], agents: &[(&str, Units)]) -> InventedRun {
    let options = regression_suite(suite).unwrap().options;
    let planned = agents.iter().map(|(spec, _)| agent(spec)).collect();
    let mut plan = plan(suite, Terms::Regression(RegressionTerms { options, predictor: None }), planned);
    plan.problems = problems.iter().map(|name| planned_problem(name, Metric::Nll)).collect();
    coordinates::place(&mut plan);
    let result = |agent: &PlannedAgent, (number, problem): (usize, &String), units: Units| UnitResult {
        format: Format,
        agent: agent.label.clone(),
        problem: problem.clone(),
        seconds: Some(1.0),
        outcome: Outcome::Regression { scores: units(number).into(), fuel: Some(1) },
        log: Vec::new(),
    };
    let each = plan.agents.iter().zip(agents);
    let results = each
        .flat_map(|(agent, (_, units))| problems.iter().enumerate().map(move |problem| result(agent, problem, *units)))
        .collect();
    InventedRun { plan, results }
}

fn scores(nll: f64) -> RegressionScores {
    let interval = LevelScores {
        level: LEVEL,
        prediction_from: Origin::Draws,
        confidence_from: Origin::Draws,
        picp: Real(LEVEL),
        width: Real(3.0),
        interval: Real(4.0),
    };
    RegressionScores {
        rows: 10,
        certain: 0,
        moments_from: Origin::Draws,
        rmse: Real(1.0),
        nll: Real(nll),
        nll_mixture: Real(nll),
        crps: Real(0.5),
        crps_mixture: Real(0.5),
        check: Real(0.1),
        interval: Real(0.1),
        calibration_mae: Real(0.0),
        calibration_rmse: Real(0.0),
        miscalibration_area: Real(0.0),
        sharpness: Real(1.0),
        calibration: (0..100).map(|i| Real(f64::from(i) / 99.0)).collect(),
        levels: vec![interval],
    }
}

fn unit(nll: f64) -> RegressionUnit {
    RegressionUnit { scores: scores(nll), coverage: None, correlations: None, rounds: Vec::new() }
}

/// The coverage of an agent's intervals at each test point, in every simulation.
#[derive(Clone)]
pub struct Covering(Vec<f64>);

pub fn covering(probabilities: &[f64]) -> Covering {
    Covering(probabilities.to_vec())
}

/// Makes simulations of a suite with one process, with a log-likelihood of -1.5 in each.
pub fn covering_run(suite: &str, simulations: usize, agents: &[(&str, Covering)]) -> InventedRun {
    let problems: Vec<String> = (0..simulations).map(|number| format!("{suite}/sim{number}")).collect();
    let units: Vec<_> = agents
        .iter()
        .map(|(_, Covering(covered))| {
            move |_: usize| {
                let widths = Numbers(vec![1.0; covered.len()]);
                let flags = Flags(covered.iter().map(|p| *p >= LEVEL).collect());
                let level = LevelCoverage {
                    level: LEVEL,
                    prediction_from: Origin::Draws,
                    confidence_from: Origin::Draws,
                    observed: flags.clone(),
                    covered: Numbers(covered.iter().map(|p| *p as f32).collect()),
                    prediction_widths: widths.clone(),
                    held: flags,
                    confidence_widths: widths,
                };
                RegressionUnit { coverage: Some(SimulationCoverage { levels: vec![level] }), ..unit(1.5) }
            }
        })
        .collect();
    let agents: Vec<(&str, Units)> =
        agents.iter().zip(&units).map(|((name, _), unit)| (*name, unit as Units)).collect();
    run(suite, &problems, &agents)
}

/// The losses of an agent before the first query and after each round.
#[derive(Clone)]
pub struct Learning(Vec<f64>);

pub fn learning(losses: &[f64]) -> Learning {
    Learning(losses.to_vec())
}

/// Makes a run of active learning on Boston with two acquisitions, from 10 points on and 2 a round. Each repetition has
/// one nat more loss than the one before.
pub fn learning_run(agents: &[(&str, Learning)], repetitions: usize) -> InventedRun {
    let name = |number: usize| {
        let acquisition = ["batch-mig", "random"][number % 2];
        format!("quick/active/boston/seed{}/{acquisition}", number / 2)
    };
    let problems: Vec<String> = (0..2 * repetitions).map(name).collect();
    let units: Vec<_> = agents
        .iter()
        .map(|(_, Learning(losses))| {
            move |number: usize| {
                let round = |(round, loss): (usize, &f64)| Round {
                    train: 10 + 2 * round as u64,
                    queried: 2,
                    rmse: Real(1.0),
                    nll: Real(loss + (number / 2) as f64),
                    oracle: None,
                };
                RegressionUnit { rounds: losses.iter().enumerate().map(round).collect(), ..unit(1.5) }
            }
        })
        .collect();
    let agents: Vec<(&str, Units)> =
        agents.iter().zip(&units).map(|((name, _), unit)| (*name, unit as Units)).collect();
    run("quick/active", &problems, &agents)
}

/// Returns a user-supplied table of a plan.
pub fn own_table() -> Vec<PlannedTable> {
    vec![PlannedTable { file: "mine.csv".into(), digest: digest(b"invented") }]
}

/// The quality of an agent's correlations, between 0 and 1.
#[derive(Clone, Copy)]
pub struct Correlated(f64);

pub fn correlated(quality: f64) -> Correlated {
    Correlated(quality)
}

/// Agents that were compared with one another on repetitions of some data.
pub struct ComparedRun {
    pub run: InventedRun,
    pub qualities: Vec<f64>,
}

/// Makes a run in which agents' metacorrelation and XLL equal their quality, and ranks follow it, whichever agent is
/// the reference.
pub fn compared_run(suite: &str, data: &[&str], repetitions: usize, agents: &[(&str, Correlated)]) -> ComparedRun {
    let name = |data: &&str| (0..repetitions).map(|number| format!("{suite}/{data}/seed{number}")).collect::<Vec<_>>();
    let problems: Vec<String> = data.iter().flat_map(name).collect();
    let units: Vec<_> = agents
        .iter()
        .map(|&(_, Correlated(quality))| {
            move |_: usize| {
                let correlations = CorrelationScores {
                    rows: 10,
                    pool: 10,
                    moments_from: Origin::Draws,
                    functions: None,
                    metacorrelation: Some(Real(quality)),
                    metacorrelation_ranks: Some(Real(quality)),
                    variance_correlation: None,
                    variance_correlation_ranks: None,
                    marginal: Some(Real(2.0 * quality)),
                    joint_random: Some(Real(quality)),
                    joint_correlated: Some(Real(quality)),
                    xll_oracle: None,
                    absences: Vec::new(),
                    jitter: None,
                    belief: digest(b"invented"),
                };
                RegressionUnit { correlations: Some(correlations), ..unit(1.5) }
            }
        })
        .collect();
    let qualities = agents.iter().map(|(_, Correlated(quality))| *quality).collect();
    let agents: Vec<(&str, Units)> =
        agents.iter().zip(&units).map(|((name, _), unit)| (*name, unit as Units)).collect();
    ComparedRun { run: run(suite, &problems, &agents), qualities }
}

//! Invented runs for tests: a plan and results that were not measured.

pub mod coordinates;
pub mod decisions;
pub mod regression;
pub mod shift;

use jointly_classification::ProblemScores;
use jointly_core::failure::{Failure, Kind, Phase};
use jointly_core::interface::INTERFACE;
use jointly_core::limits::Limits;
use jointly_core::metric::{CalibrationBin, MarginalValues};
use jointly_core::{Coordinates, JointScore, Metric, Real, Score, digest};

use crate::format::Format;
use crate::plan::{Plan, PlannedAgent, PlannedProblem, ProblemOverrides, Terms, label};
use crate::settings::Settings;
use crate::unit::{Outcome, UnitResult};

/// The result of an agent on a problem.
#[derive(Clone, Copy, Debug)]
pub enum Got {
    /// A loss at tau 1, a hundred times as much at tau 100, and so an aggregate of twice the loss, with few effective
    /// draws.
    Scored(f64),
    Failed,
    /// No result yet.
    Missing,
}

/// A run, finished or not.
pub struct InventedRun {
    pub plan: Plan,
    pub results: Vec<UnitResult>,
}

/// Returns an agent for plans whose agents do not matter.
pub fn planned_agent() -> PlannedAgent {
    PlannedAgent {
        agent: "mlp".into(),
        label: String::new(),
        digest: digest(b"mlp"),
        reported: None,
        settings: Settings::default(),
    }
}

/// Parses an agent from `name:setting=value`.
pub fn agent(spec: &str) -> PlannedAgent {
    let (agent, settings) = spec.split_once(':').unwrap_or((spec, ""));
    PlannedAgent {
        label: String::new(),
        digest: digest(agent.as_bytes()),
        agent: agent.to_owned(),
        reported: None,
        settings: settings.parse().unwrap(),
    }
}

/// Returns a problem of a plan, without coordinates.
pub fn planned_problem(name: &str, metric: Metric) -> PlannedProblem {
    PlannedProblem { problem: name.to_owned(), metric, digest: None, coordinates: Coordinates::default() }
}

/// Returns a plan of this version, with no overrides and no problems yet.
pub fn plan(suite: &str, terms: Terms, mut agents: Vec<PlannedAgent>) -> Plan {
    label(&mut agents);
    Plan {
        format: Format,
        version: env!("CARGO_PKG_VERSION").into(),
        interface: INTERFACE.into(),
        engine: "wasmtime".into(),
        suite: suite.to_owned(),
        seed: 0.into(),
        limits: Limits::default(),
        terms,
        problem_overrides: ProblemOverrides::default(),
        tables: Vec::new(),
        images: None,
        agents,
        problems: Vec::new(),
    }
}

impl InventedRun {
    /// Makes a run from the outcomes of each agent on the problems, in order. The fuel of an agent is its place,
    /// counted from 1.
    pub fn new(suite: &str, problems: &[&str], agents: &[(&str, &[Got])]) -> Self {
        let metric = if suite.ends_with("real") { Metric::Nll } else { Metric::Kl };
        let problem = |name: &&str| planned_problem(name, metric);
        let planned = agents.iter().map(|(spec, _)| agent(spec)).collect();
        let terms = Terms::Evaluation(jointly_classification::suite(suite).unwrap().evaluation);
        // Problem names need not be the suite's.
        let mut plan = plan(suite, terms, planned);
        plan.problems = problems.iter().map(problem).collect();
        coordinates::place(&mut plan);
        let mut results = Vec::new();
        for (place, (_, got)) in agents.iter().enumerate() {
            assert_eq!(got.len(), problems.len());
            for (problem, got) in problems.iter().zip(*got) {
                results.extend(outcome(*got, place as u64 + 1).map(|outcome| UnitResult {
                    format: Format,
                    agent: plan.agents[place].label.clone(),
                    problem: (*problem).to_owned(),
                    seconds: Some(1.0),
                    outcome,
                    log: Vec::new(),
                }));
            }
        }
        Self { plan, results }
    }

    /// Makes a run in which every agent has a loss on every problem.
    pub fn scored(suite: &str, problems: &[&str], agents: &[(&str, &[f64])]) -> Self {
        let got: Vec<Vec<Got>> =
            agents.iter().map(|(_, losses)| losses.iter().copied().map(Got::Scored).collect()).collect();
        let agents: Vec<(&str, &[Got])> = agents.iter().zip(&got).map(|((spec, _), got)| (*spec, &**got)).collect();
        Self::new(suite, problems, &agents)
    }
}

/// Returns bins with ten inputs of confidence 0.9, eight of which are right.
fn bins() -> Vec<CalibrationBin> {
    let mut bins = vec![CalibrationBin::default(); 15];
    bins[13] = CalibrationBin { inputs: 10, right: 8, confidence: 9.0 };
    bins
}

fn outcome(got: Got, fuel: u64) -> Option<Outcome> {
    let joint = |mean| JointScore { mean, stderr: 0.5, draw_error: 0.0, effective_draws: 10.0 };
    match got {
        Got::Scored(loss) => Some(Outcome::Scored {
            scores: ProblemScores {
                draws: None,
                joint: vec![(1, joint(loss)), (100, joint(100.0 * loss))],
                accuracy: Score { mean: 0.5, stderr: 0.1 },
                ece: Real(0.1),
                marginal: MarginalValues::default(),
                calibration: bins(),
            },
            fuel: Some(fuel),
            diagnosis: None,
        }),
        Got::Failed => {
            let message = "it gave up".to_owned();
            Some(Outcome::Failed(Failure { phase: Phase::Train, kind: Kind::AgentFailure, message }))
        }
        Got::Missing => None,
    }
}

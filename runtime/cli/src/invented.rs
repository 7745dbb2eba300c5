//! Runs that tests make up: a plan and results that nobody measured.

pub(crate) mod regression;
pub(crate) mod shift;

use jointly_core::{JointScore, Metric, ProblemScores, Score, Suite, digest};
use jointly_host::{Failure, Kind, Limits, Phase};

use crate::agent_spec::AgentSpec;
use crate::plan::{Plan, PlannedAgent, PlannedProblem};
use crate::scores::Scores;
use crate::unit::{Outcome, UnitResult};

/// What an agent has of a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Got {
    /// A loss at tau 1, a hundred times as much at tau 100, and so an aggregate of twice the loss, by few effective draws.
    Scored(f64),
    Failed,
    /// Nothing yet.
    Missing,
}

/// A run, finished or not.
pub(crate) struct InventedRun {
    pub(crate) plan: Plan,
    pub(crate) results: Vec<UnitResult>,
}

/// An agent of a plan whose agents do not matter: a plan has some.
pub(crate) fn planned_agent() -> PlannedAgent {
    PlannedAgent {
        agent: "mlp".into(),
        label: String::new(),
        digest: digest(b"mlp"),
        settings: crate::agent_spec::Settings::default(),
    }
}

impl InventedRun {
    /// Agents, each with what it has of the problems in their order. The fuel of an agent is its place, from 1.
    pub(crate) fn new(suite: &str, problems: &[&str], agents: &[(&str, &[Got])]) -> Self {
        let planned = |spec: &str| {
            let AgentSpec { agent, settings } = spec.parse().unwrap();
            PlannedAgent { label: String::new(), digest: digest(agent.as_bytes()), agent, settings }
        };
        let metric = if suite.ends_with("real") { Metric::Nll } else { Metric::Kl };
        let problem = |name: &&str| PlannedProblem { problem: (*name).to_owned(), metric, digest: None };
        let planned = agents.iter().map(|(spec, _)| planned(spec)).collect();
        // Problems of whatever names, be they the suite's or not.
        let suite = Suite { problems: Vec::new(), ..jointly_core::suite(suite).unwrap() };
        let mut plan = Plan::new(&suite, 0, Limits::default(), planned);
        plan.problems = problems.iter().map(problem).collect();
        let mut results = Vec::new();
        for (place, (_, got)) in agents.iter().enumerate() {
            assert_eq!(got.len(), problems.len());
            for (problem, got) in problems.iter().zip(*got) {
                results.extend(outcome(*got, place as u64 + 1).map(|outcome| UnitResult {
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

    /// Every agent with a loss on every problem.
    pub(crate) fn scored(suite: &str, problems: &[&str], agents: &[(&str, &[f64])]) -> Self {
        let got: Vec<Vec<Got>> =
            agents.iter().map(|(_, losses)| losses.iter().copied().map(Got::Scored).collect()).collect();
        let agents: Vec<(&str, &[Got])> = agents.iter().zip(&got).map(|((spec, _), got)| (*spec, &**got)).collect();
        Self::new(suite, problems, &agents)
    }

    pub(crate) fn scores(&self) -> Scores<'_> {
        Scores::new(&self.plan, &self.results)
    }
}

fn outcome(got: Got, fuel: u64) -> Option<Outcome> {
    let joint = |mean| JointScore { mean, stderr: 0.5, draw_error: 0.0, effective_draws: 10.0 };
    match got {
        Got::Scored(loss) => Some(Outcome::Scored {
            scores: ProblemScores {
                joint: vec![(1, joint(loss)), (100, joint(100.0 * loss))],
                accuracy: Score { mean: 0.5, stderr: 0.1 },
                ece: 0.1,
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

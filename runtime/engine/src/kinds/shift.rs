//! Runs suites of dataset shift.

use anyhow::bail;
use jointly_classification::shift::{Cost, DatasetShift, ShiftProblem, ShiftScores, ShiftSuite, evaluate_shift};
use jointly_core::{Classifier as _, Seed, Tokens, agent_seed};
use jointly_host::{Failure, Interface, Limits, Trace};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::planned_images::PlannedImages;
use jointly_record::reference;
use jointly_record::settings::Settings;
use jointly_record::unit::{Outcome, Unit};

use crate::agent_source;
use crate::asked::Asked;
use crate::contestant::Contestant;
use crate::data_directories::DataDirectories;
use crate::failures::unscored;
use crate::problem_set::{Belief, Participants, ProblemSet};
use crate::{plans, shift_suite};

/// A suite of dataset shift.
pub struct AskedShift {
    /// The suite.
    pub suite: ShiftSuite,
    /// The format in which agents see user-supplied images, if the suite uses them.
    pub images: Option<PlannedImages>,
}

impl Asked for AskedShift {
    fn interface(&self) -> Interface {
        Interface::Classification
    }

    fn all_bundled(&self) -> Vec<AgentSpec> {
        match problem_with_tokens(&self.suite) {
            Some(_) => agent_source::all_bundled_with_tokens(),
            None => agent_source::all_bundled_for(self.interface()),
        }
    }

    fn reference(&self, _: &Settings) -> anyhow::Result<Contestant> {
        bail!(
            "the {} takes part in suites of sampled environments only: the truth of {} is not known; leave it out",
            reference::NAME,
            self.suite.name
        )
    }

    fn check(&self, planned: &[PlannedAgent], agents: &[Contestant], _: Limits) -> anyhow::Result<()> {
        refuse_without_tokens(&self.suite, planned, agents)
    }

    fn into_plan(
        self: Box<Self>,
        seed: Seed,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        _: Option<PlannedAgent>,
    ) -> (Plan, Box<dyn ProblemSet>) {
        let plan = Plan { images: self.images, ..plans::of_shift(&self.suite, seed, limits, agents) };
        (plan, Box::new(self.suite.problems))
    }
}

/// Returns the suite of a plan.
pub(super) fn from_plan(_: &RunDirectory, plan: &Plan, data: &DataDirectories) -> anyhow::Result<Box<dyn Asked>> {
    Ok(Box::new(AskedShift { suite: shift_suite::held(plan, data)?, images: plan.images }))
}

impl ProblemSet for Vec<ShiftProblem> {
    fn carry_out(
        &self,
        participants: Participants,
        unit: Unit,
        trace: &Trace,
        report: &mut dyn FnMut(f64),
    ) -> Result<(Outcome, Option<Belief>), Failure> {
        let outcome = shift(participants, &self[unit.problem], unit.agent, trace.clone(), report)?;
        Ok((outcome, None))
    }
}

fn shift(
    Participants { plan, agents, .. }: Participants,
    problem: &ShiftProblem,
    agent: usize,
    trace: Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Outcome, Failure> {
    let options = plan.options::<DatasetShift>().expect("a plan of dataset shift");
    let contestant = agents[agent].agent()?;
    let instance = problem.instance(plan.seed);
    let seed = agent_seed(plan.seed, problem.stream_name());
    let mut agent = contestant.classifier(plan.agents[agent].settings.to_list(), plan.limits, trace);
    let mut model = agent.train(&problem.task(), &instance.train, Some(&instance.validation), None, seed)?;
    let training = model.fuel_used();
    let scores = evaluate_shift(&mut model, problem, &instance, options, plan.seed, report).map_err(unscored)?;
    let fuel = model.fuel_used();
    let cost = fuel.zip(training).zip(model.memory_used());
    let cost = cost.map(|((fuel, training), bytes)| Cost { training, prediction: fuel - training, bytes });
    Ok(Outcome::Shift { scores: Box::new(ShiftScores { cost, ..scores }), fuel })
}

/// Returns the first problem of a suite whose inputs have tokens.
fn problem_with_tokens(suite: &ShiftSuite) -> Option<&ShiftProblem> {
    suite.problems.iter().find(|problem| problem.task().tokens != Tokens::Absent)
}

/// Refuses agents that take no tokens if a problem's inputs have some, before any unit is paid for: an agent that
/// cannot take part in every problem would have no rank.
fn refuse_without_tokens(suite: &ShiftSuite, planned: &[PlannedAgent], agents: &[Contestant]) -> anyhow::Result<()> {
    let Some(problem) = problem_with_tokens(suite) else { return Ok(()) };
    let takes = |agent: &Contestant| matches!(agent, Contestant::Agent(agent) if agent.description().tokens);
    let Some((planned, _)) = planned.iter().zip(agents).find(|(_, agent)| !takes(agent)) else { return Ok(()) };
    let others = suite.problems.iter().any(|problem| problem.task().tokens == Tokens::Absent);
    let leave_out = if others { ", or leave out such problems by --problems" } else { "" };
    let able: Vec<String> = agent_source::all_bundled_with_tokens().into_iter().map(|spec| spec.agent).collect();
    bail!(
        "{} takes no tokens, and inputs of {} in {} are words or categories: give agents that take tokens (bundled: {}){leave_out}",
        planned.agent,
        problem.name,
        suite.name,
        able.join(", ")
    )
}

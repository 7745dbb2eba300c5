//! Runs suites of decisions.

use anyhow::{Context, ensure};
use jointly_classification::oracle::{Oracle, Settings as Sampling};
use jointly_core::{Classifier as _, Real, Seed, TaskKind, counted};
use jointly_decisions::{Course, DecisionProblem, DecisionSuite, Decisions, Setting, decision_suite};
use jointly_host::{Failure, Interface, Limits, Trace};
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::reference;
use jointly_record::settings::Settings;
use jointly_record::suites;
use jointly_record::unit::{Outcome, SampleDiagnosis, Unit};

use crate::agent::Agent;
use crate::asked::Asked;
use crate::contestant::Contestant;
use crate::data_directories::DataDirectories;
use crate::failures::{inconsistent, of_fit, unscored};
use crate::problem_set::{Belief, Participants, ProblemSet};
use crate::{oracle, plans, selection};

/// A suite of decisions.
pub struct AskedDecisions {
    /// The suite.
    pub suite: DecisionSuite,
}

/// The user's overrides of a suite of decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecisionChoices {
    /// The number of functions sampled from each agent after each training.
    pub draws: Option<u32>,
    /// The number of actions.
    pub steps: Option<u32>,
    /// The growth of batches.
    pub growth: Option<f64>,
}

/// Returns the suite of that name without the problems that the pattern excludes and with the user's overrides.
///
/// # Errors
/// When there is no such suite, no problem matches, or an override does not fit.
pub fn requested(
    name: &str,
    pattern: Option<&str>,
    DecisionChoices { draws, steps, growth }: DecisionChoices,
) -> anyhow::Result<AskedDecisions> {
    let mut suite = decision_suite(name).with_context(|| suites::unknown(name))?;
    if let Some(pattern) = pattern {
        selection::restrict(name, &mut suite.problems, pattern, |problem| &problem.name)?;
    }
    let own = &mut suite.options;
    (own.draws, own.steps) = (draws.unwrap_or(own.draws), steps.unwrap_or(own.steps));
    own.growth = growth.unwrap_or(own.growth);
    suite.check().with_context(|| format!("failed to take on {name}"))?;
    Ok(AskedDecisions { suite })
}

/// Returns the suite of a plan.
pub(super) fn from_plan(_: &RunDirectory, plan: &Plan, _: &DataDirectories) -> anyhow::Result<Box<dyn Asked>> {
    let options = plan.options::<Decisions>().with_context(|| format!("the plan is not one of {}", Decisions::NAME))?;
    let all = decision_suite(&plan.suite).with_context(|| suites::unknown(&plan.suite))?;
    let problems = selection::of_plan(plan, &all.problems, |problem| &problem.name)?;
    let suite = DecisionSuite { problems, options: options.clone(), ..all };
    suite.check().with_context(|| format!("failed to take on {}", plan.suite))?;
    Ok(Box::new(AskedDecisions { suite }))
}

impl Asked for AskedDecisions {
    fn interface(&self) -> Interface {
        self.suite.interface()
    }

    fn reference(&self, settings: &Settings) -> anyhow::Result<Contestant> {
        let name = &self.suite.name;
        ensure!(
            self.suite.interface() == Interface::Classification,
            "the {} takes part in classification only: {name} is for agents of regression; leave it out",
            reference::NAME
        );
        Ok(Contestant::Oracle(oracle::sampling(settings, self.suite.options.draws)?))
    }

    fn into_plan(
        self: Box<Self>,
        seed: Seed,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        _: Option<PlannedAgent>,
    ) -> (Plan, Box<dyn ProblemSet>) {
        (plans::of_decisions(&self.suite, seed, limits, agents), Box::new(self.suite.problems))
    }
}

impl ProblemSet for Vec<DecisionProblem> {
    fn carry_out(
        &self,
        participants: Participants,
        unit: Unit,
        trace: &Trace,
        report: &mut dyn FnMut(f64),
    ) -> Result<(Outcome, Option<Belief>), Failure> {
        let outcome = decide(participants, &self[unit.problem], unit.agent, trace, report)?;
        Ok((outcome, None))
    }
}

fn decide(
    Participants { plan, agents, .. }: Participants,
    problem: &DecisionProblem,
    agent: usize,
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Outcome, Failure> {
    let options = plan.options::<Decisions>().expect("a plan of decisions");
    let mut course = Course::begin(problem, options, plan.seed);
    let settings = &plan.agents[agent].settings;
    let (fuel, diagnosis) = match (&agents[agent], &problem.setting) {
        (Contestant::Oracle(sampling), _) => (None, foresee(&mut course, sampling, trace, report)?),
        (other, Setting::Search { .. }) => {
            (search(&mut course, (other.agent()?, settings, plan.limits), trace, report)?, None)
        }
        (other, Setting::Bandit(_) | Setting::Labels { .. }) => {
            (learn(&mut course, (other.agent()?, settings, plan.limits), trace, report)?, None)
        }
    };
    Ok(Outcome::Decisions { scores: Box::new(course.finish()), fuel, diagnosis })
}

/// Trains a classifier and lets it act until the course is done. Returns the fuel of all trainings, which share the limit.
fn learn(
    course: &mut Course,
    (agent, settings, limits): (&Agent, &Settings, Limits),
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Option<u64>, Failure> {
    let mut used: Option<u64> = None;
    each_round(course, report, |course| {
        let limits = Limits { fuel: limits.fuel.saturating_sub(used.unwrap_or(0)), ..limits };
        let mut classifier = agent.classifier(settings.to_list(), limits, trace.clone());
        let (task, examples) = course.examples();
        let mut model = classifier.train(&task, &examples, None, None, course.seed())?;
        course.act(&mut model).map_err(unscored)?;
        used = model.fuel_used().map(|fuel| used.unwrap_or(0) + fuel);
        Ok(())
    })?;
    Ok(used)
}

/// Trains an agent of regression and lets it search until the course is done. Returns the fuel of all trainings, which share the limit.
fn search(
    course: &mut Course,
    (agent, settings, limits): (&Agent, &Settings, Limits),
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Option<u64>, Failure> {
    let mut regressor = agent.regressor(settings.to_list(), limits, trace.clone());
    each_round(course, report, |course| {
        let mut fitted = course.fit(&mut regressor).map_err(of_fit)?;
        course.search(&mut fitted).map_err(of_fit)
    })?;
    Ok(regressor.fuel_used())
}

/// Carries out rounds until a course is done. A failure says after how many actions it came.
fn each_round(
    course: &mut Course,
    report: &mut dyn FnMut(f64),
    mut round: impl FnMut(&mut Course) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while !course.is_done() {
        let done = course.done();
        round(course).map_err(|failure| Failure {
            message: format!("after {}: {}", counted(done as usize, "action"), failure.message),
            ..failure
        })?;
        report(course.fraction());
    }
    Ok(())
}

/// Lets the posterior of the environment act until the course is done. Returns the worst diagnosis of its samples.
fn foresee(
    course: &mut Course,
    sampling: &Sampling,
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Option<SampleDiagnosis>, Failure> {
    let oracle = Oracle::new(course.environment().clone(), sampling.clone());
    let mut worst: Option<SampleDiagnosis> = None;
    while !course.is_done() {
        let mut posterior = oracle::sample(&oracle, &course.examples().1, course.seed(), trace);
        course.act(&mut posterior).map_err(inconsistent)?;
        let own = oracle::diagnosis(&posterior);
        worst = Some(worst.map_or_else(|| own.clone(), |worst| worse(&worst, &own)));
        report(course.fraction());
    }
    Ok(worst)
}

/// Returns the worse of each number of two diagnoses.
fn worse(one: &SampleDiagnosis, other: &SampleDiagnosis) -> SampleDiagnosis {
    SampleDiagnosis {
        r_hat: Real(one.r_hat.0.max(other.r_hat.0)),
        effective_draws: Real(one.effective_draws.0.min(other.effective_draws.0)),
        acceptance: Real(one.acceptance.0.min(other.acceptance.0)),
        rounds: one.rounds.max(other.rounds),
        converged: one.converged && other.converged,
    }
}

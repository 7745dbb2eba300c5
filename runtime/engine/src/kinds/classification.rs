//! Runs suites of classification.

mod measured;

use std::path::Path;

use anyhow::ensure;
use jointly_classification::cells;
use jointly_classification::{Classification, Problem, Source, Suite, evaluate};
use jointly_core::{Seed, agent_seed};
use jointly_host::{Failure, Interface, Limits, Trace};
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::settings::Settings;
use jointly_record::unit::{Outcome, Unit};

use crate::activity::Activity;
use crate::asked::Asked;
use crate::contestant::Contestant;
use crate::cost::Cost;
use crate::data_directories::DataDirectories;
use crate::equal_inputs;
use crate::failures::{inconsistent, unscored};
use crate::predictions::Predictions;
use crate::problem_set::{Belief, Participants, ProblemSet};
use crate::{contestant, oracle, plans, problems, real_data, training};

/// A suite of classification.
pub struct AskedClassification {
    /// The suite.
    pub suite: Suite,
}

impl Asked for AskedClassification {
    fn interface(&self) -> Interface {
        Interface::Classification
    }

    fn reference(&self, settings: &Settings) -> anyhow::Result<Contestant> {
        oracle::refuse_unknown_laws(&self.suite.problems)?;
        ensure!(
            self.suite.evaluation.precision.is_none(),
            "--draws auto doubles the draws until scores are precise, and the oracle has as many as its settings say: give \
             --draws a number"
        );
        Ok(Contestant::Oracle(oracle::sampling(settings, self.suite.evaluation.draws)?))
    }

    fn predictions(&self, folder: &Path) -> anyhow::Result<Predictions> {
        Predictions::open(folder, &self.suite.problems)
    }

    fn check(&self, _: &[PlannedAgent], _: &[Contestant], limits: Limits) -> anyhow::Result<()> {
        real_data::fits(&self.suite, limits)
    }

    fn into_plan(
        self: Box<Self>,
        seed: Seed,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        _: Option<PlannedAgent>,
    ) -> (Plan, Box<dyn ProblemSet>) {
        (plans::of_classification(&self.suite, seed, limits, agents), Box::new(self.suite.problems))
    }
}

/// Returns the suite of a plan.
pub(super) fn from_plan(
    directory: &RunDirectory,
    plan: &Plan,
    data: &DataDirectories,
) -> anyhow::Result<Box<dyn Asked>> {
    Ok(Box::new(AskedClassification { suite: problems::held(directory, plan, data)? }))
}

impl ProblemSet for Vec<Problem> {
    fn carry_out(
        &self,
        participants: Participants,
        unit: Unit,
        trace: &Trace,
        report: &mut dyn FnMut(f64),
    ) -> Result<(Outcome, Option<Belief>), Failure> {
        let outcome = classify(participants, &self[unit.problem], unit.agent, trace.clone(), report)?;
        Ok((outcome, None))
    }

    fn measure(&self, participants: Participants, unit: Unit, activity: &Activity) -> Option<Result<Cost, Failure>> {
        Some(measured::cost(participants, &self[unit.problem], unit, activity))
    }

    fn warnings(&self, plan: &Plan) -> Vec<String> {
        let cells = plan.options::<Classification>().and_then(|evaluation| cells::warning_of(evaluation, self));
        cells.into_iter().chain(self.iter().filter_map(equal)).chain(self.iter().filter_map(counted_from_one)).collect()
    }
}

/// Warns about a user-supplied problem whose inputs are all equal; datasets of this kind are refused.
fn equal(problem: &Problem) -> Option<String> {
    match &problem.source {
        Source::Imported(imported) => equal_inputs::warning(&problem.name, imported.equal_inputs()),
        Source::Synthetic { .. } | Source::Real(_) => None,
    }
}

/// Warns about a user-supplied problem that has no example of the first class.
fn counted_from_one(problem: &Problem) -> Option<String> {
    match &problem.source {
        Source::Imported(imported) if imported.lacks_first_class() => Some(format!(
            "no label of {} is 0, the first class, so that agents have one class more than the labels need: subtract 1 from \
             labels that are counted from 1",
            problem.name
        )),
        _ => None,
    }
}

fn classify(
    Participants { plan, agents, .. }: Participants,
    problem: &Problem,
    agent: usize,
    trace: Trace,
    report: &mut dyn FnMut(f64),
) -> Result<Outcome, Failure> {
    let evaluation = plan.options::<Classification>().expect("a plan of classification");
    let instance = problem.instance(plan.seed);
    let (scores, fuel, diagnosis) = match &agents[agent] {
        Contestant::Agent(contestant) => {
            let settings = plan.agents[agent].settings.to_list();
            let mut model = training::train(contestant, settings, plan.limits, trace, (problem, &instance), plan.seed)?;
            let scores = evaluate(&mut model, problem, &instance, evaluation, plan.seed, report).map_err(unscored)?;
            (scores, model.fuel_used(), None)
        }
        Contestant::Predictions(predictions) => {
            let mut model = predictions.model(problem, &instance, evaluation)?;
            let scores = evaluate(&mut model, problem, &instance, evaluation, plan.seed, report).map_err(unscored)?;
            (scores, None, None)
        }
        Contestant::Absent => return Err(contestant::absent()),
        Contestant::Oracle(sampling) => {
            let seed = agent_seed(plan.seed, problem.stream_name());
            let mut posterior = oracle::posterior(sampling, problem, &instance, seed, &trace)?;
            let scores =
                evaluate(&mut posterior, problem, &instance, evaluation, plan.seed, report).map_err(inconsistent)?;
            (scores, None, Some(oracle::diagnosis(&posterior)))
        }
    };
    Ok(Outcome::Scored { scores, fuel, diagnosis })
}

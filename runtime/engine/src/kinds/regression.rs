//! Runs suites of regression.

use anyhow::bail;
use jointly_core::Seed;
use jointly_host::{Failure, Interface, Limits, Trace};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::reference;
use jointly_record::settings::Settings;
use jointly_record::unit::{Outcome, Unit};
use jointly_regression::{FitError, Regression, RegressionProblem, RegressionResult, RegressionSuite, TableFile};

use crate::asked::Asked;
use crate::contestant::Contestant;
use crate::data_directories::DataDirectories;
use crate::failures::of_fit;
use crate::problem_set::{Belief, Participants, ProblemSet};
use crate::{plans, regression_suite, user_tables};

/// A suite of regression.
pub struct AskedRegression {
    /// The suite.
    pub suite: RegressionSuite,
    /// User-supplied tables that replace the suite's.
    pub tables: Vec<TableFile>,
    /// The agent that predicts in active learning, if it is not the agent that selects.
    pub predictor: Option<AgentSpec>,
}

impl Asked for AskedRegression {
    fn interface(&self) -> Interface {
        Interface::Regression
    }

    fn reference(&self, _: &Settings) -> anyhow::Result<Contestant> {
        bail!(
            "the {} takes part in classification only: {} is a suite of regression, whose problems have oracles of their \
             own; leave it out",
            reference::NAME,
            self.suite.name
        )
    }

    fn predictor(&self) -> Option<&AgentSpec> {
        self.predictor.as_ref()
    }

    fn tables(&self) -> &[TableFile] {
        &self.tables
    }

    fn into_plan(
        self: Box<Self>,
        seed: Seed,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        predictor: Option<PlannedAgent>,
    ) -> (Plan, Box<dyn ProblemSet>) {
        let tables = self.tables.iter().map(plans::planned_table).collect();
        let plan = Plan { tables, ..plans::of_regression(&self.suite, seed, limits, agents, predictor) };
        (plan, Box::new(self.suite.problems))
    }
}

/// Returns the suite of a plan.
pub(super) fn from_plan(
    directory: &RunDirectory,
    plan: &Plan,
    data: &DataDirectories,
) -> anyhow::Result<Box<dyn Asked>> {
    let tables = user_tables::held(directory, plan)?;
    Ok(Box::new(AskedRegression { suite: regression_suite::held(plan, &tables, data)?, tables, predictor: None }))
}

impl ProblemSet for Vec<RegressionProblem> {
    fn carry_out(
        &self,
        participants: Participants,
        unit: Unit,
        trace: &Trace,
        report: &mut dyn FnMut(f64),
    ) -> Result<(Outcome, Option<Belief>), Failure> {
        regress(participants, &self[unit.problem], unit.agent, trace, report)
    }
}

/// Trains and scores an agent. The fuel is the agent's, plus that of a separate predicting agent.
fn regress(
    Participants { plan, agents, predictor }: Participants,
    problem: &RegressionProblem,
    agent: usize,
    trace: &Trace,
    report: &mut dyn FnMut(f64),
) -> Result<(Outcome, Option<Belief>), Failure> {
    let options = plan.options::<Regression>().expect("a plan of regression");
    let contestant = agents[agent].agent()?;
    let mut agent = contestant.regressor(plan.agents[agent].settings.to_list(), plan.limits, trace.clone());
    let mut predictor = predictor
        .zip(plan.predictor())
        .map(|(predictor, planned)| predictor.regressor(planned.settings.to_list(), plan.limits, trace.clone()));
    let result = problem.run(&mut agent, predictor.as_mut(), plan.seed, options, report);
    let of_predictor = predictor.map_or(Some(0), |predictor| predictor.fuel_used());
    let fuel = agent.fuel_used().zip(of_predictor).map(|(own, predictor)| own + predictor);
    match result {
        Ok(RegressionResult { scores, belief }) => {
            let belief = belief.map(Belief::of);
            Ok((Outcome::Regression { scores: Box::new(scores), fuel }, belief))
        }
        Err(FitError::Predictor(error)) => {
            let label = plan.predictor().map_or("the agent", |predictor| predictor.label.as_str());
            let failure = of_fit(*error);
            Err(Failure { message: format!("{label}, which predicts: {}", failure.message), ..failure })
        }
        Err(error) => Err(of_fit(error)),
    }
}

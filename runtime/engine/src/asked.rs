//! A suite as requested by the user or recorded in a plan.

use std::path::Path;

use anyhow::{Result, bail};
use jointly_core::Seed;
use jointly_core::printable::ShowPath as _;
use jointly_host::{Interface, Limits};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::place::PREDICTIONS;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::settings::Settings;
use jointly_regression::TableFile;

use crate::agent_source;
use crate::contestant::Contestant;
use crate::predictions::Predictions;
use crate::problem_set::ProblemSet;

/// A suite as requested by the user or recorded in a plan: what a workload needs to know about its kind of task.
pub trait Asked {
    /// Returns the interface that its agents must support.
    fn interface(&self) -> Interface;

    /// Returns every bundled agent that can take part in all of its problems, at its defaults.
    fn all_bundled(&self) -> Vec<AgentSpec> {
        agent_source::all_bundled_for(self.interface())
    }

    /// Returns the host's own reference, with its settings.
    ///
    /// # Errors
    /// When the suite has none, or its settings are refused.
    fn reference(&self, settings: &Settings) -> Result<Contestant>;

    /// Returns a folder of predictions as an agent.
    ///
    /// # Errors
    /// When predictions cannot take part in the suite, or some are missing.
    fn predictions(&self, folder: &Path) -> Result<Predictions> {
        bail!(
            "predictions take part in suites of classification alone: leave {PREDICTIONS}{} out, or give another --suite",
            folder.shown()
        )
    }

    /// Refuses combinations that cannot be run, before any unit is paid for.
    ///
    /// # Errors
    /// When an agent cannot take part in a problem, or a problem does not fit into the limits.
    fn check(&self, _planned: &[PlannedAgent], _agents: &[Contestant], _limits: Limits) -> Result<()> {
        Ok(())
    }

    /// Returns the agent that predicts in active learning, if it is not the agent that selects.
    fn predictor(&self) -> Option<&AgentSpec> {
        None
    }

    /// Returns the user-supplied tables, to keep beside the scores.
    fn tables(&self) -> &[TableFile] {
        &[]
    }

    /// Makes the plan of the agents, and of the predicting agent if there is one, on the suite's problems; returns it
    /// with the problems.
    fn into_plan(
        self: Box<Self>,
        seed: Seed,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        predictor: Option<PlannedAgent>,
    ) -> (Plan, Box<dyn ProblemSet>);
}

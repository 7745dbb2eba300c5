//! The options of `run` and `sweep` that are only for decisions.

use anyhow::{Result, bail};
use clap::Args;
use jointly_engine::kinds::decisions::DecisionChoices;

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Options of decisions")]
pub(crate) struct DecisionArguments {
    /// Actions that an agent takes on a problem: more than the first random ones, and up to 100000 [default: the suite's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// The size of the next batch of actions, as a part of all actions before it, from 0 to 10. An agent is trained once a
    /// batch: 0 trains it before each action, and with 1 each batch is as large as all before it [default: the suite's]
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    growth: Option<f64>,
}

impl DecisionArguments {
    /// Returns the overrides of these options.
    pub(crate) fn choices(&self, draws: Option<u32>) -> DecisionChoices {
        DecisionChoices { draws, steps: self.steps, growth: self.growth }
    }

    /// Refuses these options if the suite is not of decisions.
    pub(crate) fn refuse(&self) -> Result<()> {
        let given = [("--steps", self.steps.is_some()), ("--growth", self.growth.is_some())];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} is for suites of decisions: leave it out"),
            None => Ok(()),
        }
    }
}

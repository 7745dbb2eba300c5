//! Options of `run` and `sweep` for regression.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, value_parser};
use jointly_core::estimate::MAX_DRAWS;
use jointly_record::agent_spec::AgentSpec;
use jointly_regression::{
    AgentUnits, Noise, RegressionOptions, RegressionProblem, RegressionSource, RegressionSuite, Residuals,
};

#[derive(Args)]
#[command(next_help_heading = "Options of regression")]
pub(crate) struct RegressionArguments {
    /// A user-supplied table in place of the suite's, as .csv (the target last) or .npz (x and y); may be repeated
    #[arg(long = "table", value_name = "FILE")]
    tables: Vec<PathBuf>,
    /// The distribution of the noise in simulated training sets [default: the suite's, normal]
    #[arg(long, value_enum, value_name = "DISTRIBUTION")]
    noise: Option<NoiseArgument>,
    /// The residuals that the noise of simulations of a table is sampled from [default: the suite's, out-of-bag]
    #[arg(long, value_enum, value_name = "WHICH")]
    residuals: Option<ResidualsArgument>,
    /// The units in which agents see a simulation [default: standardized, but data for the line and the constant]
    #[arg(long, value_enum, value_name = "UNITS")]
    agent_units: Option<AgentUnitsArgument>,
    /// Levels of the intervals, in whole percent, such as 50,90 [default: the suite's]
    #[arg(long, value_name = "PERCENT,...", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=99))]
    levels: Option<Vec<u32>>,
    /// Functions sampled for covariances and in active learning, for agents that state no moments [default: the
    /// suite's]
    #[arg(long, value_name = "M", value_parser = value_parser!(u32).range(1..=MAX_DRAWS as i64))]
    moment_draws: Option<u32>,
    /// Pool points of synthetic datasets [default: the suite's]
    #[arg(long, value_name = "N")]
    pool: Option<u32>,
    /// Test points of synthetic datasets [default: the suite's]
    #[arg(long, value_name = "N")]
    test: Option<u32>,
    /// Standardise synthetic datasets for agents, as all others are
    #[arg(long)]
    standardize: bool,
    /// Rounds of active learning [default: the suite's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// The agent that predicts in active learning, whichever agent selects, with settings as for an AGENT [default: the
    /// agent that selects]
    #[arg(long, value_name = "AGENT")]
    predict: Option<AgentSpec>,
}

/// An option, whether it was given, and which problems it is for.
type Purpose = (&'static str, bool, (&'static str, fn(&RegressionProblem) -> bool));

impl RegressionArguments {
    fn purposes(&self) -> [Purpose; 11] {
        let simulated = |problem: &RegressionProblem| matches!(problem.source, RegressionSource::Coverage(_));
        let from_table = |problem: &RegressionProblem| {
            matches!(problem.source, RegressionSource::Coverage(_)) && problem.table().is_some()
        };
        let covariances = |problem: &RegressionProblem| {
            matches!(problem.source, RegressionSource::Correlations(_) | RegressionSource::Active(_))
        };
        let synthetic = ("synthetic datasets", RegressionProblem::is_synthetic as fn(&RegressionProblem) -> bool);
        let active = ("active learning", RegressionProblem::asks_predictor as fn(&RegressionProblem) -> bool);
        [
            ("--table", !self.tables.is_empty(), ("regression", |_| true)),
            ("--noise", self.noise.is_some(), ("simulated training sets", simulated)),
            ("--residuals", self.residuals.is_some(), ("simulations that resemble a table", from_table)),
            ("--agent-units", self.agent_units.is_some(), ("simulated training sets", simulated)),
            ("--levels", self.levels.is_some(), ("regression", |_| true)),
            ("--moment-draws", self.moment_draws.is_some(), ("correlations and active learning", covariances)),
            ("--pool", self.pool.is_some(), synthetic),
            ("--test", self.test.is_some(), synthetic),
            ("--standardize", self.standardize, synthetic),
            ("--rounds", self.rounds.is_some(), active),
            ("--predict", self.predict.is_some(), active),
        ]
    }

    /// Refuses all of these options for suites that are not of regression.
    pub(crate) fn refuse(&self) -> Result<()> {
        match self.purposes().into_iter().find(|(_, given, _)| *given) {
            Some((option, ..)) => bail!("{option} is for suites of regression; see `jointly suites`"),
            None => Ok(()),
        }
    }

    /// Refuses options that would change none of the suite's problems.
    pub(crate) fn refuse_idle(&self, suite: &RegressionSuite) -> Result<()> {
        for (option, _, (purpose, serves)) in self.purposes().into_iter().filter(|(_, given, _)| *given) {
            let serves = |problem: &RegressionProblem| serves(problem);
            if !suite.problems.iter().any(serves) {
                bail!("{option} is for {purpose}, and {} has none: leave it out", suite.name);
            }
            if let Some(other) = suite.problems.iter().find(|problem| !serves(problem)) {
                bail!(
                    "{option} is for {purpose}, and {} is not one: leave it out, or leave out such problems with --problems",
                    other.name
                );
            }
        }
        Ok(())
    }

    /// Replaces the suite's options by those that were given.
    pub(crate) fn apply(&self, options: &mut RegressionOptions) {
        let whole = |levels: &Vec<u32>| levels.iter().map(|&percent| f64::from(percent) / 100.0).collect();
        options.noise = self.noise.map_or(options.noise, Into::into);
        options.residuals = self.residuals.map_or(options.residuals, Into::into);
        options.agent_units = self.agent_units.map(Into::into).or(options.agent_units);
        options.levels = self.levels.as_ref().map_or_else(|| options.levels.clone(), whole);
        options.moment_draws = self.moment_draws.unwrap_or(options.moment_draws);
        options.pool = self.pool.unwrap_or(options.pool);
        options.test = self.test.unwrap_or(options.test);
        options.standardize_synthetic |= self.standardize;
        options.rounds = self.rounds.unwrap_or(options.rounds);
    }

    /// Returns the tables that replace the suite's.
    pub(crate) fn tables(&self) -> &[PathBuf] {
        &self.tables
    }

    /// Returns the agent that predicts in active learning, if it is not the agent that selects.
    pub(crate) fn predictor(&self) -> Option<AgentSpec> {
        self.predict.clone()
    }
}

/// The distributions of simulated noise, named as in plan.json.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NoiseArgument {
    Normal,
    /// Heavier tails
    StudentT,
    /// Skewed
    Exponential,
}

impl From<NoiseArgument> for Noise {
    fn from(argument: NoiseArgument) -> Self {
        match argument {
            NoiseArgument::Normal => Self::Normal,
            NoiseArgument::StudentT => Self::StudentT,
            NoiseArgument::Exponential => Self::Exponential,
        }
    }
}

/// The residuals that the noise of simulated tables is sampled from, named as in plan.json.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ResidualsArgument {
    /// About the trees that did not see a row
    OutOfBag,
    /// About the whole forest, as the paper's algorithm is written
    InBag,
}

impl From<ResidualsArgument> for Residuals {
    fn from(argument: ResidualsArgument) -> Self {
        match argument {
            ResidualsArgument::OutOfBag => Self::OutOfBag,
            ResidualsArgument::InBag => Self::InBag,
        }
    }
}

/// The units in which agents see a simulation, named as in plan.json.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AgentUnitsArgument {
    /// Inputs and targets have mean 0 and variance 1 in the training set
    Standardized,
    /// Inputs have, and targets stay as they are
    StandardizedInputs,
    /// Inputs and targets stay as they are
    Data,
}

impl From<AgentUnitsArgument> for AgentUnits {
    fn from(argument: AgentUnitsArgument) -> Self {
        match argument {
            AgentUnitsArgument::Standardized => Self::Standardized,
            AgentUnitsArgument::StandardizedInputs => Self::StandardizedInputs,
            AgentUnitsArgument::Data => Self::Data,
        }
    }
}

//! Problems of regression: the data that an agent is trained and scored on in one unit of work.
//!
//! A problem's data depend on the run's seed and not on what the agent does. Problems that share data (a table, a
//! function, the forests of a simulation) name the same random streams and so get the same data.

mod acquisition;
mod active;
mod correlations;
mod coverage;
mod data;
mod options;
mod run;
mod split;
mod table;
mod unit;

pub use acquisition::Acquisition;
pub use active::ActiveProblem;
pub use correlations::CorrelationProblem;
pub use coverage::{CoverageProblem, CurveData, Toy};
pub use data::{PoolData, SyntheticSource, TableSource};
pub use options::{RegressionOptions, RegressionOptionsError};
pub use split::SplitProblem;
pub use table::{Table, TableError};
pub use unit::{Absence, CorrelationScores, Jitter, OracleRound, RegressionResult, RegressionUnit, Round};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jointly_core::Seed;
use jointly_core::coordinates::Coordinates;
use jointly_core::regression::dataset::RegressionTask;
use jointly_core::regression::regressor::Regressor;
use jointly_data::regression::RegressionTable;
use jointly_data::uci::{UciCard, load_uci, locate_uci};

use run::Run;

use super::fit::FitError;
use crate::noise::Noise;

/// One problem: agents train and are scored on it.
#[derive(Clone, Debug)]
pub struct RegressionProblem {
    /// The name used in results.
    pub name: String,
    /// The source of its data, and how agents are scored on it.
    pub source: RegressionSource,
    /// Its place in its suite.
    pub coordinates: Coordinates,
}

/// The source of a problem's data, and how agents are scored on it.
#[derive(Clone, Debug)]
pub enum RegressionSource {
    /// One simulated training set, and a test set whose true function is known.
    Coverage(CoverageProblem),
    /// One split of a table.
    Split(SplitProblem),
    /// Predictive correlations over a pool and test points.
    Correlations(CorrelationProblem),
    /// Transductive active learning.
    Active(ActiveProblem),
}

impl RegressionProblem {
    /// Returns the name from which the seeds of agents are derived: the problem's name, without the acquisition in
    /// active learning, so that all acquisitions begin with the same trained agents.
    pub fn stream_name(&self) -> &str {
        match &self.source {
            RegressionSource::Active(active) => active.stream_name(&self.name),
            _ => &self.name,
        }
    }

    /// Returns the digest of the table's contents; `None` if the problem uses no table or the table's data are not
    /// attached.
    pub fn digest(&self) -> Option<String> {
        self.table_source()?.data().map(|table| table.digest().to_owned())
    }

    /// Returns the name of the problem's table, if it uses one.
    pub fn table(&self) -> Option<&str> {
        self.table_source().map(Table::name)
    }

    /// Returns the problem's table, if it uses one.
    pub fn table_source(&self) -> Option<&Table> {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.table(),
            RegressionSource::Split(split) => Some(&split.table),
            RegressionSource::Correlations(problem) => problem.data.table(),
            RegressionSource::Active(active) => active.data.table(),
        }
    }

    /// Attaches the data of the problem's table, before the problem is run; see [`attach_tables`].
    ///
    /// # Panics
    /// When the problem uses another table, or none.
    pub fn attach(&mut self, table: &Arc<RegressionTable>) {
        let source = match &mut self.source {
            RegressionSource::Coverage(coverage) => coverage.table_mut(),
            RegressionSource::Split(split) => Some(&mut split.table),
            RegressionSource::Correlations(problem) => problem.data.table_mut(),
            RegressionSource::Active(active) => active.data.table_mut(),
        };
        source.unwrap_or_else(|| panic!("{} is made of a table", self.name)).attach(table);
    }

    /// Returns what agents are told about the task.
    pub fn task(&self) -> RegressionTask {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.task(),
            RegressionSource::Split(split) => split.table.task(),
            RegressionSource::Correlations(problem) => problem.data.task(),
            RegressionSource::Active(active) => active.data.task(),
        }
    }

    /// Returns whether a second agent, where there is one, makes the predictions: in active learning.
    pub fn asks_predictor(&self) -> bool {
        matches!(self.source, RegressionSource::Active(_))
    }

    /// Returns whether the data are drawn from the oracle's prior.
    pub fn is_synthetic(&self) -> bool {
        match &self.source {
            RegressionSource::Correlations(CorrelationProblem { data })
            | RegressionSource::Active(ActiveProblem { data, .. }) => matches!(data, PoolData::Synthetic(_)),
            RegressionSource::Coverage(_) | RegressionSource::Split(_) => false,
        }
    }

    /// Returns the training and test data for a seed and a noise distribution if the problem simulates a function of
    /// one input: the data that the agents of a run are given, and the truth. Reads no files.
    pub fn curve_data(&self, seed: Seed, noise: Noise) -> Option<CurveData> {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.curve_data(seed, noise),
            _ => None,
        }
    }

    /// Trains an agent and scores it.
    ///
    /// Only active learning uses `predictor`: it is trained on what `agent` selected, and scored. Without it, the
    /// selecting agent also predicts. `progress` receives the fraction done, up to 1. The result is a function of the
    /// problem, the agents, the seed and the options, to the bit.
    ///
    /// # Errors
    /// Errors of the agent, unchanged, and the other variants of [`FitError`].
    ///
    /// # Panics
    /// When the problem's table is not attached, or the options do not pass their [check](RegressionOptions::check).
    pub fn run<R: Regressor>(
        &self,
        agent: &mut R,
        predictor: Option<&mut R>,
        seed: Seed,
        options: &RegressionOptions,
        progress: &mut dyn FnMut(f64),
    ) -> Result<RegressionResult, FitError<R::Error>> {
        if let Err(error) = options.check() {
            panic!("{}: {error}", self.name);
        }
        let run = Run { seed, name: self.stream_name(), options };
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.run(&run, agent, progress),
            RegressionSource::Split(split) => split.run(&run, agent, progress),
            RegressionSource::Correlations(problem) => problem.run(&run, agent, progress),
            RegressionSource::Active(active) => active.run(&run, agent, predictor, progress),
        }
    }
}

/// Reads the tables that problems need from the data directories and attaches them. Each table is read once and shared
/// by its problems, and all tables are located before any is read. Tables with attached data and user-supplied tables
/// are left as they are.
///
/// # Errors
/// When a table is in none of the directories (the first one in alphabetical order is reported), or a file cannot be
/// used.
pub fn attach_tables(problems: &mut [RegressionProblem], directories: &[PathBuf]) -> Result<(), TableError> {
    let wanting = |problem: &RegressionProblem| {
        problem.table_source().filter(|table| table.data().is_none()).and_then(Table::card)
    };
    let cards: BTreeMap<&str, &'static UciCard> =
        problems.iter().filter_map(wanting).map(|card| (card.name, card)).collect();
    let mut folders = Vec::new();
    for card in cards.into_values() {
        folders.push((card, locate_uci(card, directories)?));
    }
    for (card, folder) in folders {
        let table = Arc::new(load_uci(card, &folder)?);
        for problem in problems.iter_mut().filter(|p| wanting(p).is_some_and(|wanted| wanted.name == card.name)) {
            problem.attach(&table);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

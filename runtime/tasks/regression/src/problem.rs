//! Problems of regression: the data that one unit of work trains and is scored on.
//!
//! A problem's data depend on the run's seed and on nothing that the agent does; problems that share data (a table, a
//! function, the forests of a simulation) are given the same by the names of their random streams.

mod active;
mod correlations;
mod coverage;
mod data;
mod options;
mod run;
mod split;
mod table;
mod unit;

pub use active::{Acquisition, ActiveProblem};
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
    /// The name that results carry.
    pub name: String,
    /// Where its data come from, and what is asked.
    pub source: RegressionSource,
    /// Where it stands in its suite.
    pub coordinates: Coordinates,
}

/// Where a problem's data come from, and what is asked.
#[derive(Clone, Debug)]
pub enum RegressionSource {
    /// One simulated training set and a test set whose truth is known.
    Coverage(CoverageProblem),
    /// One split of a table.
    Split(SplitProblem),
    /// Predictive correlations over a pool and test points.
    Correlations(CorrelationProblem),
    /// Transductive active learning.
    Active(ActiveProblem),
}

impl RegressionProblem {
    /// What the seeds of agents are derived from: the name, less the acquisition where there is one, so that all
    /// acquisitions begin with the same trained agents.
    pub fn stream_name(&self) -> &str {
        match &self.source {
            RegressionSource::Active(active) => active.stream_name(&self.name),
            _ => &self.name,
        }
    }

    /// The digest of the table's contents, where it is made of one and they are attached.
    pub fn digest(&self) -> Option<String> {
        self.table_source()?.data().map(|table| table.digest().to_owned())
    }

    /// The name of the table that it is made of, if any.
    pub fn table(&self) -> Option<&str> {
        self.table_source().map(Table::name)
    }

    /// The table that it is made of, if any.
    pub fn table_source(&self) -> Option<&Table> {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.table(),
            RegressionSource::Split(split) => Some(&split.table),
            RegressionSource::Correlations(problem) => problem.data.table(),
            RegressionSource::Active(active) => active.data.table(),
        }
    }

    /// Gives it its table, before it is run; see [`attach_tables`].
    ///
    /// # Panics
    /// When it is made of another table, or of none.
    pub fn attach(&mut self, table: &Arc<RegressionTable>) {
        let source = match &mut self.source {
            RegressionSource::Coverage(coverage) => coverage.table_mut(),
            RegressionSource::Split(split) => Some(&mut split.table),
            RegressionSource::Correlations(problem) => problem.data.table_mut(),
            RegressionSource::Active(active) => active.data.table_mut(),
        };
        source.unwrap_or_else(|| panic!("{} is made of a table", self.name)).attach(table);
    }

    /// What agents are told.
    pub fn task(&self) -> RegressionTask {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.task(),
            RegressionSource::Split(split) => split.table.task(),
            RegressionSource::Correlations(problem) => problem.data.task(),
            RegressionSource::Active(active) => active.data.task(),
        }
    }

    /// Whether what it predicts is told by a second agent where there is one.
    pub fn asks_predictor(&self) -> bool {
        matches!(self.source, RegressionSource::Active(_))
    }

    /// Whether its data are drawn from the oracle's prior.
    pub fn is_synthetic(&self) -> bool {
        match &self.source {
            RegressionSource::Correlations(CorrelationProblem { data })
            | RegressionSource::Active(ActiveProblem { data, .. }) => matches!(data, PoolData::Synthetic(_)),
            RegressionSource::Coverage(_) | RegressionSource::Split(_) => false,
        }
    }

    /// The data under a seed and a law of the noise, where it is a simulation of a function of one input: what a run's agents
    /// are given, and the truth. It needs no files.
    pub fn curve_data(&self, seed: u64, noise: Noise) -> Option<CurveData> {
        match &self.source {
            RegressionSource::Coverage(coverage) => coverage.curve_data(seed, noise),
            _ => None,
        }
    }

    /// Trains an agent and scores it.
    ///
    /// `predictor` is asked by active learning alone: it is trained on what `agent` selected, and scored. Where there is
    /// none, the selecting agent predicts itself. `progress` is told the fraction done, up to 1. The result depends on
    /// the problem, the agents, the seed and the options, to the bit.
    ///
    /// # Errors
    /// Those of the agent, as they are, and the rest of [`FitError`].
    ///
    /// # Panics
    /// When the problem's table is not attached, or the options do not pass their [check](RegressionOptions::check).
    pub fn run<R: Regressor>(
        &self,
        agent: &mut R,
        predictor: Option<&mut R>,
        seed: u64,
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

/// Reads the tables that problems are made of from data directories, each once, and attaches them; problems of one table share
/// it. All are located before any is read. A table that is attached already is left, and so is a person's own.
///
/// # Errors
/// The first table, in alphabetical order, that is in none of the directories, or a file that cannot be used.
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

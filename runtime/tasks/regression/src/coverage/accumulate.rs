//! Adds up simulations, in whatever order they finish.

use std::collections::BTreeMap;

use thiserror::Error;

use super::simulation::SimulationCoverage;
use super::summary::{CoverageSummary, LevelSummary};

/// Why a simulation's coverage cannot be added.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CoverageError {
    /// It is there already.
    #[error("simulation {0} is given twice")]
    Twice(u32),
    /// Its lists differ in length, or a probability is none.
    #[error(
        "simulation {0} is damaged: its lists must have an entry for each test point, and probabilities lie in [0, 1]"
    )]
    Damaged(u32),
    /// It has other test points than those before.
    #[error("simulation {simulation} has {found} test points, expected {expected}")]
    Points {
        /// The simulation.
        simulation: u32,
        /// Its test points.
        found: usize,
        /// Those of the others.
        expected: usize,
    },
    /// It has other levels than those before.
    #[error("simulation {simulation} has levels {found:?}, expected {expected:?}")]
    Levels {
        /// The simulation.
        simulation: u32,
        /// Its levels.
        found: Vec<f64>,
        /// Those of the others.
        expected: Vec<f64>,
    },
}

/// The coverage of all simulations of one process by one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    simulations: BTreeMap<u32, SimulationCoverage>,
}

impl Coverage {
    /// Adds a simulation by its number.
    ///
    /// # Errors
    /// When it is there already, is damaged, or has other levels or test points than those before.
    pub fn add(&mut self, simulation: u32, coverage: SimulationCoverage) -> Result<(), CoverageError> {
        let found = coverage.points().ok_or(CoverageError::Damaged(simulation))?;
        if let Some(first) = self.simulations.values().next() {
            let levels = |coverage: &SimulationCoverage| coverage.levels.iter().map(|level| level.level).collect();
            let (own, expected): (Vec<f64>, Vec<f64>) = (levels(&coverage), levels(first));
            if own != expected {
                return Err(CoverageError::Levels { simulation, found: own, expected });
            }
            if let Some(expected) = first.points().filter(|&points| points != found) {
                return Err(CoverageError::Points { simulation, found, expected });
            }
        }
        if self.simulations.contains_key(&simulation) {
            return Err(CoverageError::Twice(simulation));
        }
        self.simulations.insert(simulation, coverage);
        Ok(())
    }

    /// Number of simulations.
    pub fn simulations(&self) -> usize {
        self.simulations.len()
    }

    /// What the simulations that are there amount to, reduced in the order of their numbers; None without any.
    pub fn summary(&self) -> Option<CoverageSummary> {
        let first = self.simulations.values().next()?;
        let level = |i: usize| {
            let levels: Vec<_> = self.simulations.values().map(|simulation| &simulation.levels[i]).collect();
            LevelSummary::of(&levels)
        };
        let levels = (0..first.levels.len()).map(level).collect();
        Some(CoverageSummary { simulations: self.simulations.len() as u32, levels })
    }
}

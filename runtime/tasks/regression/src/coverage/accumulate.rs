//! Collects simulations, in any order.

use std::collections::BTreeMap;

use thiserror::Error;

use super::simulation::SimulationCoverage;
use super::summary::{CoverageSummary, LevelSummary};

/// Why a simulation's coverage cannot be added.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CoverageError {
    /// The simulation was added before.
    #[error("simulation {0} is given twice")]
    Twice(u32),
    /// The lists differ in length, or a probability is not in [0, 1].
    #[error(
        "simulation {0} is damaged: its lists must have an entry for each test point, and probabilities lie in [0, 1]"
    )]
    Damaged(u32),
    /// The number of test points differs from the simulations before.
    #[error("simulation {simulation} has {found} test points, expected {expected}")]
    Points {
        /// The number of the simulation.
        simulation: u32,
        /// Its number of test points.
        found: usize,
        /// The number of test points of the others.
        expected: usize,
    },
    /// The levels differ from the simulations before.
    #[error("simulation {simulation} has levels {found:?}, expected {expected:?}")]
    Levels {
        /// The number of the simulation.
        simulation: u32,
        /// Its levels.
        found: Vec<f64>,
        /// The levels of the others.
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
    /// When the simulation was added before, is damaged, or has other levels or test points than those before.
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

    /// Returns the number of simulations.
    pub fn simulations(&self) -> usize {
        self.simulations.len()
    }

    /// Summarises the simulations added so far, in the order of their numbers; `None` without any.
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

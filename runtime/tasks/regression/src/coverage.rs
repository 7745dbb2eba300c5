//! Coverage of intervals: over the test points of one simulation, and at each test point over many simulations.
//!
//! One simulation gives a [`SimulationCoverage`], which a journal can hold. A [`Coverage`] collects those of all
//! simulations in any order and summarises them. Sluijterman, Cator and Heskes, sections 2.2 and 4.

mod accumulate;
mod brier;
mod packed;
mod simulation;
mod summary;

pub use accumulate::{Coverage, CoverageError};
pub use brier::{Brier, brier};
pub use packed::{Flags, Numbers};
pub use simulation::{LevelCoverage, SimulationCoverage};
pub use summary::{CoverageSummary, IntervalSummary, LevelSummary};

#[cfg(test)]
mod tests;

//! Regression: agents that predict real numbers, and how well their intervals cover at every input.
//!
//! A [`Regressor`](jointly_core::regression::Regressor) is trained and returns a
//! [`Belief`](jointly_core::regression::Belief), which makes its predictions. [`fit`](fn@fit) standardises the data for
//! it. [`Fitted::predict`] undoes the standardisation and derives from draws what the agent does not give. A
//! [`Process`] makes training sets whose true function and noise are known; [`evaluate`](fn@evaluate) scores an agent
//! trained on one of them, and [`Coverage`] combines many: Sluijterman, Cator and Heskes, "How to Evaluate Uncertainty
//! Estimates in Machine Learning for Regression?".
#![deny(missing_docs)]

pub mod coverage;
pub mod cross;
pub mod evaluate;
pub mod fit;
pub mod forest;
mod kind;
pub mod metric;
pub mod noise;
pub mod oracle;
pub mod predictive;
pub mod problem;
pub mod process;
pub mod score;
pub mod scores;
pub mod standardize;
pub mod suites;
pub mod user_tables;

pub use coverage::{Coverage, CoverageError, CoverageSummary, SimulationCoverage};
pub use cross::{BeliefDefect, CorrelationBelief, CrossError, CrossScores, MOST_BELIEF_BYTES, cross_scores};
pub use evaluate::{Evaluated, evaluate};
pub use fit::{FitError, Fitted, fit, fit_in};
pub use kind::Regression;
pub use noise::Noise;
pub use predictive::{Joint, Origin, Prediction, PredictionOptions};
pub use problem::{
    Absence, Acquisition, CorrelationScores, CurveData, OracleRound, RegressionOptions, RegressionOptionsError,
    RegressionProblem, RegressionResult, RegressionSource, RegressionUnit, Round, Table, TableError, attach_tables,
};
pub use process::{Curve, Process, ProcessError, ProcessInstance, Residuals, Simulation, Sizes, TestSet};
pub use score::RegressionScores;
pub use standardize::{AgentUnits, Standardization, StandardizeError};
pub use suites::{RegressionSuite, regression_suite, regression_suite_on, regression_suites};
pub use user_tables::{TableFile, user_table};

#[cfg(test)]
mod tests;

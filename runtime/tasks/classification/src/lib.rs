//! Classification: environments and other sources of problems, their suites, the oracle, and the scoring of a trained
//! agent, also under dataset shift.
#![deny(missing_docs)]

mod asked_draws;
mod best_accuracy;
pub mod cells;
pub mod environment;
pub mod evaluate;
pub mod evaluation;
mod kind;
pub mod oracle;
pub mod predictions;
pub mod problem;
pub mod problem_scores;
mod rule;
pub mod scores;
pub mod shift;
pub mod suite;
pub mod test_inputs;

pub use asked_draws::{AskedDraws, AskedDrawsError};
pub use best_accuracy::BestAccuracy;
pub use environment::{Environment, EnvironmentSpec, Initialization};
pub use evaluate::{EvaluateError, evaluate};
pub use evaluation::{Evaluation, EvaluationError};
pub use kind::Classification;
pub use predictions::{PredictionOptions, PredictionScores, score_predictions};
pub use problem::{Instance, Problem, Source};
pub use problem_scores::ProblemScores;
pub use suite::{Suite, suite, suites};
pub use test_inputs::TestInputs;

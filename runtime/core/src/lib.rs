//! Data, environments, estimators, metrics and suites of Jointly: everything that a score is made of but the agent.
//!
//! Nothing here knows of WebAssembly. An agent is whatever implements [`Classifier`] and [`Model`]: the host does for
//! a component, a test does in ten lines for an agent whose answer is known on paper.
#![deny(missing_docs)]

pub mod classifier;
pub mod correlations;
pub mod data;
pub mod dataset;
pub mod digest;
pub mod distribution;
pub mod environment;
pub mod estimate;
pub mod evaluate;
pub mod evaluation;
pub mod failure;
pub mod import;
pub mod interface;
pub mod limits;
pub mod matrix;
pub mod metric;
pub mod multimodal;
pub mod oracle;
pub mod predictions;
pub mod printable;
pub mod problem;
pub mod regression;
pub mod score;
pub mod setting;
pub mod shift;
pub mod statistics;
pub mod stream;
pub mod suite;
pub mod test_inputs;

pub use classifier::{Classifier, Model};
pub use data::{Card, DataError, LoadedDataset, RealProblem};
pub use dataset::{Dataset, DatasetError, MAX_CLASSES, Task};
pub use digest::digest;
pub use distribution::{SUM_TOLERANCE, distribution_defect};
pub use environment::{Environment, EnvironmentSpec, Initialization};
pub use evaluate::{EvaluateError, evaluate};
pub use evaluation::{Evaluation, EvaluationError, Partitioning};
pub use import::{ImportDefect, ImportError, ImportedProblem, MAX_IMPORT_BYTES};
pub use matrix::{Matrix, ShapeError};
pub use metric::Metric;
pub use multimodal::{
    Inputs, MultimodalClassifier, MultimodalDataset, MultimodalError, MultimodalModel, MultimodalTask, TokenMatrix,
    Tokens,
};
pub use predictions::{PredictionOptions, PredictionScores, score_predictions};
pub use problem::{Instance, Problem, Source, TauSamples};
pub use score::{JointScore, ProblemScores, Real, Score};
pub use statistics::{Summary, clustered_error, paired_difference, round_significant, summarize, summarize_clusters};
pub use stream::{Stream, agent_seed, stream};
pub use suite::{Suite, suite, suites};
pub use test_inputs::TestInputs;

//! Scores of every kind of task: random streams, statistics, matrices, estimators, metrics, and the traits of agents.
//!
//! Nothing here reads a file or knows about WebAssembly. An agent is any type that implements [`Classifier`] and
//! [`Model`]: the host implements them for a component, and a test does so in ten lines for an agent whose answer can
//! be computed by hand.
#![deny(missing_docs)]

pub mod class_probs;
pub mod classifier;
pub mod coordinates;
pub mod correlations;
pub mod counted;
pub mod dataset;
pub mod description;
pub mod digest;
pub mod distribution;
pub mod estimate;
pub mod failure;
pub mod functions;
pub mod guess;
pub mod image_shape;
pub mod inputs;
pub mod interface;
pub mod kind;
pub mod layout;
pub mod limits;
pub mod matrix;
pub mod metric;
pub mod normal_inputs;
pub mod pick;
pub mod printable;
pub mod regression;
pub mod score;
pub mod score_def;
pub mod scored;
pub mod seed;
pub mod setting;
pub mod statistics;
pub mod stream;
pub mod task;
pub mod tau_samples;
pub mod tokens;
pub mod trace;
pub mod units;

pub use classifier::{Classifier, Model};
pub use coordinates::{Coordinates, Repetition};
pub use counted::counted;
pub use dataset::{Dataset, DatasetError};
pub use description::{Description, Parameter, Sweep, is_plain_name};
pub use digest::digest;
pub use distribution::{SUM_TOLERANCE, distribution_defect};
pub use estimate::Partitioning;
pub use image_shape::{ImageShape, ImageShapeError};
pub use inputs::{Inputs, RowsError};
pub use kind::{Kind, TaskKind, TaskOptions, TaskScores};
pub use layout::{Layout, Pick};
pub use matrix::{Matrix, ShapeError};
pub use metric::Metric;
pub use score::{JointScore, Real, Score};
pub use score_def::{At, Better, Context, FUEL, Meaning, ScoreDef, ScoreInfo, ScoreName, Unit};
pub use scored::{DrawsOfScore, Scored};
pub use seed::{Seed, SeedError};
pub use statistics::{
    Summary, clustered_error, paired_difference, ratio_of_means, round_significant, summarize, summarize_clusters,
};
pub use stream::{Stream, agent_seed, stream};
pub use task::{InputsError, MAX_CLASSES, Task};
pub use tau_samples::TauSamples;
pub use tokens::{TokenMatrix, Tokens};
pub use trace::Trace;
pub use units::Units;

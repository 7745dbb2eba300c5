//! What the neural agents share: dense networks, their training and ensembles of them.

pub mod adam;
pub mod agent;
pub mod batches;
pub mod choice;
pub mod ensemble;
pub mod layout;
pub mod loss;
pub mod minibatch;
pub mod network;
pub mod penalty;
pub mod predict;
pub mod product;
pub mod simd;
pub mod softmax;
pub mod sparse;
pub mod stream;
pub mod sweeps;
pub mod training;

pub use agent::{Agent, EnsembleAgent};
pub use choice::Choice;
pub use ensemble::{Ensemble, Recipe, Weighting};
pub use network::{FirstBiases, Network};
pub use penalty::Penalty;
pub use predict::predict;
pub use stream::Stream;

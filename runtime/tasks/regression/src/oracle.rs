//! The Gaussian process that synthetic data are drawn from, and its posterior after training data: the oracle.

mod kernel;
mod posterior;
mod synthetic;

pub use kernel::ReluKernel;
pub use posterior::{At, Posterior};
pub use synthetic::{Functions, SyntheticData, SyntheticDataset, SyntheticSpec};

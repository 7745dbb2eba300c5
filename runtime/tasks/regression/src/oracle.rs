//! The Gaussian process that the synthetic data come from, and what it believes after seeing data: the oracle.

mod kernel;
mod posterior;
mod synthetic;

pub use kernel::ReluKernel;
pub use posterior::{At, Posterior};
pub use synthetic::{Functions, SyntheticData, SyntheticDataset, SyntheticSpec};

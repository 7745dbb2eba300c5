//! Code that the agents with kernels and linear models share: Cholesky factors, kernels, their fitting, and sampling of
//! functions.
#![deny(missing_docs)]

pub mod adam;
pub mod answer;
pub mod bounds;
pub mod cholesky;
pub mod covariance;
pub mod evidence;
pub mod features;
pub mod fit;
pub mod gamma;
pub mod kernel;
pub mod kmeans;
pub mod lbfgs;
pub mod limits;
pub mod linear;
pub mod pair;
pub mod pathwise;
pub mod posterior;
pub mod product;
pub mod rational_quadratic;
pub mod rbf;
pub mod relu;
pub mod rows;
pub mod scales;
pub mod stream;
pub mod student;

pub use answer::{finite_gaussian, finite_samples, widths_agree};
pub use bounds::Bound;
pub use cholesky::{Cholesky, NotPositive};
pub use covariance::Covariance;
pub use features::Features;
pub use fit::{Fit, Optimizer, Recipe, fit};
pub use jointly_sdk::Progress;
pub use kernel::Kernel;
pub use limits::at_most;
pub use linear::Linear;
pub use pathwise::Pathwise;
pub use posterior::Posterior;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use relu::Relu;
pub use rows::Rows;
pub use stream::Stream;

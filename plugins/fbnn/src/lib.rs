//! The agent `fbnn`: a Gaussian distribution over functions, trained against a Gaussian process prior at random points. For
//! classes there is a function for each, and their softmax.

mod classes;
mod expected;
mod network;
mod objective;
mod regression;
mod steps;

pub use classes::FunctionalClassifier;
pub use regression::FunctionalNetwork;

jointly_sdk::export!(classifier: FunctionalClassifier, regressor: FunctionalNetwork);

//! The library for authors of Jointly agents: implement [`Classifier`] or [`Regressor`], name it in [`export!`], and
//! compile with `cargo build --release --target wasm32-unknown-unknown`. An [`InputClassifier`] also reads texts and
//! categories.
//!
//! ```
//! use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task};
//!
//! /// Predicts every class with the same probability.
//! struct Even(usize);
//!
//! impl Classifier for Even {
//!     fn describe() -> Description {
//!         let description = Description::new("even", "0.1.0", "the same probability for every class");
//!         Description { deterministic: true, ..description }
//!     }
//!
//!     fn train(task: &Task, _: &Dataset, _: Option<&Dataset>, _: &[Setting], _: u64) -> Result<Self, Failure> {
//!         Ok(Even(task.num_classes))
//!     }
//!
//!     fn probs(&self, _: &Matrix, _draw: u64, out: &mut [f32]) -> Result<(), Failure> {
//!         out.fill(1.0 / self.0 as f32);
//!         Ok(())
//!     }
//! }
//!
//! jointly_sdk::export!(classifier: Even);
//! ```
//!
//! An agent that learns real numbers returns functions instead of probabilities: [`FunctionSamples`] has the value of
//! draw `m` at row `t`, without noise, at `m * rows + t`, and the noise's standard deviation there. Inputs and
//! targets ([`Targets`]) are standardised by the training set, and means and noise are in the same units. A suite
//! that does not standardise its data, such as `correlations/synthetic`, gives the noise in [`RegressionTask`].
//!
//! ```
//! use jointly_sdk::{Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Rng, Setting, Targets};
//!
//! /// A line through the origin in the first feature; a draw reweights the examples (the Bayesian bootstrap).
//! struct Lines { examples: Targets, noise_std: f32, seed: u64 }
//!
//! impl Regressor for Lines {
//!     fn describe() -> Description {
//!         Description::new("lines", "0.1.0", "lines of one feature under the Bayesian bootstrap")
//!     }
//!
//!     fn train(
//!         task: &RegressionTask, data: &Targets, _: Option<&Targets>, settings: &[Setting], seed: u64,
//!     ) -> Result<Self, Failure> {
//!         jointly_sdk::parse_settings(&[], settings)?; // it has none, and refuses all
//!         Ok(Lines { examples: data.clone(), noise_std: task.noise_std.unwrap_or(0.5), seed })
//!     }
//!
//!     fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
//!         let mut means = Vec::with_capacity(draws.len() * inputs.rows());
//!         for draw in draws {
//!             let (mut rng, mut xy, mut xx) = (Rng::new(self.seed, *draw), 0.0, 1.0);
//!             for (i, y) in self.examples.targets.iter().enumerate() {
//!                 let (weight, x) = (rng.exponential(), self.examples.inputs.row(i)[0]);
//!                 (xy, xx) = (xy + weight * x * y, xx + weight * x * x);
//!             }
//!             means.extend((0..inputs.rows()).map(|t| xy / xx * inputs.row(t)[0])); // at m * rows + t
//!         }
//!         Ok(FunctionSamples { noise_stds: vec![self.noise_std; means.len()], means })
//!     }
//! }
//!
//! jointly_sdk::export!(regressor: Lines);
//! ```
#![deny(missing_docs)]

mod classifier;
mod data;
mod description;
mod export;
mod failure;
mod given;
mod host;
mod input_classifier;
mod inputs;
mod matrix;
mod progress;
mod regressor;
mod rng;
mod setting;
mod setting_value;
mod settings;
mod softmax;
mod task;

pub use classifier::Classifier;
pub use data::{Dataset, Targets};
pub use description::{Description, Kind, Parameter, Sweep, sweep};
pub use failure::Failure;
pub use given::Given;
pub use host::{log, progress};
pub use input_classifier::InputClassifier;
pub use inputs::{Inputs, TokenMatrix};
pub use matrix::Matrix;
pub use progress::Progress;
pub use regressor::{Bounds, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor};
pub use rng::Rng;
pub use setting::Setting;
pub use setting_value::{Count, Fraction, NonNegative, Positive, Probability, SettingValue, Widths};
pub use settings::{malformed_setting, parse_settings};
pub use softmax::softmax;
pub use task::{ImageShape, Task, Tokens};

/// The most parts of a training: see [`Classifier::parts`].
pub const MOST_PARTS: u32 = 1_000;

/// The interface that this crate implements; every agent's module names it in a custom section.
pub const INTERFACE: &str = "jointly:agent@0.3.0";

#[doc(hidden)]
pub mod bindings;
#[doc(hidden)]
pub mod glue;

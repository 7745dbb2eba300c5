//! Loads agents, checks what they import and export, limits them, calls them, and classifies what goes wrong.
//!
//! An [`Agent`] is a compiled component; [`Agent::with`] gives it settings and limits and makes it a
//! [`Classifier`](jointly_core::Classifier), [`Agent::regressor`] a
//! [`Regressor`](jointly_core::regression::Regressor), [`Agent::multimodal`] a
//! [`MultimodalClassifier`](jointly_core::MultimodalClassifier). Each training runs in a store of its own, so that no state passes from
//! one unit to another.
#![deny(missing_docs)]

mod agent;
mod artifact;
mod bindings;
mod charge;
mod classifier;
mod description;
mod failure;
mod interface;
mod invalid;
mod limits;
mod load_error;
mod meter;
mod multimodal;
mod printable;
mod regressor;
mod runtime;
mod sandbox;
mod setting;
mod trace;
mod trained;
mod wasi;
mod world;

pub use agent::Agent;
pub use classifier::ConfiguredAgent;
pub use description::{Description, LONGEST_NAME, Parameter, Sweep};
pub use failure::{Failure, Kind, Phase};
pub use interface::Interface;
pub use limits::Limits;
pub use load_error::LoadError;
pub use multimodal::{ConfiguredMultimodal, TrainedMultimodal};
pub use printable::is_printable;
pub use regressor::{ConfiguredRegressor, TrainedRegressor};
pub use runtime::{Execution, Runtime};
pub use setting::Setting;
pub use trace::Trace;
pub use trained::Trained;

/// The interface that this host speaks.
pub const INTERFACE: &str = "jointly:agent@0.2.0";

/// The engine that runs the agents and its release, which decides how fuel is counted.
pub const ENGINE: &str = concat!("wasmtime ", env!("WASMTIME_VERSION"));

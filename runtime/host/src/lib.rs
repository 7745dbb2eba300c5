//! Loads agents, checks their imports and exports, limits and calls them, and classifies their failures.
//!
//! An [`Agent`] is a compiled component; [`Agent::classifier`] gives it settings and limits and makes it a
//! [`Classifier`](jointly_core::Classifier), [`Agent::regressor`] a [`Regressor`](jointly_core::regression::Regressor).
//! Each training has its own stores, so no state passes from one unit to another.
#![deny(missing_docs)]

mod agent;
mod arity;
mod artifact;
mod bindings;
mod charge;
mod classifier;
mod code_cache;
mod compiler;
mod copies;
mod described;
mod engine;
mod extent;
mod function_extent;
mod given;
mod load_error;
mod machine_code;
mod meter;
mod parts;
mod pool;
mod prices;
mod regressor;
mod runtime;
mod sandbox;
mod wasi;
mod world;

pub use agent::Agent;
pub use classifier::{ConfiguredClassifier, TrainedClassifier};
pub use compiler::{Compiler, compile_if_asked};
pub use engine::Execution;
pub use jointly_core::description::{Description, Parameter, Sweep};
pub use jointly_core::failure::{Failure, Kind, Phase};
pub use jointly_core::interface::{INTERFACE, Interface, LONGEST_NAME};
pub use jointly_core::limits::Limits;
pub use jointly_core::printable::is_printable;
pub use jointly_core::setting::Setting;
pub use jointly_core::trace::Trace;
pub use load_error::LoadError;
pub use regressor::{ConfiguredRegressor, TrainedRegressor};
pub use runtime::Runtime;

/// The name and release of the WebAssembly engine, and the number of its price list: both decide how fuel is counted.
pub const ENGINE: &str = concat!("wasmtime ", env!("WASMTIME_VERSION"), ", prices ", prices::number!());

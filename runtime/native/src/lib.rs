//! Agents outside the sandbox: processes and servers that speak the protocol of `docs/native-agents.md`.
//!
//! A [`NativeAgent`] is where such an agent is reached and how it describes itself. It makes a [`NativeClassifier`] or
//! a [`NativeRegressor`], which train through a connection of their own. What the agent answers is checked as the
//! answers of a component are; how it came about cannot be checked.
#![deny(missing_docs)]

#[cfg(target_endian = "big")]
compile_error!("the arrays of a message are little-endian, as memory must be");

mod agent;
mod array;
mod classifier;
mod connection;
mod described;
mod fault;
mod pool;
mod process;
mod regressor;
mod session;
mod slowness;
mod source;
mod trained;

pub use agent::{NativeAgent, StartError};
pub use classifier::{NativeClassifier, NativeModel};
pub use process::kill_all;
pub use regressor::{NativeBelief, NativeRegressor};
pub use slowness::when_slow;
pub use source::Source;

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u64 = 1;

/// The largest difference between two answers to one question that an audit accepts: frameworks change bits with the
/// size of a batch.
pub const TOLERANCE: f32 = 1e-4;

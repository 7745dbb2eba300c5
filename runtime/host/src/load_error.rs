//! Why a file is not an agent that this host runs, with the remedy.

use crate::description::LONGEST_TEXT;
use crate::printable::clean;
use crate::{Failure, INTERFACE, LONGEST_NAME};

/// Why a file was refused; every message fits after "failed to load FILE: ".
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not WebAssembly.
    #[error(
        "not WebAssembly: it does not start with \\0asm; compile the agent with `cargo build --release --target \
         wasm32-unknown-unknown`"
    )]
    NotWasm,
    /// The bytes start like WebAssembly and do not go on so.
    #[error("damaged or truncated: {0}; build or copy it again")]
    Malformed(String),
    /// A core module that says nothing of its interface.
    #[error(
        "a core module without a component type; build the agent with jointly-sdk or wit-bindgen, for \
         wasm32-unknown-unknown"
    )]
    Untyped,
    /// Other components with code lie within it.
    #[error(
        "composed of several components, and an agent is one: hand over the component that is the agent, uncomposed"
    )]
    Composed,
    /// It wants something that the sandbox does not offer.
    #[error(
        "imports {0}, which the sandbox does not offer; an agent may import only {INTERFACE}'s host interface and what \
         docs/wasi.md lists of WASI 0.2's cli, clocks, filesystem, http, io, random and sockets"
    )]
    ForbiddenImport(String),
    /// It speaks another version of the interface.
    #[error("speaks {0} and this host speaks {INTERFACE}; rebuild it against that version")]
    OtherVersion(String),
    /// It is a component for something else.
    #[error(
        "not an agent: it exports {0} and not {INTERFACE}'s info with classification or regression; export the \
         world classifier or regressor"
    )]
    ForeignWorld(String),
    /// The engine would not compile or link it.
    #[error("not accepted by the engine: {0}")]
    Engine(String),
    /// Its name would not fit a leaderboard.
    #[error("calls itself {0:?}; a name is 1 to {LONGEST_NAME} letters, digits and + . _ - (the description's `name`)")]
    Name(String),
    /// A text of its description would not fit a table.
    #[error("describes {0:?} by a name or value that is not printable or longer than {LONGEST_TEXT} bytes")]
    Text(String),
    /// It would not even say what it is.
    #[error("does not describe itself: {0}")]
    Describe(Failure),
}

/// The cause of an engine's error as one line; what lies over it is where in the guest's code it came up.
pub(crate) fn one_line(error: &wasmtime::Error) -> String {
    let text = error.root_cause().to_string();
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

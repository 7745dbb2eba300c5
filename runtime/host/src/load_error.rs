//! Why the host refuses to load a file as an agent, and what to do about it.

use crate::{Failure, INTERFACE, LONGEST_NAME};
use jointly_core::description::LONGEST_TEXT;
use jointly_core::printable::clean;

/// Why a file was refused; every message fits after "failed to load FILE: ".
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The bytes are not WebAssembly.
    #[error(
        "not WebAssembly: it does not start with \\0asm; compile the agent with `cargo build --release --target \
         wasm32-unknown-unknown`"
    )]
    NotWasm,
    /// The bytes start as WebAssembly and are invalid later.
    #[error("damaged or truncated: {0}; build or copy it again")]
    Malformed(String),
    /// A core module without a component type.
    #[error(
        "a core module without a component type; build the agent with jointly-sdk or wit-bindgen, for \
         wasm32-unknown-unknown"
    )]
    Untyped,
    /// The component contains other components with code.
    #[error(
        "composed of several components, and an agent is one: hand over the component that is the agent, uncomposed"
    )]
    Composed,
    /// A function or block has more values than any compiler makes.
    #[error(
        "has a type of {parameters} parameters and {results} results, and {} and {} are the most; pass what is more in memory",
        most.0,
        most.1
    )]
    Wide {
        /// The number of parameters.
        parameters: usize,
        /// The number of results.
        results: usize,
        /// The most of both.
        most: (usize, usize),
    },
    /// An import that the sandbox does not offer.
    #[error(
        "imports {0}, which the sandbox does not offer; an agent may import only {INTERFACE}'s host interface and what \
         docs/wasi.md lists of WASI 0.2's cli, clocks, filesystem, http, io, random and sockets"
    )]
    ForbiddenImport(String),
    /// The component uses another version of the interface.
    #[error("speaks {0} and this host speaks {INTERFACE}; rebuild it against that version")]
    OtherVersion(String),
    /// A component that is not an agent.
    #[error(
        "not an agent: it exports {0} and not {INTERFACE}'s info with classification or regression; export the \
         world classifier or regressor"
    )]
    ForeignWorld(String),
    /// The interface for training in parts lacks a function.
    #[error("exports classification-parts without its function {0}; export the world classifier-in-parts")]
    Parts(&'static str),
    /// The file asks for more than is compiled.
    #[error(
        "too large to compile: {value} {what}, and the limit is {limit}; divide what is large, or build it optimised"
    )]
    TooLarge {
        /// The quantity that is too large.
        what: &'static str,
        /// How large it is, or more.
        value: u64,
        /// The most that it may be.
        limit: u64,
    },
    /// The compiler has reached its limit of CPU time.
    #[error(
        "compiling took more than {0} s of CPU time, the limit for a file of its size; divide its largest functions"
    )]
    CompileTime(u64),
    /// The compiler has reached its limit of memory.
    #[error(
        "compiling took more than {0} MiB of memory, the limit for a file of its size; divide its largest functions"
    )]
    CompileMemory(u64),
    /// The compiler's process gave no answer.
    #[error("the compiler failed: {0}")]
    Compiler(String),
    /// The engine cannot compile or link the component.
    #[error("not accepted by the engine: {0}")]
    Engine(String),
    /// The agent's name is not valid on a leaderboard.
    #[error("calls itself {0:?}; a name is 1 to {LONGEST_NAME} letters, digits and + . _ - (the description's `name`)")]
    Name(String),
    /// A name or value of the description is not printable or too long.
    #[error("describes {0:?} by a name or value that is not printable or longer than {LONGEST_TEXT} bytes")]
    Text(String),
    /// The call for the agent's description failed.
    #[error("does not describe itself: {0}")]
    Describe(Failure),
}

/// Returns the cause of an engine's error as one line; the errors around it only locate it in the guest's code.
pub(crate) fn one_line(error: &wasmtime::Error) -> String {
    let text = error.root_cause().to_string();
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

//! The engine with its guarantees.

use std::num::NonZero;

use wasmtime::{Config, Engine, OptLevel};

use crate::load_error::{LoadError, one_line};
use crate::prices::prices;

/// The bytes of a guest's stack; deeper recursion traps.
const STACK_BYTES: usize = 1 << 20;

/// The target of the interpreter's code: pointer width and byte order of this machine.
const INTERPRETER: &str = match (cfg!(target_pointer_width = "64"), cfg!(target_endian = "little")) {
    (true, true) => "pulley64",
    (true, false) => "pulley64be",
    (false, true) => "pulley32",
    (false, false) => "pulley32be",
};

/// How an agent's code is executed. All ways give the same bits, and the first two count the same fuel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// Compiled to machine code.
    #[default]
    Compiled,
    /// Run in the engine's portable interpreter: many times slower, and an independent check, because it shares no
    /// machine code with compiled execution.
    Interpreted,
    /// Compiled as it is, with the canonical NaNs of the engine after each operation: slower, of another fuel, and an
    /// independent check of the [sinks](jointly_sinks) that the two others have.
    WithoutSinks,
}

/// Where compiled code makes NaNs canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nans {
    /// Where the component itself does, as one [with sinks](jointly_sinks) does.
    ByComponent,
    /// After each operation.
    Everywhere,
}

/// Makes an engine. All engines of a mode of execution take each other's compiled code, whatever it does to NaNs.
pub(crate) fn engine(execution: Execution, nans: Nans) -> Result<Engine, LoadError> {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .wasm_simd(true)
        .wasm_relaxed_simd(true)
        .relaxed_simd_deterministic(true)
        .cranelift_nan_canonicalization(nans == Nans::Everywhere)
        .cranelift_opt_level(OptLevel::Speed)
        .consume_fuel(true)
        .operator_cost(prices())
        .max_wasm_stack(STACK_BYTES)
        // That an agent was running is known by its backtrace, in which each frame has a copy of its function's name.
        .wasm_backtrace_max_frames(NonZero::new(1));
    if execution == Execution::Interpreted {
        config.target(INTERPRETER).map_err(|error| LoadError::Engine(one_line(&error)))?;
    }
    Engine::new(&config).map_err(|error| LoadError::Engine(one_line(&error)))
}

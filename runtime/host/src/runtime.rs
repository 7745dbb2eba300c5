//! The engine with its guarantees, and the host functions that it links into every agent.

use std::path::Path;

use jointly_core::digest;
use wasmtime::component::{Linker, WasmStr};
use wasmtime::{Cache, CacheConfig, Config, Engine, OptLevel, StoreContextMut};

use crate::charge::{CALL_FUEL, charge};
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::prices::prices;
use crate::{Agent, Limits, artifact, wasi};

/// The bytes of a guest's stack; deeper recursion traps.
const STACK_BYTES: usize = 1 << 20;

/// The target of the interpreter's code: pointer width and byte order of this machine.
const INTERPRETER: &str = match (cfg!(target_pointer_width = "64"), cfg!(target_endian = "little")) {
    (true, true) => "pulley64",
    (true, false) => "pulley64be",
    (false, true) => "pulley32",
    (false, false) => "pulley32be",
};

/// How an agent's code is executed. Both ways give the same bits and count the same fuel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// Compiled to machine code.
    #[default]
    Compiled,
    /// Run in the engine's portable interpreter: many times slower, and an independent check, because it shares no
    /// machine code with compiled execution.
    Interpreted,
}

/// Loads agents, and holds the engine and the linked host functions that they share.
pub struct Runtime {
    engine: Engine,
    linker: Linker<Meter>,
}

impl Runtime {
    /// Makes a runtime that keeps compiled code in the directory `cache`, or nowhere. An unusable cache is not an
    /// error; it only costs time.
    ///
    /// # Errors
    ///
    /// When the engine does not support this machine.
    pub fn new(execution: Execution, cache: Option<&Path>) -> Result<Self, LoadError> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            .wasm_simd(true)
            .wasm_relaxed_simd(true)
            .relaxed_simd_deterministic(true)
            .cranelift_nan_canonicalization(true)
            .cranelift_opt_level(OptLevel::Speed)
            .consume_fuel(true)
            .operator_cost(prices())
            .max_wasm_stack(STACK_BYTES)
            .cache(cache.and_then(code_cache));
        if execution == Execution::Interpreted {
            config.target(INTERPRETER).map_err(|error| LoadError::Engine(one_line(&error)))?;
        }
        let engine = Engine::new(&config).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let linker = link(&engine).map_err(|error| LoadError::Engine(one_line(&error)))?;
        Ok(Self { engine, linker })
    }

    /// Loads an agent from the bytes of a component, or of a core module that carries its component type, and has it
    /// describe itself within the limits.
    ///
    /// # Errors
    ///
    /// When the bytes are not an agent that this host can run.
    pub fn load(&self, bytes: &[u8], limits: Limits) -> Result<Agent, LoadError> {
        let component = artifact::compile(&self.engine, &artifact::component(bytes)?)?;
        let interfaces = artifact::check(&self.engine, &component)?;
        let instance = self.linker.instantiate_pre(&component).map_err(|error| LoadError::Engine(one_line(&error)))?;
        Agent::new(digest(bytes), &instance, &interfaces, limits)
    }
}

fn code_cache(directory: &Path) -> Option<Cache> {
    let mut config = CacheConfig::new();
    config.with_directory(directory);
    Cache::new(config).ok()
}

fn link(engine: &Engine) -> wasmtime::Result<Linker<Meter>> {
    let mut linker = Linker::new(engine);
    let mut host = linker.instance(&artifact::versioned("host"))?;
    host.func_wrap("progress", |mut store: StoreContextMut<'_, Meter>, (fraction,): (f32,)| {
        charge(&mut store, CALL_FUEL)?;
        store.data().trace.set_progress(fraction);
        Ok(())
    })?;
    host.func_wrap("log", |mut store: StoreContextMut<'_, Meter>, (message,): (WasmStr,)| {
        let message = message.to_str(&store)?.into_owned();
        charge(&mut store, CALL_FUEL + message.len() as u64)?;
        store.data().trace.add_line(&message);
        Ok(())
    })?;
    wasi::link(&mut linker)?;
    Ok(linker)
}

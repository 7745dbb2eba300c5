//! Loads agents, and holds the host functions that it links into every agent.

use std::path::Path;

use jointly_core::digest;
use wasmtime::component::{Component, Linker, WasmStr};
use wasmtime::{Engine, StoreContextMut};

use crate::charge::{CALL_FUEL, charge};
use crate::code_cache::{self, CodeCache};
use crate::compiler::Compiler;
use crate::engine::{Execution, Nans, engine};
use crate::load_error::{LoadError, one_line};
use crate::meter::Meter;
use crate::{Agent, Limits, artifact, wasi};

/// Loads agents, and holds the engine and the linked host functions that they share.
pub struct Runtime {
    engine: Engine,
    execution: Execution,
    compiler: Compiler,
    cache: Option<CodeCache>,
    distrusted: Option<String>,
    linker: Linker<Meter>,
}

impl Runtime {
    /// Makes a runtime that keeps compiled code in the directory `cache`, or nowhere. An unusable cache is not an
    /// error; it only costs time.
    ///
    /// # Errors
    ///
    /// When the engine does not support this machine.
    pub fn new(execution: Execution, compiler: Compiler, cache: Option<&Path>) -> Result<Self, LoadError> {
        let nans = if execution == Execution::WithoutSinks { Nans::Everywhere } else { Nans::ByComponent };
        let engine = engine(execution, nans)?;
        let linker = link(&engine).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let (cache, distrusted) = match cache.map(CodeCache::open) {
            Some(Ok(cache)) => (cache, None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Self { engine, execution, compiler, cache, distrusted, linker })
    }

    /// Returns why the directory of compiled code is not used, if others could change what is in it.
    pub fn distrusted_cache(&self) -> Option<&str> {
        self.distrusted.as_deref()
    }

    /// Loads an agent from the bytes of a component, or of a core module that carries its component type, and has it
    /// describe itself within the limits.
    ///
    /// # Errors
    ///
    /// When the bytes are not an agent that this host can run.
    pub fn load(&self, bytes: &[u8], limits: Limits) -> Result<Agent, LoadError> {
        let digest = digest(bytes);
        let component = self.component(bytes, &digest)?;
        let interfaces = artifact::check(&self.engine, &component)?;
        let instance = self.linker.instantiate_pre(&component).map_err(|error| LoadError::Engine(one_line(&error)))?;
        let in_parts = artifact::trains_in_parts(&self.engine, &component)?;
        Agent::new(digest, &instance, &interfaces, in_parts, limits)
    }

    /// Returns the component in the bytes from the cache, or compiles it and keeps it there.
    fn component(&self, bytes: &[u8], digest: &str) -> Result<Component, LoadError> {
        let kept = self.cache.as_ref().map(|cache| (cache, code_cache::name(&self.engine, digest)));
        // What is in the cache has passed the inspection.
        let code = kept.as_ref().and_then(|(cache, name)| cache.get(name));
        if let Some(Ok(component)) = code.map(|code| code.component(&self.engine)) {
            return Ok(component);
        }
        artifact::inspect(bytes)?;
        let code = self.compiler.compile(self.execution, bytes)?;
        let component = code.component(&self.engine).map_err(|error| LoadError::Engine(one_line(&error)))?;
        if let Some((cache, name)) = kept {
            cache.put(&name, &code);
        }
        Ok(component)
    }
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

//! Machine code that the engine runs without checking it: only what the engine itself has made becomes a value here.
//!
//! This is the only file with unsafe code. The engine trusts the bytes that it is given as compiled code, so whoever
//! chooses them runs code as the user. [`MachineCode`] is made in three ways, and each gives the bytes that
//! `Engine::precompile_component` has returned:
//!
//! - by this process;
//! - by a child process that runs this command's executable, through a pipe that nobody else can write to;
//! - from a file of the [cache](crate::code_cache) that belongs to this user, that nobody else may write to, and whose
//!   bytes have the digest that was written with them.

use wasmtime::Engine;
use wasmtime::component::Component;

/// The code of a component, as the engine writes it.
pub(crate) struct MachineCode {
    bytes: Vec<u8>,
    /// Where the code begins in the bytes.
    start: usize,
}

impl MachineCode {
    /// Compiles a component in this process.
    pub(crate) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Self> {
        engine.precompile_component(component).map(|bytes| Self { bytes, start: 0 })
    }

    /// Takes the code after `start` bytes of an answer of a child process that runs this command's executable.
    pub(crate) fn from_child(bytes: Vec<u8>, start: usize) -> Self {
        Self { bytes, start }
    }

    /// Takes the code after `start` bytes of a file of the cache, whose owner, permissions and digest were checked.
    pub(crate) fn from_cache(bytes: Vec<u8>, start: usize) -> Self {
        Self { bytes, start }
    }

    /// Returns the code.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Makes the code ready to run. Code of another release of the engine, or of other settings, is an error.
    #[expect(unsafe_code, reason = "the engine cannot check compiled code")]
    pub(crate) fn component(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: the bytes are what `Engine::precompile_component` returned, see the documentation of this file; they
        // are in this process's memory, where nobody changes them between the check of their digest and their use.
        unsafe { Component::deserialize(engine, self.bytes()) }
    }
}

//! `wasi:cli`: no environment, no arguments and no terminal; standard output and error go into the log.

use wasmtime::component::{LinkerInstance, Resource};

use super::Fault;
use super::io::{self, OutputStream};
use super::link::{absent, function};
use crate::meter::Meter;

/// The resource of `wasi:cli/terminal-input`, which never exists.
struct TerminalInput;
/// The resource of `wasi:cli/terminal-output`, which never exists.
struct TerminalOutput;

/// Links `wasi:cli/environment`.
pub(super) fn environment(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-environment", |_, (): ()| Ok((Vec::<(String, String)>::new(),)))?;
    function(instance, "get-arguments", |_, (): ()| Ok((Vec::<String>::new(),)))?;
    function(instance, "initial-cwd", |_, (): ()| Ok((None::<String>,)))
}

/// Links `wasi:cli/exit`.
pub(super) fn exit(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "exit", |_, (status,): (Result<(), ()>,)| -> wasmtime::Result<()> {
        Err(Fault::Exited(u8::from(status.is_err())).into())
    })?;
    function(instance, "exit-with-code", |_, (code,): (u8,)| -> wasmtime::Result<()> {
        Err(Fault::Exited(code).into())
    })
}

/// Links `wasi:cli/stdin`.
pub(super) fn stdin(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-stdin", |_, (): ()| Ok((io::stdin(),)))
}

/// Links `wasi:cli/stdout`.
pub(super) fn stdout(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-stdout", |_, (): ()| Ok((Resource::<OutputStream>::new_own(0),)))
}

/// Links `wasi:cli/stderr`.
pub(super) fn stderr(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-stderr", |_, (): ()| Ok((Resource::<OutputStream>::new_own(1),)))
}

/// Links `wasi:cli/terminal-input`.
pub(super) fn terminal_input(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<TerminalInput>(instance, "terminal-input", &[])
}

/// Links `wasi:cli/terminal-output`.
pub(super) fn terminal_output(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    absent::<TerminalOutput>(instance, "terminal-output", &[])
}

/// Links `wasi:cli/terminal-stdin`.
pub(super) fn terminal_stdin(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-terminal-stdin", |_, (): ()| Ok((None::<Resource<TerminalInput>>,)))
}

/// Links `wasi:cli/terminal-stdout`.
pub(super) fn terminal_stdout(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-terminal-stdout", |_, (): ()| Ok((None::<Resource<TerminalOutput>>,)))
}

/// Links `wasi:cli/terminal-stderr`.
pub(super) fn terminal_stderr(instance: &mut LinkerInstance<'_, Meter>) -> wasmtime::Result<()> {
    function(instance, "get-terminal-stderr", |_, (): ()| Ok((None::<Resource<TerminalOutput>>,)))
}

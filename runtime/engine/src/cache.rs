//! The commands' runtime: where it compiles agents, and the directory in which it keeps compiled agents between runs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use jointly_host::{Compiler, Execution, LoadError, Runtime};

/// Whether this process's executable compiles agents when it is asked to.
static COMPILES: AtomicBool = AtomicBool::new(false);
static WHEN_DISTRUSTED: OnceLock<fn(&str)> = OnceLock::new();

/// Whether compiled code may come from the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Takes compiled code from the cache, and keeps it there.
    Cached,
    /// Compiles every agent afresh, and keeps nothing.
    Fresh,
}

/// Compiles an agent if the arguments of this process ask for it, and returns the exit code. Otherwise, all runtimes of
/// this process compile in child processes that run its executable.
pub fn compile_if_asked() -> Option<ExitCode> {
    COMPILES.store(true, Ordering::Relaxed);
    jointly_host::compile_if_asked()
}

/// Sets what is called, once, with the reason why the cache is not used if others could change it. The first call
/// counts.
pub fn when_distrusted(tell: fn(&str)) {
    let _ = WHEN_DISTRUSTED.set(tell);
}

/// Returns a runtime that runs agents' code in the given mode of execution, and keeps it in the cache.
///
/// # Errors
/// When the engine cannot be set up.
pub fn runtime(execution: Execution) -> Result<Runtime, LoadError> {
    runtime_with(execution, Code::Cached)
}

/// Returns a runtime that runs agents' code in the given mode of execution.
///
/// # Errors
/// When the engine cannot be set up.
pub fn runtime_with(execution: Execution, code: Code) -> Result<Runtime, LoadError> {
    static TOLD: Once = Once::new();
    let compiler = if COMPILES.load(Ordering::Relaxed) { Compiler::Child(executable()) } else { Compiler::InProcess };
    let directory = if code == Code::Cached { directory() } else { None };
    let runtime = Runtime::new(execution, compiler, directory.as_deref())?;
    if let (Some(why), Some(tell)) = (runtime.distrusted_cache(), WHEN_DISTRUSTED.get()) {
        TOLD.call_once(|| tell(why));
    }
    Ok(runtime)
}

/// Returns the path of this process's executable.
fn executable() -> PathBuf {
    let path = std::env::current_exe().ok().filter(|path| path.exists());
    // Linux runs the executable by this path even when its file was removed or replaced.
    path.unwrap_or_else(|| "/proc/self/exe".into())
}

/// Returns `$JOINTLY_CACHE`, else `jointly` in the user's cache directory, or `None` if neither is known.
fn directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = variable("JOINTLY_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("jointly")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/jointly")))?;
    std::path::absolute(directory).ok()
}

//! The commands' runtime, and the directory in which it keeps compiled agents between runs.

use std::path::PathBuf;

use jointly_host::{Execution, LoadError, Runtime};

/// Returns a runtime that runs agents' code in the given mode of execution.
///
/// # Errors
/// When the engine cannot be set up.
pub fn runtime(execution: Execution) -> Result<Runtime, LoadError> {
    Runtime::new(execution, directory().as_deref())
}

/// Returns `$JOINTLY_CACHE`, else `jointly` in the user's cache directory, or `None` if neither is known.
fn directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = variable("JOINTLY_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("jointly")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/jointly")))?;
    std::path::absolute(directory).ok()
}

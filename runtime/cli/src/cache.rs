//! Where compiled agents are kept between runs.

use std::path::PathBuf;

/// `$JOINTLY_CACHE`, else `jointly` in the user's cache directory; none where neither is known.
pub(crate) fn directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = variable("JOINTLY_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("jointly")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/jointly")))?;
    std::path::absolute(directory).ok()
}

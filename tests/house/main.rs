//! Rules of the whole workspace that its files alone can break; nothing of it is built for them.

mod dependencies;
mod results;

use std::path::PathBuf;

/// The folder of the workspace.
fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is two folders up")
}

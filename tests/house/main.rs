//! Rules of the whole workspace, checked by reading its files: the direction of crates, imports between files, lengths
//! of files, dependencies of the host, and published results. Nothing is built for them.

mod circles;
mod crates;
mod dependencies;
mod imports;
mod items;
mod kinds;
mod layers;
mod lengths;
mod results;
mod text;
mod untrusted;

use std::path::PathBuf;

/// Returns the folder of the workspace.
fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is two folders up")
}

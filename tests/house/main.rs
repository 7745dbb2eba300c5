//! Rules of the whole workspace, held by reading its files: which way crates depend, how files import one another, how long
//! they are, what the host depends on, what the results keep. Nothing is built for them.

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

use std::path::PathBuf;

/// The folder of the workspace.
fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is two folders up")
}

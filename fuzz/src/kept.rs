//! The corpora, some of whose files are also references for other cases.

use std::fs;
use std::path::{Path, PathBuf};

/// The runs whose plan, journal and pack are kept, one of each kind of score.
pub const RUNS: [&str; 6] = ["active", "classification", "correlations", "coverage", "decisions", "shift"];

/// Returns the folder of a target's corpus.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// Reads a kept case.
///
/// # Panics
/// When it cannot be read.
pub fn kept(target: &str, name: &str) -> Vec<u8> {
    let file = folder(target).join(name);
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

//! Directories whose files are compressed, as those of `docs/results` are.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::files::{JOURNAL, LEADERBOARD, PLAN, SCORES, SWEEP, most_bytes};

/// The suffix of compressed files.
pub const SUFFIX: &str = ".gz";

/// Returns whether a directory has a file of this name, compressed.
pub(crate) fn has(directory: &Path, name: &str) -> bool {
    directory.join(format!("{name}{SUFFIX}")).is_file()
}

/// Reads the files of a run's directory that have fixed names, each as it is or compressed.
///
/// # Errors
/// When one cannot be read, or is larger than such a file may be.
pub(crate) fn members(directory: &Path) -> Result<HashMap<String, Vec<u8>>> {
    let read = |name: &str| {
        let bytes = contents(directory, name, most_bytes(name).unwrap_or_default())?;
        Ok(bytes.map(|bytes| (name.to_owned(), bytes)))
    };
    [PLAN, JOURNAL, SCORES, LEADERBOARD, SWEEP].into_iter().filter_map(|name| read(name).transpose()).collect()
}

/// Reads a file of at most `most` bytes, as it is or compressed, or returns `None` if there is neither.
///
/// # Errors
/// When it cannot be read, or has more bytes.
pub fn contents(directory: &Path, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
    let (plain, packed) = (directory.join(name), directory.join(format!("{name}{SUFFIX}")));
    let compressed = !plain.is_file();
    let path = if compressed { packed } else { plain };
    if !path.is_file() {
        return Ok(None);
    }
    let remedy = if compressed { "; it is damaged or cut short: get another copy" } else { "" };
    let failed = || format!("failed to read {}{remedy}", path.shown());
    let file = regular_file::open(&path).with_context(|| format!("failed to open {}", path.shown()))?;
    let reader: Box<dyn Read> = if compressed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).with_context(failed)?;
    let unpacked = if compressed { " when it is unpacked" } else { "" };
    ensure!(bytes.len() as u64 <= most, "{} has more than {most} bytes{unpacked}", path.shown());
    Ok(Some(bytes))
}

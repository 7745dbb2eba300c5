//! Directories whose files are compressed, as those of `docs/results` are.

use std::collections::HashMap;
use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::read::MultiGzDecoder;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::files::{JOURNAL, LEADERBOARD, PLAN, SCORES, SWEEP, most_bytes};

/// The suffix of compressed files.
pub const SUFFIX: &str = ".gz";

/// The files that are compressed.
const FILES: [&str; 5] = [PLAN, JOURNAL, SCORES, LEADERBOARD, SWEEP];

/// Returns whether a run's directory has some file compressed alone.
pub(crate) fn is_compressed(directory: &Path) -> bool {
    alone(directory).next().is_some()
}

/// Returns whether a directory has a file of this name, compressed.
pub(crate) fn has(directory: &Path, name: &str) -> bool {
    directory.join(format!("{name}{SUFFIX}")).is_file()
}

/// Returns the names of the files that a run's directory has compressed alone.
fn alone(directory: &Path) -> impl Iterator<Item = &'static str> {
    FILES.into_iter().filter(|name| !directory.join(name).exists() && has(directory, name))
}

/// Reads the files of a run's directory that are compressed alone.
///
/// # Errors
/// When one cannot be read, or is larger than such a file may be.
pub(crate) fn members(directory: &Path) -> Result<HashMap<String, Vec<u8>>> {
    let read = |name: &str| {
        let bytes = contents(directory, name, most_bytes(name).unwrap_or_default())?;
        Ok(bytes.map(|bytes| (name.to_owned(), bytes)))
    };
    alone(directory).filter_map(|name| read(name).transpose()).collect()
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
    let failed = || format!("failed to read {}", path.shown());
    let file = regular_file::open(&path).with_context(failed)?;
    let reader: Box<dyn Read> = if compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).map_err(|error| {
        let damaged = compressed && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof);
        let remedy = if damaged { "; it is damaged or cut short: get another copy" } else { "" };
        anyhow::Error::new(error).context(format!("{}{remedy}", failed()))
    })?;
    let unpacked = if compressed { " when it is unpacked" } else { "" };
    ensure!(bytes.len() as u64 <= most, "{} has more than {most} bytes{unpacked}", path.shown());
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{contents, is_compressed};

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_file_is_read_as_it_is_or_compressed_and_no_further_than_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(contents(folder, "plan.json", 9).unwrap(), None);
        fs::write(folder.join("plan.json.gz"), gzip("compressed")).unwrap();
        assert!(is_compressed(folder));
        assert_eq!(contents(folder, "plan.json", 10).unwrap().unwrap(), b"compressed");
        let refusal = contents(folder, "plan.json", 9).unwrap_err().to_string();
        assert!(refusal.ends_with("plan.json.gz has more than 9 bytes when it is unpacked"), "{refusal}");
        // Files that were joined are one text, as for `zcat`.
        fs::write(folder.join("plan.json.gz"), [gzip("one "), gzip("two")].concat()).unwrap();
        assert_eq!(contents(folder, "plan.json", 10).unwrap().unwrap(), b"one two");
        for damaged in [&gzip("compressed")[..12], b"no gzip", &[gzip("one").as_slice(), b"more"].concat()] {
            fs::write(folder.join("plan.json.gz"), damaged).unwrap();
            let refusal = format!("{:#}", contents(folder, "plan.json", 10).unwrap_err());
            assert!(refusal.contains("plan.json.gz; it is damaged or cut short: get another copy"), "{refusal}");
        }
        fs::write(folder.join("plan.json"), "plain").unwrap();
        assert_eq!(contents(folder, "plan.json", 5).unwrap().unwrap(), b"plain");
        assert!(!is_compressed(folder));
    }
}

//! Opens files of arrays, which are regular files of bounded size.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::ImportDefect;
use super::limits::MAX_FILE_BYTES;
use crate::regular_file;

/// Opens the regular file at `path`.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open(path: &Path) -> Result<File, ImportDefect> {
    regular_file::open(path).map_err(ImportDefect::Io)
}

/// Reads all bytes of the file at `path`, which must not be larger than a problem can be.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, ImportDefect> {
    let file = open(path)?;
    let size = file.metadata().map_err(ImportDefect::Io)?.len();
    let mut bytes = Vec::new();
    if size <= MAX_FILE_BYTES {
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(ImportDefect::Io)?;
    }
    let size = size.max(bytes.len() as u64);
    if size > MAX_FILE_BYTES {
        let what = "the file".to_owned();
        return Err(ImportDefect::TooLarge { what, bytes: size, limit: MAX_FILE_BYTES, remedy: super::error::SPLIT });
    }
    Ok(bytes)
}

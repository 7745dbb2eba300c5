//! Opens files and refuses directories.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::ImportDefect;
use super::limits::MAX_FILE_BYTES;

/// Opens the file at `path`, which must not be a directory.
///
/// # Errors
/// When it cannot be opened, or is a directory.
pub fn open(path: &Path) -> Result<File, ImportDefect> {
    let file = File::open(path).map_err(ImportDefect::Io)?;
    if file.metadata().map_err(ImportDefect::Io)?.is_dir() {
        return Err(ImportDefect::Io(ErrorKind::IsADirectory.into()));
    }
    Ok(file)
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

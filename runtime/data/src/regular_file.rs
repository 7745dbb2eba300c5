//! Opens and reads files that somebody else may have made: regular files alone, up to a stated size, without waiting.
//!
//! A reader of a pipe, a device or a socket would wait, or read without end. Links are followed, because
//! users link data and results to where they are wanted; what a link leads to must be a regular file too.

use std::borrow::Borrow;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Take};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file to read it.
///
/// # Errors
/// When it cannot be opened, or is anything else than a regular file.
pub fn open(path: &Path) -> Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a regular file with the options, which may create it.
///
/// # Errors
/// When it cannot be opened, or is anything else than a regular file.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> Result<File> {
    // Opening a device may already do something to it.
    if let Ok(metadata) = path.metadata() {
        check(&metadata)?;
    }
    // Between the two, another file may be put in its place: a pipe that nobody writes is opened without waiting.
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Reads the bytes of a regular file that has at most `most` of them.
///
/// # Errors
/// When it cannot be opened or read, is anything else than a regular file, or has more bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    rest(&open(path)?, most)
}

/// Returns the remaining bytes of a file, to be read in parts, if it has at most `most` of them.
///
/// # Errors
/// When its size cannot be found out, or it has more bytes.
pub fn bounded<F: Borrow<File> + Read>(file: F, most: u64) -> Result<Take<F>> {
    if file.borrow().metadata()?.len() > most { Err(too_large(most)) } else { Ok(file.take(most)) }
}

/// Reads the remaining bytes of a file that has at most `most` of them.
///
/// # Errors
/// When it cannot be read, or has more bytes.
pub fn rest(file: &File, most: u64) -> Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large(most));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // A file may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> Error {
    Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes, which are not read"))
}

fn check(metadata: &Metadata) -> Result<()> {
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, "it is a pipe, a device or a socket; put a regular file in its place"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{open_with, read};

    #[test]
    fn a_file_has_at_most_so_many_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert_eq!(read(&path, 3).unwrap_err().to_string(), "it has more than 3 bytes, which are not read");
        // A file with a hole of a terabyte takes no space.
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read(&path, 1 << 30).unwrap_err().to_string().contains("1073741824 bytes"));
        assert!(read(&folder.path().join("none"), 1).is_err() && read(folder.path(), 1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_sockets_are_refused_at_once_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket, link) =
            (folder.path().join("pipe"), folder.path().join("socket"), folder.path().join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [&pipe, &socket, &link, std::path::Path::new("/dev/zero")] {
            let error = read(path, 8).unwrap_err().to_string();
            assert_eq!(error, "it is a pipe, a device or a socket; put a regular file in its place", "{path:?}");
            assert!(open_with(fs::OpenOptions::new().read(true).write(true).create(true), path).is_err());
        }
        fs::remove_file(&link).unwrap();
        fs::write(folder.path().join("file"), "bytes").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        assert_eq!(read(&link, 8).unwrap(), b"bytes");
    }
}

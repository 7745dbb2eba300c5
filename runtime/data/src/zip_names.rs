//! Opens zip archives in which every file has a name of its own: of two files with one name, each reader takes another.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};

use zip::ZipArchive;

/// The signature and the length of an entry of an archive's directory, without its name and further fields.
const SIGNATURE: [u8; 4] = *b"PK\x01\x02";
const ENTRY: usize = 46;

/// Opens an archive and reads only its directory.
///
/// # Errors
/// When it is not an archive, or two of its files have one name; the error is the reason.
pub(crate) fn open<R: Read + Seek>(reader: R) -> Result<ZipArchive<R>, String> {
    let archive = ZipArchive::new(reader).map_err(|error| error.to_string())?;
    if !archive.has_duplicate_names() {
        return Ok(archive);
    }
    let start = archive.central_directory_start();
    let name = repeated(archive.into_inner(), start);
    let name = name.map(|name| String::from_utf8_lossy(&name).escape_debug().to_string());
    Err(format!("two of its files are called {}", name.as_deref().unwrap_or("the same")))
}

/// Returns the first name in an archive's directory that another entry had before.
fn repeated<R: Read + Seek>(mut reader: R, start: u64) -> Option<Vec<u8>> {
    reader.seek(SeekFrom::Start(start)).ok()?;
    let mut names = HashSet::new();
    loop {
        let mut entry = [0; ENTRY];
        reader.read_exact(&mut entry).ok().filter(|()| entry.starts_with(&SIGNATURE))?;
        let length = |at: usize| u64::from(u16::from_le_bytes([entry[at], entry[at + 1]]));
        let mut name = Vec::new();
        reader.by_ref().take(length(28)).read_to_end(&mut name).ok()?;
        if !names.insert(name.clone()) {
            return Some(name);
        }
        reader.seek_relative((length(30) + length(32)) as i64).ok()?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::open;

    /// Returns an archive of empty files with these names of one letter.
    fn archive(names: &[u8]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for place in 0..names.len() {
            zip.start_file(char::from(b'0' + place as u8), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(&[place as u8]).unwrap();
        }
        let mut bytes = zip.finish().unwrap().into_inner();
        // No writer repeats a name.
        for (place, name) in names.iter().enumerate() {
            let digit = b'0' + place as u8;
            for signature in [b"PK\x03\x04", b"PK\x01\x02"] {
                let length = if signature == b"PK\x03\x04" { 30 } else { 46 };
                let at = (0..bytes.len() - length)
                    .find(|at| bytes[*at..].starts_with(signature) && bytes[at + length] == digit)
                    .unwrap();
                bytes[at + length] = *name;
            }
        }
        bytes
    }

    #[test]
    fn a_name_that_two_files_have_is_named() {
        assert_eq!(open(Cursor::new(archive(b"abc"))).unwrap().len(), 3);
        let error = open(Cursor::new(archive(b"abcb"))).err().unwrap();
        assert_eq!(error, "two of its files are called b");
        assert!(open(Cursor::new(b"no archive".to_vec())).is_err());
    }
}

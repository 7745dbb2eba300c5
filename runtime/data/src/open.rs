//! Reads whole files of bounded size, plain, compressed, or a member of an archive, and files of any size line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::error::DataDefect;
use super::locate::Found;
use super::{regular_file, zip_names};

/// The most bytes of one unpacked file of a dataset; the largest known file has 188 million.
pub const MAX_DATA_BYTES: u64 = 512 << 20;
/// The longest line of a file that is read line by line.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// The most bytes of unused lines, in a file that is read line by line.
const MAX_IDLE_BYTES: u64 = 1 << 20;
/// The magic bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads the bytes of a file, unpacked if it is compressed.
pub(super) fn read(found: &Found) -> Result<Vec<u8>, DataDefect> {
    let file = BufReader::new(regular_file::open(&found.path).map_err(DataDefect::Io)?);
    match found.member {
        None => unpacked(bounded(file, DataDefect::Io)?, MAX_DATA_BYTES),
        Some(member) if is_zip(found) => unpacked(zip_member(file, member)?, MAX_DATA_BYTES),
        Some(member) => tar_member(file, member, MAX_DATA_BYTES),
    }
}

/// A file that is read line by line, so that its size is not limited by memory.
pub(super) struct Lines {
    reader: Box<dyn BufRead>,
    packed: bool,
    /// The number of the last line read, from 1.
    pub(super) number: u64,
    /// Bytes of the lines that were skipped.
    idle: u64,
}

impl Lines {
    /// Opens a file to read its lines, unpacked if it is compressed.
    pub(super) fn open(path: &Path) -> Result<Self, DataDefect> {
        let mut file = BufReader::new(regular_file::open(path).map_err(DataDefect::Io)?);
        let packed = file.fill_buf().map_err(DataDefect::Io)?.starts_with(&GZIP);
        let reader: Box<dyn BufRead> =
            if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
        Ok(Self { reader, packed, number: 0, idle: 0 })
    }

    /// Replaces the contents of the buffer by the next line, without its line end. Returns false after the last line.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, DataDefect> {
        line.clear();
        let mut reader = self.reader.by_ref().take(MAX_LINE_BYTES + 1);
        let refuse = |error| if self.packed { damaged(error) } else { DataDefect::Io(error) };
        if reader.read_until(b'\n', line).map_err(refuse)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if line.len() as u64 > MAX_LINE_BYTES {
            let what = format!("it is longer than {MAX_LINE_BYTES} bytes");
            return Err(DataDefect::Line { line: self.number, what });
        }
        if line.ends_with(b"\n") {
            line.pop();
        }
        if line.ends_with(b"\r") {
            line.pop();
        }
        Ok(true)
    }

    /// Skips the line just read, which has no data. Skipped lines are limited to [`MAX_IDLE_BYTES`] in total, because a
    /// small file can unpack to endless lines.
    pub(super) fn pass(&mut self, line: &[u8]) -> Result<(), DataDefect> {
        self.idle += line.len() as u64 + 1;
        if self.idle <= MAX_IDLE_BYTES {
            return Ok(());
        }
        let what = format!("this line and earlier ones have no data, more than {MAX_IDLE_BYTES} bytes in total");
        Err(DataDefect::Line { line: self.number, what })
    }
}

/// A reader of a limited number of bytes. Beyond the limit it fails, whereas [`Read::take`] would end.
pub(super) struct Bounded<R> {
    reader: R,
    limit: u64,
    left: u64,
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, left: limit }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| std::io::Error::other(format!("it unpacks to more than {} bytes", self.limit)))?;
        Ok(read)
    }
}

/// Reads a file of at most `most` bytes, without unpacking it.
pub(super) fn plain(path: &Path, most: u64) -> Result<Vec<u8>, DataDefect> {
    read_within(regular_file::open(path).map_err(DataDefect::Io)?, most, DataDefect::Io)
}

fn is_zip(found: &Found) -> bool {
    found.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

/// Returns the bytes unchanged, or unpacked if they are in gzip format.
pub(super) fn unpacked(bytes: Vec<u8>, most: u64) -> Result<Vec<u8>, DataDefect> {
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    read_within(MultiGzDecoder::new(bytes.as_slice()), most, damaged)
}

fn zip_member(file: BufReader<File>, member: &'static str) -> Result<Vec<u8>, DataDefect> {
    let mut archive = zip_names::open(file).map_err(|error| reason(&error))?;
    let entry = match archive.by_name(member) {
        Err(zip::result::ZipError::FileNotFound) => return Err(DataDefect::Member { member }),
        entry => entry.map_err(|error| reason(&error))?,
    };
    bounded(entry, damaged)
}

/// Reads a member of an archive that unpacks to at most `most` bytes, and that has no other member of that name.
fn tar_member(file: BufReader<File>, member: &'static str, most: u64) -> Result<Vec<u8>, DataDefect> {
    let mut archive = tar::Archive::new(Bounded::new(MultiGzDecoder::new(file), most));
    let mut found = None;
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        if *entry.path_bytes() == *member.as_bytes() {
            if found.is_some() {
                return Err(reason(&format!("two of its files are called {member}")));
            }
            let size = entry.size();
            let bytes = bounded(entry, damaged)?;
            // At the end of the archive the reader ends the member without an error.
            if bytes.len() as u64 != size {
                return Err(damaged(ErrorKind::UnexpectedEof.into()));
            }
            found = Some(bytes);
        }
    }
    found.ok_or(DataDefect::Member { member })
}

fn bounded(reader: impl Read, refuse: impl FnOnce(std::io::Error) -> DataDefect) -> Result<Vec<u8>, DataDefect> {
    read_within(reader, MAX_DATA_BYTES, refuse)
}

/// Reads everything up to a limit; sizes that the file states are not trusted.
pub(super) fn read_within(
    reader: impl Read,
    most: u64,
    refuse: impl FnOnce(std::io::Error) -> DataDefect,
) -> Result<Vec<u8>, DataDefect> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).map_err(refuse)?;
    if bytes.len() as u64 > most { Err(DataDefect::TooLarge { limit: most }) } else { Ok(bytes) }
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err hands over")]
pub(super) fn damaged(error: std::io::Error) -> DataDefect {
    reason(&error)
}

pub(super) fn reason(error: &impl std::fmt::Display) -> DataDefect {
    DataDefect::Damaged { reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_or_not_a_file_reads_the_same() {
        assert_eq!(unpacked(gzip(b"1 2 3"), 5).unwrap(), b"1 2 3");
        assert_eq!(unpacked(b"1 2 3".to_vec(), 5).unwrap(), b"1 2 3");
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let error = unpacked(gzip(&[0; 1000]), 999).unwrap_err();
        assert!(error.to_string().starts_with("it holds more than 999 bytes"), "{error}");
    }

    #[test]
    fn lines_come_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let text = b"one\r\n\ntwo words\nlast";
        for bytes in [text.to_vec(), gzip(text)] {
            std::fs::write(&path, bytes).unwrap();
            let (mut lines, mut line, mut found) = (Lines::open(&path).unwrap(), Vec::new(), Vec::new());
            while lines.next(&mut line).unwrap() {
                found.push(String::from_utf8(line.clone()).unwrap());
            }
            assert_eq!((found, lines.number), (["one", "", "two words", "last"].map(str::to_owned).to_vec(), 4));
        }
        std::fs::write(&path, gzip(&vec![b'\n'; MAX_IDLE_BYTES as usize + 1])).unwrap();
        let (mut lines, mut line) = (Lines::open(&path).unwrap(), Vec::new());
        let error = loop {
            assert!(lines.next(&mut line).unwrap());
            if let Err(error) = lines.pass(&line) {
                break error.to_string();
            }
        };
        let expected =
            "line 1048577: this line and earlier ones have no data, more than 1048576 bytes in total: mend the line";
        assert!(error.starts_with(expected), "{error}");
        let whole = gzip(&[b'x'; 5000]);
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let error = Lines::open(&path).unwrap().next(&mut Vec::new()).unwrap_err();
        assert!(matches!(error, DataDefect::Damaged { .. }), "{error}");
        std::fs::write(&path, vec![b'x'; MAX_LINE_BYTES as usize + 1]).unwrap();
        let error = Lines::open(&path).unwrap().next(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with("line 1: it is longer than 1048576 bytes"), "{error}");
    }

    #[test]
    fn compressed_bytes_cut_short_or_flipped_are_refused() {
        let whole = gzip(b"some bytes that make a file");
        let cut = unpacked(whole[..whole.len() - 9].to_vec(), 100).unwrap_err();
        assert!(cut.to_string().starts_with("its compressed bytes are damaged or cut short"), "{cut}");
        let mut flipped = whole;
        // The checksum follows the data.
        let at = flipped.len() - 6;
        flipped[at] ^= 1;
        assert!(matches!(unpacked(flipped, 100).unwrap_err(), DataDefect::Damaged { .. }));
    }

    #[test]
    fn members_of_archives_are_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let zip_path = folder.path().join("a.zip");
        let mut zip = zip::ZipWriter::new(File::create(&zip_path).unwrap());
        zip.start_file("in/one.gz", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&gzip(b"one")).unwrap();
        zip.finish().unwrap();
        let tar_path = folder.path().join("a.tar.gz");
        let mut tar = tar::Builder::new(GzEncoder::new(File::create(&tar_path).unwrap(), Compression::fast()));
        for (name, bytes) in [("in/zero", b"zero".as_slice()), ("in/one", b"one")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, name, bytes).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap();

        let read = |path: &std::path::Path, member| read(&Found { path: path.to_owned(), member: Some(member) });
        assert_eq!(read(&zip_path, "in/one.gz").unwrap(), b"one");
        assert_eq!(read(&tar_path, "in/one").unwrap(), b"one");
        for (path, member) in [(&zip_path, "in/two"), (&tar_path, "in/two")] {
            let error = read(path, member).unwrap_err();
            assert!(error.to_string().contains("the archive has no in/two"), "{error}");
        }
        // Other members count too, because a small archive can unpack to endless members.
        let within = |most| tar_member(BufReader::new(File::open(&tar_path).unwrap()), "in/one", most);
        assert_eq!(within(6 * 512).unwrap(), b"one");
        let error = within(3 * 512).unwrap_err().to_string();
        assert!(error.contains("it unpacks to more than 1536 bytes): get the file again"), "{error}");
        let mut tar = tar::Builder::new(GzEncoder::new(
            File::create(folder.path().join("b.tar.gz")).unwrap(),
            Compression::fast(),
        ));
        for bytes in ["one", "two"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(3);
            tar.append_data(&mut header, "in/one", bytes.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap();
        let error = read(&folder.path().join("b.tar.gz"), "in/one").unwrap_err().to_string();
        assert!(error.contains("two of its files are called in/one"), "{error}");
        for path in [&zip_path, &tar_path] {
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            assert!(matches!(read(path, "in/one").unwrap_err(), DataDefect::Damaged { .. }));
        }
    }
}

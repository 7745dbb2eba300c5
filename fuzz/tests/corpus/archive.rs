//! Writes archives by hand, so that their headers can be false: tar in gzip, and zip without compression.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Decompresses gzip data.
pub(crate) fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut inflated = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut inflated).unwrap();
    inflated
}

/// Compresses bytes as gzip does, without its header.
pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap().split_off(10)
}

/// Returns a member of a tar archive: a header with this name, kind and size, and bytes, padded to whole blocks.
pub(crate) fn member(name: &str, kind: u8, size: u64, bytes: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let mut member = [&header, bytes].concat();
    member.resize(member.len().next_multiple_of(512), 0);
    member
}

/// An entry of a zip archive.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: Vec<u8>,
    /// The uncompressed size that it claims.
    pub(crate) claimed: u32,
}

/// Returns a zip archive of uncompressed entries. Their claimed sizes may be false.
pub(crate) fn stored(entries: &[Entry]) -> Vec<u8> {
    let (mut archive, mut listing) = (Vec::new(), Vec::new());
    for Entry { name, bytes, claimed } in entries {
        let at = archive.len() as u32;
        let sum = crc32fast::hash(bytes);
        // Version, flags, method, time, date; checksum, both sizes; lengths of the name and of what follows it.
        let words = [20_u16, 0, 0, 0, 33].map(u16::to_le_bytes).concat();
        let sizes = [sum, bytes.len() as u32, *claimed].map(u32::to_le_bytes).concat();
        let lengths = [name.len() as u16, 0].map(u16::to_le_bytes).concat();
        archive.extend([b"PK\x03\x04", words.as_slice(), &sizes, &lengths, name.as_bytes(), bytes].concat());
        let start = [b"PK\x01\x02", 20_u16.to_le_bytes().as_slice(), &words, &sizes, &lengths].concat();
        listing.extend([start.as_slice(), &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat());
    }
    let (count, at) = (entries.len() as u16, archive.len() as u32);
    let end = [0, 0, count, count].map(u16::to_le_bytes).concat();
    let end = [end, [listing.len() as u32, at].map(u32::to_le_bytes).concat(), vec![0, 0]].concat();
    [archive, listing, b"PK\x05\x06".to_vec(), end].concat()
}

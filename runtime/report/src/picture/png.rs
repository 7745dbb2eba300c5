//! Portable Network Graphics of the kinds that are needed: a pixel is a place in a palette, a grey, or red, green and blue.

use std::io::{Result, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Red, green and blue.
pub(crate) type Rgb = [u8; 3];

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// The meaning of a pixel's bytes.
#[derive(Clone, Copy)]
enum Kind {
    Grey = 0,
    Rgb = 2,
    Palette = 3,
}
/// Eight bits a sample.
const BITS: u8 = 8;
/// The one compression, filter method and order of rows that every reader knows.
const METHODS: [u8; 3] = [0, 0, 0];
/// Each row begins with its filter: none.
const UNFILTERED: u8 = 0;

/// An image of `width` by `height` pixels, row by row, each a place in the palette of at most 256 colours. W3C, *Portable
/// Network Graphics (PNG) Specification*, third edition.
///
/// # Errors
/// When the compressor fails.
pub(crate) fn encode(pixels: &[u8], size: (u32, u32), palette: &[Rgb]) -> Result<Vec<u8>> {
    encode_as(Kind::Palette, pixels, size, palette)
}

/// Encodes an image of greys, from black to white.
///
/// # Errors
/// When the compressor fails.
pub(crate) fn encode_grey(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>> {
    encode_as(Kind::Grey, pixels, size, &[])
}

/// Encodes an image of red, green and blue, three bytes a pixel.
///
/// # Errors
/// When the compressor fails.
pub(crate) fn encode_rgb(pixels: &[u8], size: (u32, u32)) -> Result<Vec<u8>> {
    encode_as(Kind::Rgb, pixels, size, &[])
}

fn encode_as(kind: Kind, pixels: &[u8], (width, height): (u32, u32), palette: &[Rgb]) -> Result<Vec<u8>> {
    let mut bytes = SIGNATURE.to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes()[..], &[BITS, kind as u8], &METHODS[..]].concat();
    chunk(&mut bytes, *b"IHDR", &header);
    if !palette.is_empty() {
        chunk(&mut bytes, *b"PLTE", palette.as_flattened());
    }
    let samples = if matches!(kind, Kind::Rgb) { 3 } else { 1 };
    let mut data = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixels.chunks_exact(width as usize * samples) {
        data.write_all(&[UNFILTERED])?;
        data.write_all(row)?;
    }
    chunk(&mut bytes, *b"IDAT", &data.finish()?);
    chunk(&mut bytes, *b"IEND", &[]);
    Ok(bytes)
}

/// Length, name, contents, and the checksum of the last two.
fn chunk(bytes: &mut Vec<u8>, name: [u8; 4], contents: &[u8]) {
    bytes.extend((contents.len() as u32).to_be_bytes());
    let from = bytes.len();
    bytes.extend(name);
    bytes.extend(contents);
    let checksum = crc32fast::hash(&bytes[from..]);
    bytes.extend(checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;

    use super::encode;

    #[test]
    fn the_pixels_come_back_from_the_chunks() {
        let bytes = encode(&[0, 1, 1, 0, 0, 1], (3, 2), &[[255, 0, 0], [0, 0, 255]]).unwrap();
        let mut rest = &bytes[8..];
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let name = String::from_utf8(rest[4..8].to_vec()).unwrap();
            chunks.push((name, rest[8..8 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        let names: Vec<&str> = chunks.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["IHDR", "PLTE", "IDAT", "IEND"]);
        assert_eq!(chunks[0].1, [0, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0]);
        assert_eq!(chunks[1].1, [255, 0, 0, 0, 0, 255]);
        let mut pixels = Vec::new();
        ZlibDecoder::new(chunks[2].1.as_slice()).read_to_end(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 0, 1, 1, 0, 0, 0, 1]);
        // The last chunk of every such file, checksum and all.
        assert!(bytes.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
    }
}

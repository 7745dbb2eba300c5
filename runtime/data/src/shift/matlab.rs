//! Reads MATLAB files of level 5, as far as arrays of image bytes need it; SVHN is published in this format.

use flate2::read::ZlibDecoder;

use super::super::MAX_DATA_BYTES;
use super::super::error::DataDefect;
use super::super::idx::Idx;
use super::super::open;

/// The length of the header, and the version and byte order at its end.
const HEADER: usize = 128;
const VERSION: [u8; 4] = [0x00, 0x01, b'I', b'M'];
/// Types of elements.
const INT8: u32 = 1;
const UINT8: u32 = 2;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// The class of an array of bytes.
const UINT8_CLASS: u8 = 9;
/// The most dimensions of an array of images.
const MOST_DIMENSIONS: usize = 4;

/// Reads the array `X` of height x width x channels x images, or without channels, and reorders it so that images come
/// first and channels last.
///
/// The format: a header of 128 bytes is followed by elements, each with a type, a length, and bytes padded to a
/// multiple of eight; a compressed element holds another element. An array's bytes are column-major. No length is
/// trusted before the bytes are read.
///
/// # Errors
/// When the file has another version or byte order, is damaged, or has no such array of bytes.
pub(super) fn images(bytes: &[u8]) -> Result<Idx, DataDefect> {
    images_within(bytes, MAX_DATA_BYTES)
}

/// Does the same as [`images`], for a file whose compressed elements unpack to at most `most` bytes together.
fn images_within(bytes: &[u8], most: u64) -> Result<Idx, DataDefect> {
    if bytes.get(HEADER - 4..HEADER) != Some(&VERSION[..]) {
        let found = format!("{:?} at byte 124", bytes.get(HEADER - 4..HEADER).unwrap_or(bytes));
        let expected = "[0, 1, 73, 77] there, as MATLAB files of level 5 do (save with -v7)";
        return Err(DataDefect::Magic { found, expected });
    }
    let (mut rest, mut left) = (Elements { bytes: &bytes[HEADER..] }, most);
    while let Some((kind, content)) = rest.next()? {
        let array = match kind {
            MATRIX => array(content)?,
            COMPRESSED => {
                let unpacked = open::read_within(ZlibDecoder::new(content), left, open::damaged);
                let unpacked = unpacked.map_err(|defect| match defect {
                    DataDefect::TooLarge { .. } => DataDefect::TooLarge { limit: most },
                    other => other,
                })?;
                left -= unpacked.len() as u64;
                match (Elements { bytes: &unpacked }).next()? {
                    Some((MATRIX, content)) => array(content)?,
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(images) = array {
            return Ok(images);
        }
    }
    Err(broken("it has no array X of bytes"))
}

/// A sequence of elements.
struct Elements<'a> {
    bytes: &'a [u8],
}

impl<'a> Elements<'a> {
    /// Returns the next element's type and bytes.
    fn next(&mut self) -> Result<Option<(u32, &'a [u8])>, DataDefect> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let word = |at: usize| self.bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let first = word(0).ok_or_else(|| broken("it ends within an element"))?;
        // A small element has its length in the upper half of the first word, and its bytes in the second.
        let (kind, size, start): (u32, usize, usize) = if first >> 16 == 0 {
            (first, word(4).ok_or_else(|| broken("it ends within an element"))? as usize, 8)
        } else {
            (first & 0xffff, (first >> 16) as usize, 4)
        };
        let content = self.bytes.get(start..start.saturating_add(size));
        let content = content.ok_or_else(|| broken("it ends within an element"))?;
        let end = if start == 4 {
            8
        } else if kind == COMPRESSED {
            start + size
        } else {
            start + size.next_multiple_of(8)
        };
        self.bytes = self.bytes.get(end..).unwrap_or(&[]);
        Ok(Some((kind, content)))
    }
}

/// Returns the array of a matrix's content, if it is `X` and of bytes.
fn array(content: &[u8]) -> Result<Option<Idx>, DataDefect> {
    let mut parts = Elements { bytes: content };
    let mut part = |kind: u32| match parts.next()? {
        Some((found, content)) if found == kind => Ok(content),
        _ => Err(broken("an array is not as MATLAB writes it")),
    };
    let class = part(UINT32)?.first().copied();
    let sizes = part(INT32)?;
    if part(INT8)? != b"X" || class != Some(UINT8_CLASS) {
        return Ok(None);
    }
    let sizes: Vec<u64> =
        sizes.chunks_exact(4).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
    let values = part(UINT8)?;
    let expected = sizes.iter().try_fold(1_u64, |product, &size| product.checked_mul(size)).unwrap_or(u64::MAX);
    if expected != values.len() as u64 {
        let why = format!("of array X for its shape {sizes:?}");
        return Err(DataDefect::Length { found: values.len() as u64, expected, why });
    }
    let (height, width, channels, images) = match sizes[..] {
        [height, width, images] => (height, width, 1, images),
        [height, width, channels, images] => (height, width, channels, images),
        _ => {
            let found = sizes.len() as u64;
            let expected = format!("3 or {MOST_DIMENSIONS}");
            return Err(DataDefect::Count { what: "dimensions of X", found, expected });
        }
    };
    let [h, w, c, n] = [height, width, channels, images].map(|size| size as usize);
    let mut turned = Vec::with_capacity(values.len());
    for image in values.chunks_exact((h * w * c).max(1)).take(n) {
        for i in 0..h {
            for j in 0..w {
                turned.extend((0..c).map(|channel| image[i + h * (j + w * channel)]));
            }
        }
    }
    Ok(Some(Idx { shape: vec![images, height, width, channels], values: turned }))
}

fn broken(reason: &str) -> DataDefect {
    DataDefect::Damaged { reason: reason.to_owned() }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn element(kind: u32, content: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), (content.len() as u32).to_le_bytes()].concat();
        bytes.extend(content);
        if kind != COMPRESSED {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes
    }

    fn small(kind: u16, content: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), (content.len() as u16).to_le_bytes()].concat();
        bytes.extend(content);
        bytes.resize(8, 0);
        bytes
    }

    fn matrix(name: &str, class: u8, sizes: &[u32], values: &[u8]) -> Vec<u8> {
        let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        let parts = [
            element(UINT32, &[class, 0, 0, 0, 0, 0, 0, 0]),
            element(INT32, &sizes),
            small(INT8 as u16, name.as_bytes()),
            element(UINT8, values),
        ];
        element(MATRIX, &parts.concat())
    }

    fn packed(element_bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(element_bytes).unwrap();
        element(COMPRESSED, &encoder.finish().unwrap())
    }

    fn file(elements: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = b"MATLAB 5.0 MAT-file".to_vec();
        bytes.resize(HEADER - 4, b' ');
        bytes.extend(VERSION);
        bytes.extend(elements.concat());
        bytes
    }

    /// Returns a file in the layout of SVHN's: labels first, then images; `sizes` are rows, columns, channels and
    /// images.
    pub(in crate::shift) fn svhn(sizes: [u32; 4], value: impl Fn([usize; 4]) -> u8) -> Vec<u8> {
        let [h, w, c, n] = sizes.map(|size| size as usize);
        let mut values = Vec::new();
        for image in 0..n {
            for channel in 0..c {
                for j in 0..w {
                    values.extend((0..h).map(|i| value([image, i, j, channel])));
                }
            }
        }
        file(&[
            packed(&matrix("y", 6, &[sizes[3], 1], &vec![1; n])),
            packed(&matrix("X", UINT8_CLASS, &sizes, &values)),
        ])
    }

    #[test]
    fn images_are_turned_to_rows_of_pixels() {
        let value = |[image, i, j, channel]: [usize; 4]| (100 * image + 20 * i + 4 * j + channel) as u8;
        let read = images(&svhn([2, 3, 3, 2], value)).unwrap();
        assert_eq!(read.shape, [2, 2, 3, 3]);
        let places =
            (0..2).flat_map(|image| (0..2).flat_map(move |i| (0..3).map(move |j| (image, i, j)))).collect::<Vec<_>>();
        let expected: Vec<u8> =
            places.iter().flat_map(|&(image, i, j)| (0..3).map(move |c| value([image, i, j, c]))).collect();
        assert_eq!(read.values, expected);
        let plain = images(&file(&[matrix("X", UINT8_CLASS, &[1, 2, 3], &[1, 2, 3, 4, 5, 6])])).unwrap();
        assert_eq!((plain.shape, plain.values), (vec![3, 1, 2, 1], vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn other_files_are_refused() {
        let refusal = |bytes: &[u8]| images(bytes).unwrap_err().to_string();
        assert!(refusal(b"PK").contains("as MATLAB files of level 5 do (save with -v7)"));
        let mut newer = file(&[]);
        newer[125] = 2;
        assert!(refusal(&newer).contains("[0, 2, 73, 77] at byte 124"), "{}", refusal(&newer));
        assert!(refusal(&file(&[])).contains("it has no array X of bytes"));
        assert!(refusal(&file(&[matrix("X", 6, &[1, 1, 1], &[1])])).contains("it has no array X of bytes"));
        let short = file(&[matrix("X", UINT8_CLASS, &[2, 2, 2], &[1; 7])]);
        assert!(
            refusal(&short).starts_with("byte 7: the file ends, expected 8 bytes of array X for its shape [2, 2, 2]")
        );
        let huge = file(&[matrix("X", UINT8_CLASS, &[u32::MAX; 4], &[1; 7])]);
        assert!(refusal(&huge).contains("the file ends"));
        let flat = file(&[matrix("X", UINT8_CLASS, &[7], &[1; 7])]);
        assert!(refusal(&flat).contains("it holds 1 dimensions of X, expected 3 or 4"));
        let none = file(&[matrix("X", UINT8_CLASS, &[0, 2, 2], &[])]);
        assert!(images(&none).unwrap().values.is_empty());
    }

    /// A small file can hold many elements that unpack to large data, so their sum is bounded.
    #[test]
    fn all_that_is_compressed_is_bounded_together() {
        let other = || packed(&matrix("Z", UINT8_CLASS, &[1000], &[0; 1000]));
        let bytes = file(&[other(), other(), other(), packed(&matrix("X", UINT8_CLASS, &[1, 1, 1], &[7]))]);
        assert_eq!(images(&bytes).unwrap().values, [7]);
        let error = images_within(&bytes, 3000).unwrap_err().to_string();
        assert_eq!(error, "it holds more than 3000 bytes: it is not the expected file");
    }

    /// No cut or flipped bit makes the reader panic.
    #[test]
    fn damage_is_refused_or_other_images() {
        let whole = svhn([4, 4, 3, 3], |[image, i, j, _]| (image + i * j) as u8);
        for cut in 0..whole.len() {
            assert!(images(&whole[..cut]).is_err(), "{cut}");
        }
        for flip in 0..whole.len() {
            let mut spoiled = whole.clone();
            spoiled[flip] ^= 1 << (flip % 8);
            if let Ok(read) = images(&spoiled) {
                assert_eq!(read.values.len() as u64, read.shape.iter().product::<u64>());
            }
        }
    }
}

//! idx files, the format of MNIST: a magic number, the sizes of the dimensions, bytes.

use super::error::DataDefect;

/// The first bytes of an idx file of bytes, before the number of dimensions.
const MAGIC: [u8; 3] = [0, 0, 8];

/// An array of bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Idx {
    /// The size of each dimension.
    pub(super) shape: Vec<u64>,
    /// All elements, row-major.
    pub(super) values: Vec<u8>,
}

/// Reads the bytes of a file, unpacked.
///
/// The file is the bytes 0, 0, 8, the number of dimensions, each dimension's size as a big-endian `u32`, and then as
/// many bytes as the sizes' product. Exactly as many bytes must follow.
///
/// # Errors
/// When the file has another header, or more or fewer bytes than the product of its sizes.
pub(super) fn parse(mut bytes: Vec<u8>) -> Result<Idx, DataDefect> {
    let dimensions = match bytes.get(..4) {
        Some([a, b, c, dimensions]) if [*a, *b, *c] == MAGIC => usize::from(*dimensions),
        start => {
            let found = format!("{:?}", start.unwrap_or(&bytes));
            return Err(DataDefect::Magic {
                found,
                expected: "[0, 0, 8, number of dimensions], as idx files of bytes do",
            });
        }
    };
    let start = 4 + 4 * dimensions;
    let found = bytes.len() as u64;
    let Some(sizes) = bytes.get(4..start) else {
        return Err(DataDefect::Length { found, expected: start as u64, why: "of header".to_owned() });
    };
    let size = |b: &[u8]| u64::from(u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let shape: Vec<u64> = sizes.chunks_exact(4).map(size).collect();
    let values = shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size)).unwrap_or(u64::MAX);
    let expected = values.saturating_add(start as u64);
    if found != expected {
        return Err(DataDefect::Length { found, expected, why: format!("for its shape {shape:?}") });
    }
    bytes.drain(..start);
    Ok(Idx { shape, values: bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(shape: &[u32], values: &[u8]) -> Vec<u8> {
        let sizes = shape.iter().flat_map(|size| size.to_be_bytes());
        [0, 0, 8, shape.len() as u8].into_iter().chain(sizes).chain(values.iter().copied()).collect()
    }

    #[test]
    fn sizes_then_bytes() {
        let idx = parse(file(&[2, 1, 3], &[1, 2, 3, 4, 5, 6])).unwrap();
        assert_eq!(idx, Idx { shape: vec![2, 1, 3], values: vec![1, 2, 3, 4, 5, 6] });
    }

    #[test]
    fn another_beginning_is_shown() {
        let error = parse(b"\0\0\x0d\x01....".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("byte 0: it begins with [0, 0, 13, 1], expected [0, 0, 8"), "{error}");
        assert!(matches!(parse(vec![0, 0]), Err(DataDefect::Magic { .. })));
    }

    #[test]
    fn too_few_or_too_many_bytes_are_refused() {
        let error = parse(file(&[2, 3], &[0; 5])).unwrap_err();
        assert!(
            error.to_string().starts_with("byte 17: the file ends, expected 18 bytes for its shape [2, 3]"),
            "{error}"
        );
        assert!(matches!(parse(file(&[2, 3], &[0; 7])), Err(DataDefect::Length { found: 19, expected: 18, .. })));
        assert!(matches!(parse(vec![0, 0, 8, 3, 0, 0]), Err(DataDefect::Length { found: 6, expected: 16, .. })));
    }

    #[test]
    fn sizes_that_no_memory_holds_are_not_believed() {
        let error = parse(file(&[u32::MAX, u32::MAX, u32::MAX], &[0; 5])).unwrap_err();
        assert!(matches!(error, DataDefect::Length { expected: u64::MAX, .. }), "{error}");
    }
}

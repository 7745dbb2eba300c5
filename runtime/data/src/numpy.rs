//! NumPy's .npy and .npz files of images and labels.

use std::io::{Cursor, Read};

use super::error::DataDefect;
use super::idx::Idx;
use crate::import::{Archive, Array, Element, npy};

/// Reads the images of an .npy file of bytes, one image per row.
pub(super) fn images(bytes: &[u8]) -> Result<Idx, DataDefect> {
    bytes_of(npy("the array", bytes)?)
}

/// Reads the labels of an .npy file.
pub(super) fn labels(bytes: &[u8]) -> Result<Vec<i64>, DataDefect> {
    integers(npy("the array", bytes)?)
}

/// Reads the arrays `images` and `labels` of an .npz file.
pub(super) fn pair(bytes: &[u8]) -> Result<(Idx, Vec<i64>), DataDefect> {
    let mut archive = Archive::open(Cursor::new(bytes))?;
    archive.limit(&["images", "labels"], super::MAX_DATA_BYTES)?;
    let images = bytes_of(archive.get("images")?)?;
    Ok((images, integers(archive.get("labels")?)?))
}

/// Reads the array `images` of an .npz file, which may hold other arrays.
pub(super) fn images_of(bytes: &[u8]) -> Result<Idx, DataDefect> {
    let mut archive = Archive::open(Cursor::new(bytes))?;
    archive.limit(&["images"], super::MAX_DATA_BYTES)?;
    bytes_of(archive.get("images")?)
}

fn bytes_of(array: Array<impl Read>) -> Result<Idx, DataDefect> {
    let shape = array.shape().to_vec();
    Ok(Idx { shape, values: array.read::<u8>()? })
}

fn integers(array: Array<impl Read>) -> Result<Vec<i64>, DataDefect> {
    if array.holds(u8::KIND) {
        return Ok(array.read::<u8>()?.into_iter().map(i64::from).collect());
    }
    if !array.holds(i64::KIND) {
        return Err(array.mistyped("int64 or uint8", "int64").into());
    }
    Ok(array.read::<i64>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::fixture::{Fixture, npy_header};

    #[test]
    fn arrays_of_an_archive() {
        let file =
            Fixture::new().array("images", &[2, 1, 3], (0_u8..6).collect()).array("labels", &[2], vec![4_i64, 9]);
        let (images, labels) = pair(&file.bytes()).unwrap();
        assert_eq!(images, Idx { shape: vec![2, 1, 3], values: (0..6).collect() });
        assert_eq!(labels, [4, 9]);
    }

    #[test]
    fn a_file_of_one_array() {
        let mut file = npy_header("|u1", "(2, 2)");
        file.extend([1, 2, 3, 4]);
        assert_eq!(images(&file).unwrap(), Idx { shape: vec![2, 2], values: vec![1, 2, 3, 4] });
        let mut file = npy_header("|u1", "(3,)");
        file.extend([1, 2, 3]);
        assert_eq!(labels(&file).unwrap(), [1, 2, 3]);
    }

    #[test]
    fn another_type_shape_or_length_is_refused() {
        let mut floats = npy_header("<f4", "(1,)");
        floats.extend(1_f32.to_le_bytes());
        let error = labels(&floats).unwrap_err().to_string();
        assert_eq!(error, "the array is float32, expected int64 or uint8: save it with .astype(np.int64)");
        assert!(images(&floats).unwrap_err().to_string().contains("expected uint8"));
        let error = images(&npy_header("|u1", "(4294967295, 4294967295)")).unwrap_err().to_string();
        assert!(error.contains("is cut short"), "{error}");
        assert!(images(b"no array").is_err());
        let error = pair(&Fixture::new().array("images", &[1], vec![0_u8]).bytes()).unwrap_err().to_string();
        assert!(error.contains("there is no array \"labels\", only images"), "{error}");
    }
}

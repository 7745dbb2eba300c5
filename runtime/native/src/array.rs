//! Arrays of a message: what is sent, what is announced, and their bytes.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A number that a message can hold. Its bytes in memory are those of a message: `lib.rs` refuses other platforms.
pub(crate) trait Number: FromBytes + IntoBytes + Immutable + Copy + Default {
    /// The name of its type in a header.
    const DTYPE: &'static str;
}

impl Number for f32 {
    const DTYPE: &'static str = "float32";
}

impl Number for f64 {
    const DTYPE: &'static str = "float64";
}

impl Number for u32 {
    const DTYPE: &'static str = "uint32";
}

impl Number for u64 {
    const DTYPE: &'static str = "uint64";
}

/// An array as a header announces it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) shape: Vec<u64>,
}

/// An array to send.
pub(crate) struct Array<'a> {
    pub(crate) announced: Announced,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// Announces numbers as an array of a shape.
    pub(crate) fn new<T: Number>(name: &str, shape: &[usize], values: &'a [T]) -> Self {
        Self { announced: announced::<T>(name, shape), bytes: values.as_bytes() }
    }

    /// Writes the numbers without their announcement.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.bytes)
    }
}

/// Returns the announcement of an array.
pub(crate) fn announced<T: Number>(name: &str, shape: &[usize]) -> Announced {
    let shape = shape.iter().map(|&size| size as u64).collect();
    Announced { name: name.to_owned(), dtype: T::DTYPE.to_owned(), shape }
}

/// Reads `count` numbers into the memory that is returned.
pub(crate) fn read<T: Number>(count: usize, from: &mut impl Read) -> io::Result<Vec<T>> {
    let mut values = vec![T::default(); count];
    from.read_exact(values.as_mut_bytes())?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::{Array, read};

    #[test]
    fn numbers_are_little_endian_and_come_back() {
        let mut bytes = Vec::new();
        Array::new("x", &[2], &[1_u32, 258]).write(&mut bytes).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 2, 1, 0, 0]);
        let many: Vec<f32> = (0..60_000_u16).map(|i| f32::from(i) * 0.1).collect();
        let mut bytes = Vec::new();
        Array::new("x", &[many.len()], &many).write(&mut bytes).unwrap();
        assert_eq!(read::<f32>(many.len(), &mut bytes.as_slice()).unwrap(), many);
        assert!(read::<f32>(many.len() + 1, &mut bytes.as_slice()).is_err());
    }
}

//! Arrays of a message: what is sent, what is announced, and their bytes.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// Bytes that are converted at a time, so that an array is never held twice.
const CHUNK_BYTES: usize = 1 << 16;

/// A number that a message can hold.
pub(crate) trait Number: Copy {
    /// The name of its type in a header.
    const DTYPE: &'static str;
    /// Its bytes, little-endian.
    type Bytes: AsRef<[u8]>;

    fn to_bytes(self) -> Self::Bytes;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($type:ty, $name:literal) => {
        impl Number for $type {
            const DTYPE: &'static str = $name;
            type Bytes = [u8; size_of::<$type>()];

            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the bytes of one number"))
            }
        }
    };
}

number!(f32, "float32");
number!(f64, "float64");
number!(u32, "uint32");
number!(u64, "uint64");

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
    values: Values<'a>,
}

enum Values<'a> {
    F32(&'a [f32]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Array<'a> {
    pub(crate) fn f32(name: &str, shape: &[usize], values: &'a [f32]) -> Self {
        Self { announced: announced::<f32>(name, shape), values: Values::F32(values) }
    }

    pub(crate) fn u32(name: &str, shape: &[usize], values: &'a [u32]) -> Self {
        Self { announced: announced::<u32>(name, shape), values: Values::U32(values) }
    }

    pub(crate) fn u64(name: &str, shape: &[usize], values: &'a [u64]) -> Self {
        Self { announced: announced::<u64>(name, shape), values: Values::U64(values) }
    }

    /// Writes the numbers without their announcement.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self.values {
            Values::F32(values) => write(values, out),
            Values::U32(values) => write(values, out),
            Values::U64(values) => write(values, out),
        }
    }
}

/// Returns the announcement of an array.
pub(crate) fn announced<T: Number>(name: &str, shape: &[usize]) -> Announced {
    let shape = shape.iter().map(|&size| size as u64).collect();
    Announced { name: name.to_owned(), dtype: T::DTYPE.to_owned(), shape }
}

fn write<T: Number>(values: &[T], out: &mut impl Write) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK_BYTES.min(size_of_val(values)));
    for chunk in values.chunks(CHUNK_BYTES / size_of::<T>()) {
        buffer.clear();
        for value in chunk {
            buffer.extend_from_slice(value.to_bytes().as_ref());
        }
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// Reads `count` numbers.
pub(crate) fn read<T: Number>(count: usize, from: &mut impl Read) -> io::Result<Vec<T>> {
    let mut values = Vec::with_capacity(count);
    let mut buffer = vec![0; CHUNK_BYTES.min(count * size_of::<T>())];
    while values.len() < count {
        let bytes = &mut buffer[..CHUNK_BYTES.min((count - values.len()) * size_of::<T>())];
        from.read_exact(bytes)?;
        values.extend(bytes.chunks_exact(size_of::<T>()).map(T::from_bytes));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::{Array, read};

    #[test]
    fn numbers_are_little_endian_and_come_back() {
        let mut bytes = Vec::new();
        Array::u32("x", &[2], &[1, 258]).write(&mut bytes).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 2, 1, 0, 0]);
        let many: Vec<f32> = (0..60_000_u16).map(|i| f32::from(i) * 0.1).collect();
        let mut bytes = Vec::new();
        Array::f32("x", &[many.len()], &many).write(&mut bytes).unwrap();
        assert_eq!(read::<f32>(many.len(), &mut bytes.as_slice()).unwrap(), many);
        assert!(read::<f32>(many.len() + 1, &mut bytes.as_slice()).is_err());
    }
}

//! Trained numbers as bytes, to carry a member of an ensemble from the instance that trained it to another.

use jointly_sdk::{Failure, MOST_PARTS};

/// Returns the bits of all numbers, one list after the other.
pub fn keep<'a>(lists: impl IntoIterator<Item = &'a [f32]>) -> Vec<u8> {
    lists.into_iter().flatten().flat_map(|value| value.to_le_bytes()).collect()
}

/// Replaces the numbers by those of the bytes.
///
/// # Errors
///
/// Fails if the bytes are not as many as the numbers have.
pub fn restore<'a>(bytes: &[u8], lists: impl IntoIterator<Item = &'a mut [f32]>) -> Result<(), Failure> {
    let lists: Vec<&mut [f32]> = lists.into_iter().collect();
    let numbers: usize = lists.iter().map(|list| list.len()).sum();
    let (kept, rest) = bytes.as_chunks();
    if kept.len() != numbers || !rest.is_empty() {
        return Err(Failure::Internal(format!("{} bytes in place of {numbers} trained numbers", bytes.len())));
    }
    let values = lists.into_iter().flatten();
    values.zip(kept).for_each(|(value, kept)| *value = f32::from_le_bytes(*kept));
    Ok(())
}

/// Returns the number of parts of an ensemble in which each member is one, if there are several and not too many.
pub fn several(members: usize) -> Option<u32> {
    u32::try_from(members).ok().filter(|members| (2..=MOST_PARTS).contains(members))
}

/// Returns all members of an ensemble from their bytes.
///
/// # Errors
///
/// Fails if there are not `size` members, or with the error of one.
pub fn restored<M>(
    size: usize,
    parts: &[Vec<u8>],
    restore: impl Fn(u64, &[u8]) -> Result<M, Failure>,
) -> Result<Vec<M>, Failure> {
    if parts.len() != size {
        return Err(Failure::Internal(format!("{} parts in place of {size} members", parts.len())));
    }
    (0..).zip(parts).map(|(member, bytes)| restore(member, bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits() {
        let (first, second) = ([1.5, -0.0, f32::MIN_POSITIVE / 2.0], [f32::from_bits(0x7fa0_0001)]);
        let bytes = keep([&first[..], &second]);
        let (mut a, mut b) = ([9.0; 3], [9.0; 1]);
        restore(&bytes, [&mut a[..], &mut b]).unwrap();
        let bits = |list: &[f32]| list.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&a), bits(&b)), (bits(&first), bits(&second)));
    }

    #[test]
    fn other_numbers_of_bytes_are_refused() {
        for length in [0, 3, 5, 8] {
            let failure = restore(&vec![0; length], [&mut [0.0][..]]).unwrap_err();
            assert_eq!(failure.to_string(), format!("{length} bytes in place of 1 trained numbers"));
        }
    }
}

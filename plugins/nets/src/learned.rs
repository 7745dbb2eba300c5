//! Trained numbers as bytes, to carry a member of an ensemble from the instance that trained it to another.

use jointly_sdk::Failure;

/// Returns the bits of all numbers, one list after the other.
pub(crate) fn keep<const N: usize>(lists: [&[f32]; N]) -> Vec<u8> {
    lists.iter().flat_map(|list| list.iter().flat_map(|value| value.to_le_bytes())).collect()
}

/// Replaces the numbers by those of the bytes.
///
/// # Errors
///
/// Fails if the bytes are not as many as the numbers have.
pub(crate) fn restore<const N: usize>(bytes: &[u8], lists: [&mut [f32]; N]) -> Result<(), Failure> {
    let numbers: usize = lists.iter().map(|list| list.len()).sum();
    let (kept, rest) = bytes.as_chunks();
    if kept.len() != numbers || !rest.is_empty() {
        return Err(Failure::Internal(format!("{} bytes in place of {numbers} trained numbers", bytes.len())));
    }
    let values = lists.into_iter().flatten();
    values.zip(kept).for_each(|(value, kept)| *value = f32::from_le_bytes(*kept));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits() {
        let (first, second) = ([1.5, -0.0, f32::MIN_POSITIVE / 2.0], [f32::from_bits(0x7fa0_0001)]);
        let bytes = keep([&first, &second]);
        let (mut a, mut b) = ([9.0; 3], [9.0; 1]);
        restore(&bytes, [&mut a, &mut b]).unwrap();
        let bits = |list: &[f32]| list.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&a), bits(&b)), (bits(&first), bits(&second)));
    }

    #[test]
    fn other_numbers_of_bytes_are_refused() {
        for length in [0, 3, 5, 8] {
            let failure = restore(&vec![0; length], [&mut [0.0]]).unwrap_err();
            assert_eq!(failure.to_string(), format!("{length} bytes in place of 1 trained numbers"));
        }
    }
}

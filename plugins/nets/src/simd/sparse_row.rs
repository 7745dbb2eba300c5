//! A row of a matrix product that adds only the terms that a bit set names.

use super::{Lanes, Left, Right};

/// Bits per word of [`sparse_row`].
pub const WORD: usize = u64::BITS as usize;

/// Computes vectors `j..j + N` of row `i` of the product of `left` and `right`, added to `start`, using only the terms
/// whose bit is set: term k is bit `k % 64` of word `k / 64`.
///
/// # Panics
///
/// Panics if a matrix ends before the last of these terms.
#[inline(always)]
pub fn sparse_row<const N: usize, const TRANSPOSED: bool>(
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    (i, j): (usize, usize),
    terms: &[u64],
    start: [Lanes; N],
) -> [Lanes; N] {
    let mut sums = start;
    let Some(last) = terms.iter().rposition(|word| *word != 0) else {
        return sums;
    };
    let last = last * WORD + terms[last].ilog2() as usize;
    let offset = Left::<TRANSPOSED>::offset;
    assert!(offset(left.stride, i, last) < left.values.len());
    assert!(last * right.stride + j + N <= right.values.len());
    let operands = Operands {
        left: left.values[offset(left.stride, i, 0)..].as_ptr(),
        step: if TRANSPOSED { left.stride } else { 1 },
        right: right.values[j..].as_ptr(),
        right_step: right.stride,
    };
    for (w, word) in terms.iter().enumerate() {
        let mut rest = Rest { word: *word, first: w * WORD };
        if *word == 0 {
            continue;
        }
        // The test for the end is also where the sandbox's compiler computes a term, which it would put off otherwise, with
        // more vectors waiting than there are registers. The head of a loop loads the sums from memory, so a turn has four
        // terms.
        // SAFETY: the assertions place the last term inside both sides, offsets grow with the term, and a term remains.
        let mut add = || unsafe { operands.add_next(&mut rest, &mut sums) };
        while add() && add() && add() && add() {}
    }
    sums
}

/// The terms of a word that remain to be added.
struct Rest {
    word: u64,
    first: usize,
}

impl Rest {
    #[inline(always)]
    fn next(&mut self) -> usize {
        let term = self.first + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        term
    }
}

/// The operands of a sparse row's terms.
struct Operands {
    left: *const f32,
    step: usize,
    right: *const Lanes,
    right_step: usize,
}

impl Operands {
    /// Adds the next term and returns whether another one remains.
    ///
    /// # Safety
    ///
    /// A term must remain, and both sides must contain it.
    #[inline(always)]
    unsafe fn add_next<const N: usize>(&self, rest: &mut Rest, sums: &mut [Lanes; N]) -> bool {
        let k = rest.next();
        // SAFETY: the caller guarantees the term.
        let (factor, row) = unsafe { (*self.left.add(k * self.step), self.right.add(k * self.right_step)) };
        let factor = Lanes::splat(factor);
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the caller guarantees the term, and a term has N vectors.
            *sum = unsafe { *row.add(n) }.mul_add(factor, *sum);
        }
        rest.word != 0
    }
}

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
    let mut turn = Turn {
        left: left.values[offset(left.stride, i, 0)..].as_ptr(),
        step: if TRANSPOSED { left.stride } else { 1 },
        right: right.values[j..].as_ptr(),
        right_step: right.stride,
        forced: [Lanes::splat(0.0); N],
    };
    for (w, word) in terms.iter().enumerate() {
        let count = word.count_ones();
        let mut rest = Rest { word: *word, first: w * WORD };
        // SAFETY: the assertions place the last term inside both sides, offsets grow with the term, and exactly one
        // term is added for each bit.
        unsafe {
            for _ in 0..count / 8 {
                turn.eight(&mut rest, &mut sums);
            }
            if count & 4 != 0 {
                turn.four(&mut rest, &mut sums);
            }
            if count & 2 != 0 {
                turn.two(&mut rest, &mut sums);
            }
            if count & 1 != 0 {
                turn.one(&mut rest, &mut sums);
            }
        }
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
struct Turn<const N: usize> {
    left: *const f32,
    step: usize,
    right: *const Lanes,
    right_step: usize,
    forced: [Lanes; N],
}

impl<const N: usize> Turn<N> {
    /// Adds the next term.
    ///
    /// The sandbox's compiler loads the sums of a loop from memory in every iteration, because the loop head may call
    /// the host. It loads all vectors of an iteration before it adds the first, unless each sum is stored. So an
    /// iteration handles many terms, and each term stores its sums although nothing reads them.
    ///
    /// # Safety
    ///
    /// A term must remain, and both sides must contain it.
    #[inline(always)]
    unsafe fn one(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        let k = rest.next();
        // SAFETY: the caller guarantees the term.
        let (factor, row) = unsafe { (*self.left.add(k * self.step), self.right.add(k * self.right_step)) };
        let factor = Lanes::splat(factor);
        for (n, (sum, forced)) in sums.iter_mut().zip(&mut self.forced).enumerate() {
            // SAFETY: the caller guarantees the term, and a term has N vectors.
            *sum = unsafe { *row.add(n) }.mul_add(factor, *sum);
            if cfg!(target_arch = "wasm32") {
                // SAFETY: the pointer comes from a reference.
                unsafe { std::ptr::from_mut(forced).write_volatile(*sum) };
            }
        }
    }

    /// Adds the next two terms; see `one`.
    #[inline(always)]
    unsafe fn two(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller guarantees two terms.
        unsafe {
            self.one(rest, sums);
            self.one(rest, sums);
        }
    }

    /// Adds the next four terms; see `one`.
    #[inline(always)]
    unsafe fn four(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller guarantees four terms.
        unsafe {
            self.two(rest, sums);
            self.two(rest, sums);
        }
    }

    /// Adds the next eight terms; see `one`.
    #[inline(always)]
    unsafe fn eight(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller guarantees eight terms.
        unsafe {
            self.four(rest, sums);
            self.four(rest, sums);
        }
    }
}

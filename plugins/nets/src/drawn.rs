//! Caches the numbers of draws, because the host asks for the same draws call after call.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The number of bytes that are kept between calls, out of the agent's memory.
const ROOM: usize = 64 << 20;

/// The bytes that a cached draw takes beside its numbers: a place in the tree, and the overhead of an allocation.
const OVERHEAD: usize = 64;

/// A cache of the numbers of draws, which are computed when a draw is first used.
#[derive(Debug)]
pub struct Drawn {
    /// Numbers per draw.
    len: usize,
    /// The largest number of draws that are kept; the first ones are.
    most: usize,
    kept: RefCell<BTreeMap<u64, Vec<f32>>>,
}

impl Drawn {
    /// Makes a cache for draws of `len` numbers each; it keeps as many draws as fit into 64 MiB.
    pub fn new(len: usize) -> Self {
        let most = ROOM / len.saturating_mul(size_of::<f32>()).saturating_add(OVERHEAD);
        Self { len, most, kept: RefCell::default() }
    }

    /// Numbers per draw.
    #[expect(clippy::len_without_is_empty, reason = "a draw has numbers")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Passes a draw's numbers to `take`. `make` writes the numbers, and must write the same ones at every call.
    pub fn with<T>(&self, draw: u64, make: impl FnOnce(&mut [f32]), take: impl FnOnce(&[f32]) -> T) -> T {
        let mut kept = self.kept.borrow_mut();
        if let Some(numbers) = kept.get(&draw) {
            return take(numbers);
        }
        let mut numbers = vec![0.0; self.len];
        make(&mut numbers);
        let taken = take(&numbers);
        if kept.len() < self.most {
            kept.insert(draw, numbers);
        }
        taken
    }

    /// Returns the numbers of the draws, one draw after the other. `make` writes the numbers of one draw, and must
    /// write the same ones at every call.
    pub fn of(&self, draws: &[u64], make: impl Fn(u64, &mut [f32])) -> Vec<f32> {
        let mut all = vec![0.0; draws.len() * self.len];
        for (draw, numbers) in draws.iter().zip(all.chunks_exact_mut(self.len)) {
            self.with(*draw, |made| make(*draw, made), |made| numbers.copy_from_slice(made));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers per draw such that 64 MiB hold four draws.
    const LARGE: usize = (ROOM / 4 - OVERHEAD) / size_of::<f32>();

    #[test]
    fn a_draw_is_made_once_while_there_is_room() {
        let made = RefCell::new(0);
        let make = |draw: u64, numbers: &mut [f32]| {
            *made.borrow_mut() += 1;
            numbers.fill(draw as f32);
        };
        let drawn = Drawn::new(2);
        assert_eq!(drawn.of(&[7, 3, 7], make), [7.0, 7.0, 3.0, 3.0, 7.0, 7.0]);
        assert_eq!(*made.borrow(), 2);

        *made.borrow_mut() = 0;
        let drawn = Drawn::new(LARGE);
        for round in 1..=2 {
            for draw in 0..6 {
                assert_eq!(drawn.with(draw, |numbers| make(draw, numbers), |numbers| numbers[LARGE - 1]), draw as f32);
            }
            // Two of the six draws do not fit.
            assert_eq!(*made.borrow(), 4 + 2 * round);
        }
    }

    #[test]
    fn what_is_kept_is_bounded_whatever_a_draws_size() {
        for len in [1, 12, 2802, LARGE, LARGE + 1, 50_000_000, usize::MAX] {
            let most = Drawn::new(len).most;
            assert!(most.saturating_mul(len).saturating_mul(4).saturating_add(most * OVERHEAD) <= ROOM, "{len}");
        }
        // A thousand draws of the testbed's network fit, and no draw that is larger than the cache.
        assert!(Drawn::new(2802).most > 1000);
        assert_eq!(Drawn::new(ROOM).most, 0);
    }
}

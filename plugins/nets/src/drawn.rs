//! What the draws seen first are made of: the host asks for the same draws call after call.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// How many draws are kept between calls.
const KEPT: usize = 1024;

/// Each draw's numbers, made when it is first asked for.
#[derive(Debug)]
pub struct Drawn {
    /// Numbers of a draw.
    len: usize,
    kept: RefCell<BTreeMap<u64, Vec<f32>>>,
}

impl Drawn {
    /// Draws of `len` numbers each.
    pub fn new(len: usize) -> Self {
        Self { len, kept: RefCell::default() }
    }

    /// Numbers of a draw.
    #[expect(clippy::len_without_is_empty, reason = "a draw has numbers")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The numbers of the draws, one draw after the other. `make` writes those of one draw, the same at every call.
    pub fn of(&self, draws: &[u64], make: impl Fn(u64, &mut [f32])) -> Vec<f32> {
        let mut kept = self.kept.borrow_mut();
        let mut all = vec![0.0; draws.len() * self.len];
        for (draw, numbers) in draws.iter().zip(all.chunks_exact_mut(self.len)) {
            if let Some(kept) = kept.get(draw) {
                numbers.copy_from_slice(kept);
                continue;
            }
            make(*draw, numbers);
            if kept.len() < KEPT {
                kept.insert(*draw, numbers.to_vec());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_made_once_while_there_is_room() {
        let drawn = Drawn::new(2);
        let made = RefCell::new(0);
        let make = |draw: u64, numbers: &mut [f32]| {
            *made.borrow_mut() += 1;
            numbers.copy_from_slice(&[draw as f32, 1.0]);
        };
        assert_eq!(drawn.of(&[7, 3, 7], make), [7.0, 1.0, 3.0, 1.0, 7.0, 1.0]);
        assert_eq!(*made.borrow(), 2);
        let many: Vec<u64> = (100..100 + KEPT as u64).collect();
        assert_eq!(drawn.of(&many, make), drawn.of(&many, make));
        // Two of them found no room.
        assert_eq!(*made.borrow(), 2 + KEPT + 2);
    }
}

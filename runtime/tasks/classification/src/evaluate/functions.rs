//! The distinct functions among an agent's draws.

use std::collections::HashMap;

/// The distinct functions among some draws, each with the number of draws that share it.
pub struct Functions {
    /// The draws.
    pub(crate) numbers: Vec<u64>,
    /// The canonical draw of each function.
    pub draws: Vec<u64>,
    /// The number of draws that share each function.
    pub(crate) counts: Vec<u64>,
    /// The index of each draw's function in `draws`.
    pub places: Vec<u32>,
    /// The indices of draws that are not their own canonical draw.
    pub(crate) stand_ins: Vec<usize>,
}

impl Functions {
    /// Groups draws 0..M by the canonical draws that a model returns for them.
    pub(crate) fn of<E>(draws: u32, canonical: impl FnOnce(&[u64]) -> Result<Vec<u64>, E>) -> Result<Self, E> {
        Self::among((0..u64::from(draws)).collect(), canonical)
    }

    /// Groups draws by the canonical draws that a model returns for them.
    ///
    /// # Errors
    /// Returns errors of `canonical` unchanged.
    ///
    /// # Panics
    /// When `canonical` returns another number of draws.
    pub fn among<E>(numbers: Vec<u64>, canonical: impl FnOnce(&[u64]) -> Result<Vec<u64>, E>) -> Result<Self, E> {
        let canonical = canonical(&numbers)?;
        assert_eq!(canonical.len(), numbers.len(), "one canonical draw a draw");
        let mut known = HashMap::new();
        let (mut draws, mut counts, mut places, mut stand_ins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, (&draw, canonical)) in numbers.iter().zip(canonical).enumerate() {
            let place = *known.entry(canonical).or_insert(draws.len());
            if place == draws.len() {
                draws.push(canonical);
                counts.push(0);
            }
            counts[place] += 1;
            places.push(place as u32);
            if canonical != draw {
                stand_ins.push(index);
            }
        }
        Ok(Self { numbers, draws, counts, places, stand_ins })
    }
}

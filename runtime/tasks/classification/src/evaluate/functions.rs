//! The distinct functions among an agent's draws.

use std::collections::HashMap;

/// The distinct functions among draws 0..M, each with the number of draws that share it.
pub struct Functions {
    /// The canonical draw of each function.
    pub draws: Vec<u64>,
    /// The number of draws that share each function.
    pub counts: Vec<u64>,
    /// The index of each draw's function in `draws`.
    pub places: Vec<u32>,
    /// Draws that are not their own canonical draw.
    pub(crate) stand_ins: Vec<u64>,
}

impl Functions {
    /// Groups draws 0..M by the canonical draws that a model returns for them.
    ///
    /// # Errors
    /// Returns errors of `canonical` unchanged.
    ///
    /// # Panics
    /// When `canonical` returns another number of draws.
    pub fn of<E>(draws: u32, canonical: impl FnOnce(&[u64]) -> Result<Vec<u64>, E>) -> Result<Self, E> {
        let all: Vec<u64> = (0..u64::from(draws)).collect();
        let canonical = canonical(&all)?;
        assert_eq!(canonical.len(), all.len(), "one canonical draw a draw");
        let mut known = HashMap::new();
        let mut functions = Self { draws: Vec::new(), counts: Vec::new(), places: Vec::new(), stand_ins: Vec::new() };
        for (draw, canonical) in all.into_iter().zip(canonical) {
            let place = *known.entry(canonical).or_insert(functions.draws.len());
            if place == functions.draws.len() {
                functions.draws.push(canonical);
                functions.counts.push(0);
            }
            functions.counts[place] += 1;
            functions.places.push(place as u32);
            if canonical != draw {
                functions.stand_ins.push(draw);
            }
        }
        Ok(functions)
    }
}

//! The distinct functions among an agent's draws.

use std::collections::BTreeMap;

use jointly_core::regression::regressor::Belief;

/// The distinct functions among some draws, each with the number of draws that name it.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    /// The numbers of all draws.
    pub(super) numbers: Vec<u64>,
    /// The canonical draw of each function, in the order in which the draws first name it.
    pub(crate) draws: Vec<u64>,
    pub(super) counts: Vec<u64>,
    /// For each draw, the index of its function in `draws`.
    pub(super) places: Vec<usize>,
}

impl Functions {
    /// Returns the functions among draws 0..M.
    pub(super) fn of<B: Belief>(belief: &mut B, draws: u32) -> Result<Self, B::Error> {
        Self::among(belief, (0..u64::from(draws)).collect())
    }

    /// Returns the functions among the draws of these numbers.
    pub(super) fn among<B: Belief>(belief: &mut B, numbers: Vec<u64>) -> Result<Self, B::Error> {
        let canonical = belief.canonical_draws(&numbers)?;
        assert_eq!(canonical.len(), numbers.len(), "one canonical draw a draw");
        let mut known = BTreeMap::new();
        let mut functions = Self { numbers, draws: Vec::new(), counts: Vec::new(), places: Vec::new() };
        for canonical in canonical {
            let place = *known.entry(canonical).or_insert(functions.draws.len());
            if place == functions.draws.len() {
                functions.draws.push(canonical);
                functions.counts.push(0);
            }
            functions.counts[place] += 1;
            functions.places.push(place);
        }
        Ok(functions)
    }

    /// Returns the number of draws.
    pub(super) fn total(&self) -> u64 {
        self.places.len() as u64
    }
}

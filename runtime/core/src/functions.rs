//! The distinct functions among an agent's draws.

use std::collections::HashMap;

/// The distinct functions among some draws, each with the number of draws that share it.
#[derive(Clone, Debug)]
pub struct Functions {
    /// The numbers of all draws.
    pub numbers: Vec<u64>,
    /// The canonical draw of each function, in the order in which the draws first name it.
    pub draws: Vec<u64>,
    /// The number of draws that share each function.
    pub counts: Vec<u64>,
    /// The index of each draw's function in `draws`.
    pub places: Vec<usize>,
    /// The indices of draws that are not their own canonical draw.
    pub stand_ins: Vec<usize>,
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
            places.push(place);
            if canonical != draw {
                stand_ins.push(index);
            }
        }
        Ok(Self { numbers, draws, counts, places, stand_ins })
    }

    /// Returns the number of draws.
    pub fn total(&self) -> u64 {
        self.places.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Functions;

    #[test]
    fn draws_of_one_canonical_draw_are_one_function() {
        let canonical = |draws: &[u64]| Ok::<_, ()>(draws.iter().map(|draw| draw % 3 + 10).collect());
        let functions = Functions::among(vec![4, 10, 7, 2], canonical).unwrap();
        assert_eq!((functions.draws, functions.counts), (vec![11, 12], vec![3, 1]));
        assert_eq!((functions.places, functions.stand_ins), (vec![0, 0, 0, 1], vec![0, 1, 2, 3]));
        let own = Functions::of(3, |draws| Ok::<_, ()>(draws.to_vec())).unwrap();
        assert_eq!((own.total(), own.stand_ins, own.numbers), (3, vec![], vec![0, 1, 2]));
        assert_eq!(Functions::of(3, |_| Err("refused")).unwrap_err(), "refused");
    }
}

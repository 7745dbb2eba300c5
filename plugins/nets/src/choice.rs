//! Assigns draws to finitely many functions, at random or in order.

use jointly_sdk::{Failure, Rng};

use crate::stream::Stream;

/// The assignment of draws to finitely many functions.
#[derive(Clone, Debug)]
pub struct Choice {
    /// `None` if draws name the functions in order.
    seed: Option<u64>,
    /// The first draw that names each function.
    first: Vec<u64>,
}

impl Choice {
    /// Assigns draws to `functions` functions at random, with a stream of the agent's seed.
    pub fn new(seed: u64, functions: usize) -> Self {
        let seed = Stream::Choice.seed(seed);
        let mut first = vec![None; functions];
        let mut missing = functions;
        for draw in 0.. {
            if missing == 0 {
                break;
            }
            let function = &mut first[choose(seed, draw, functions)];
            if function.is_none() {
                *function = Some(draw);
                missing -= 1;
            }
        }
        Self { seed: Some(seed), first: first.into_iter().flatten().collect() }
    }

    /// Assigns draws to `functions` functions in order: draw m names function m modulo their number, so that few draws
    /// need few functions.
    pub fn in_order(functions: usize) -> Self {
        Self { seed: None, first: (0..functions as u64).collect() }
    }

    /// Returns the function that a draw names.
    pub fn function(&self, draw: u64) -> usize {
        match self.seed {
            Some(seed) => choose(seed, draw, self.first.len()),
            None => (draw % self.first.len() as u64) as usize,
        }
    }

    /// Returns the first draw that names the same function.
    pub fn canonical_draw(&self, draw: u64) -> u64 {
        self.first[self.function(draw)]
    }

    /// Writes the class probabilities of many draws, one after the other; each function is evaluated once.
    ///
    /// # Errors
    ///
    /// Fails if `probs` fails.
    pub fn sample_probs(
        &self,
        draws: &[u64],
        out: &mut [f32],
        mut probs: impl FnMut(usize, &mut [f32]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let block = out.len() / draws.len().max(1);
        let mut computed = vec![None; self.first.len()];
        for (i, draw) in draws.iter().enumerate() {
            let function = self.function(*draw);
            let to = i * block;
            match computed[function] {
                Some(from) => out.copy_within(from..from + block, to),
                None => probs(function, &mut out[to..to + block])?,
            }
            computed[function] = Some(to);
        }
        Ok(())
    }
}

fn choose(seed: u64, draw: u64, functions: usize) -> usize {
    Rng::new(seed, draw).below(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_draws_are_one_a_function() {
        let choice = Choice::new(4, 20);
        let canonical: Vec<u64> = (0..2000).map(|draw| choice.canonical_draw(draw)).collect();
        for (draw, canonical) in canonical.iter().enumerate() {
            assert!(*canonical <= draw as u64);
            assert_eq!(choice.canonical_draw(*canonical), *canonical);
        }
        let distinct: std::collections::BTreeSet<u64> = canonical.into_iter().collect();
        assert_eq!(distinct.len(), 20);
    }

    #[test]
    fn functions_in_order_come_round_again() {
        let choice = Choice::in_order(3);
        assert_eq!([0, 2, 3, u64::MAX].map(|draw| choice.function(draw)), [0, 2, 0, 0]);
        assert_eq!([1, 7].map(|draw| choice.canonical_draw(draw)), [1, 1]);
    }

    #[test]
    fn a_function_is_asked_for_once() {
        let choice = Choice::new(1, 3);
        let draws: Vec<u64> = (0..50).collect();
        let mut out = vec![0.0; 100];
        let mut asked = Vec::new();
        let probs = |function: usize, out: &mut [f32]| {
            asked.push(function);
            out.fill(function as f32);
            Ok(())
        };
        choice.sample_probs(&draws, &mut out, probs).unwrap();
        asked.sort_unstable();
        assert_eq!(asked, [0, 1, 2]);
        for (draw, out) in draws.iter().zip(out.chunks(2)) {
            assert_eq!(out, [choice.function(*draw) as f32; 2]);
        }
    }
}

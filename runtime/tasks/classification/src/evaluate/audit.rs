//! Whether an agent gives the answers that it was scored on again, in other company.
//!
//! A model is a belief over functions only if an answer depends on nothing but the draw and the input. An agent that
//! looks at the rest of the call, or remembers earlier calls, could fit its answers to one another, and is not scored.

use jointly_core::stream::{Stream, stream};

use super::EvaluateError;
use super::functions::Functions;
use crate::rule::Rule;

/// Draws that are asked for again; fixed, so that the fuel that it takes is a function of the sizes alone.
const DRAWS: usize = 4;
/// Of those, draws that must stand for another, where there are such.
const STAND_INS: usize = 2;
/// Rows that are asked for again.
const ROWS: usize = 4;

/// What a model answers at rows of a block, by their places, for draws.
pub(crate) type Sample<'a, E> = dyn FnMut(&[usize], &[u64]) -> Result<Vec<f32>, E> + 'a;

/// A small sample of one block's answers.
pub(crate) struct Audit {
    tau: u32,
    num_classes: usize,
    /// In rising order; places in the block's inputs.
    rows: Vec<usize>,
    /// In rising order.
    draws: Vec<Audited>,
    /// The place in `draws` and the one in `rows` that are asked for alone.
    alone: (usize, usize),
}

/// A draw whose function's answers are kept.
struct Audited {
    draw: u64,
    canonical: u64,
    /// The place of its function among those that are asked for.
    function: usize,
    /// What the scoring call answered at each row.
    answers: Vec<f32>,
}

impl Audit {
    /// Chooses draws and rows of the first block of `rows` rows.
    pub(crate) fn of(rule: &Rule, functions: &Functions, rows: usize) -> Self {
        let mut source = stream(rule.seed, "audit", rule.problem, rule.tau.into());
        let mut draws = pick(&mut source, &functions.stand_ins, STAND_INS, &[]);
        let all: Vec<u64> = (0..functions.places.len() as u64).collect();
        draws.extend(pick(&mut source, &all, DRAWS - draws.len(), &draws));
        let first = draws[0];
        draws.sort_unstable();
        let all: Vec<usize> = (0..rows).collect();
        let mut rows = pick(&mut source, &all, ROWS, &[]);
        rows.sort_unstable();
        let draws: Vec<_> = draws.into_iter().map(|draw| Audited::of(draw, functions)).collect();
        let draw = draws.iter().position(|audited| audited.draw == first).expect("the first draw is among them");
        let alone = (draw, below(&mut source, rows.len()));
        Self { tau: rule.tau, num_classes: rule.num_classes, rows, draws, alone }
    }

    /// Keeps what is audited of a scoring call's answers; `first` is the place of its first function.
    pub(crate) fn keep(&mut self, probs: &[f32], first: usize, functions: usize) {
        let stride = probs.len() / functions;
        for audited in self.draws.iter_mut().filter(|a| (first..first + functions).contains(&a.function)) {
            let function = &probs[(audited.function - first) * stride..][..stride];
            for &row in &self.rows {
                audited.answers.extend_from_slice(&function[row * self.num_classes..][..self.num_classes]);
            }
        }
    }

    /// Asks again: for all draws and rows in reverse, then for one draw at one row. `sample` answers for rows of the block,
    /// by their places, and draws.
    pub(crate) fn run<E>(&self, sample: &mut Sample<'_, E>) -> Result<(), EvaluateError<E>> {
        let draws: Vec<usize> = (0..self.draws.len()).rev().collect();
        let rows: Vec<usize> = (0..self.rows.len()).rev().collect();
        self.ask(sample, &draws, &rows, "again")?;
        self.ask(sample, &[self.alone.0], &[self.alone.1], "alone")
    }

    fn ask<E>(
        &self,
        sample: &mut Sample<'_, E>,
        draws: &[usize],
        rows: &[usize],
        how: &str,
    ) -> Result<(), EvaluateError<E>> {
        let places: Vec<usize> = rows.iter().map(|&row| self.rows[row]).collect();
        let numbers: Vec<u64> = draws.iter().map(|&draw| self.draws[draw].draw).collect();
        let probs = sample(&places, &numbers)?;
        assert_eq!(
            probs.len(),
            draws.len() * rows.len() * self.num_classes,
            "probabilities of every draw at every row"
        );
        let pairs = draws.iter().flat_map(|&draw| rows.iter().map(move |&row| (draw, row)));
        for ((draw, row), found) in pairs.zip(probs.chunks_exact(self.num_classes)) {
            let expected = &self.draws[draw].answers[row * self.num_classes..][..self.num_classes];
            if let Some((expected, found)) = expected.iter().zip(found).find(|(a, b)| a.to_bits() != b.to_bits()) {
                let (draw, row, tau) = (self.draws[draw].name(), self.rows[row], self.tau);
                return Err(EvaluateError::Inconsistent(format!(
                    "{draw} at row {row} of tau {tau} gives {expected} among others and {found} when asked {how}"
                )));
            }
        }
        Ok(())
    }
}

impl Audited {
    fn of(draw: u64, functions: &Functions) -> Self {
        let function = functions.places[draw as usize] as usize;
        Self { draw, canonical: functions.draws[function], function, answers: Vec::new() }
    }

    fn name(&self) -> String {
        let Self { draw, canonical, .. } = self;
        if draw == canonical { format!("draw {draw}") } else { format!("draw {draw}, for which {canonical} stands,") }
    }
}

/// At most `count` of `from`, none twice and none of `taken`.
fn pick<T: Copy + PartialEq>(source: &mut Stream, from: &[T], count: usize, taken: &[T]) -> Vec<T> {
    let mut picked: Vec<T> = Vec::new();
    // Where there is little to choose from, all of it serves; else a repeated choice is rare.
    let free = from.iter().filter(|item| !taken.contains(item)).count();
    while picked.len() < count.min(free) {
        let item = from[below(source, from.len())];
        if !picked.contains(&item) && !taken.contains(&item) {
            picked.push(item);
        }
    }
    picked
}

/// A number below `n`, as good as uniform where n is far below 2^53.
fn below(source: &mut Stream, n: usize) -> usize {
    (source.uniform() * n as f64) as usize
}

#[cfg(test)]
mod tests;

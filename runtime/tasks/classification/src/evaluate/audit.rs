//! Audits that an agent repeats the answers that it was scored on in a different call.
//!
//! A model is a distribution over functions only if an answer depends on nothing but the draw and the input. An agent
//! that looks at the rest of the call, or remembers earlier calls, could fit its answers to one another, and is not
//! scored.

use jointly_core::functions::Functions;
use jointly_core::stream::{Stream, stream};

use super::EvaluateError;
use crate::rule::Rule;

/// Number of audited draws; fixed, so that the fuel of an audit depends on the sizes alone.
const DRAWS: usize = 4;
/// How many of the audited draws must not be their own canonical draw, if the agent has enough such draws.
const STAND_INS: usize = 2;
/// Number of audited rows.
const ROWS: usize = 4;

/// Returns a model's answers at the rows with the given indices, for the given draws.
pub type Sample<'a, E> = dyn FnMut(&[usize], &[u64]) -> Result<Vec<f32>, E> + 'a;

/// A small sample of a model's answers at some rows, by which they are audited.
pub struct Audit {
    /// The place of the answers in messages, such as `tau 10`.
    place: String,
    num_classes: usize,
    /// Indices of the audited rows, ascending.
    rows: Vec<usize>,
    /// Sorted by draw, ascending.
    draws: Vec<Audited>,
    /// Indices into `draws` and `rows` of the pair that is audited alone.
    alone: (usize, usize),
}

/// An audited draw and the answers of its function.
struct Audited {
    draw: u64,
    canonical: u64,
    /// The index of its function among the distinct functions.
    function: usize,
    /// The answers of the scoring call at each audited row.
    answers: Vec<f32>,
}

impl Audit {
    /// Chooses draws and rows to audit from the first block of a rule's tau-samples, which has `rows` rows.
    pub(crate) fn of_rule(rule: &Rule, functions: &Functions, rows: usize) -> Self {
        let source = stream(rule.seed, "audit", rule.problem, rule.tau.into());
        Self::of(source, format!("tau {}", rule.tau), rule.num_classes, functions, rows)
    }

    /// Chooses draws and rows to audit among the `rows` rows at which a model is asked for all of its functions. `place`
    /// names the answers in messages.
    ///
    /// # Panics
    /// When there are no functions or no rows.
    pub fn of(mut source: Stream, place: String, num_classes: usize, functions: &Functions, rows: usize) -> Self {
        let mut draws = pick(&mut source, &functions.stand_ins, STAND_INS, &[]);
        let all: Vec<usize> = (0..functions.places.len()).collect();
        draws.extend(pick(&mut source, &all, DRAWS - draws.len(), &draws));
        let first = functions.numbers[draws[0]];
        draws.sort_unstable();
        let all: Vec<usize> = (0..rows).collect();
        let mut rows = pick(&mut source, &all, ROWS, &[]);
        rows.sort_unstable();
        let draws: Vec<_> = draws.into_iter().map(|draw| Audited::of(draw, functions)).collect();
        let draw = draws.iter().position(|audited| audited.draw == first).expect("the first draw is among them");
        let alone = (draw, below(&mut source, rows.len()));
        Self { place, num_classes, rows, draws, alone }
    }

    /// Keeps the audited part of a call's answers: those of `functions` functions at all rows, of which the first has the
    /// index `first` among the distinct functions.
    pub fn keep(&mut self, probs: &[f32], first: usize, functions: usize) {
        let stride = probs.len() / functions;
        for audited in self.draws.iter_mut().filter(|a| (first..first + functions).contains(&a.function)) {
            let function = &probs[(audited.function - first) * stride..][..stride];
            for &row in &self.rows {
                audited.answers.extend_from_slice(&function[row * self.num_classes..][..self.num_classes]);
            }
        }
    }

    /// Audits all chosen draws and rows in reverse order, then one draw at one row. `sample` answers for rows, by their
    /// indices, and draws. Two answers may differ by `tolerance`.
    ///
    /// # Errors
    /// Returns errors of `sample` unchanged, and [`Inconsistent`](EvaluateError::Inconsistent) when an answer differs
    /// from that of the calls whose answers were [kept](Self::keep).
    ///
    /// # Panics
    /// When `sample` answers with another number of probabilities.
    pub fn run<E>(&self, tolerance: f32, sample: &mut Sample<'_, E>) -> Result<(), EvaluateError<E>> {
        let draws: Vec<usize> = (0..self.draws.len()).rev().collect();
        let rows: Vec<usize> = (0..self.rows.len()).rev().collect();
        self.ask(tolerance, sample, &draws, &rows, "again")?;
        self.ask(tolerance, sample, &[self.alone.0], &[self.alone.1], "alone")
    }

    fn ask<E>(
        &self,
        tolerance: f32,
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
            let differ = |(a, b): &(&f32, &f32)| {
                // Without a tolerance, 0 and -0 differ.
                let near = tolerance > 0.0 && (*a - *b).abs() <= tolerance;
                a.to_bits() != b.to_bits() && !near
            };
            if let Some((expected, found)) = expected.iter().zip(found).find(differ) {
                let (draw, row, place) = (self.draws[draw].name(), self.rows[row], &self.place);
                return Err(EvaluateError::Inconsistent(format!(
                    "{draw} at row {row} of {place} gives {expected} among others and {found} when asked {how}"
                )));
            }
        }
        Ok(())
    }
}

impl Audited {
    /// Audits the draw at an index.
    fn of(index: usize, functions: &Functions) -> Self {
        let function = functions.places[index];
        Self { draw: functions.numbers[index], canonical: functions.draws[function], function, answers: Vec::new() }
    }

    fn name(&self) -> String {
        let Self { draw, canonical, .. } = self;
        if draw == canonical { format!("draw {draw}") } else { format!("draw {draw}, for which {canonical} stands,") }
    }
}

/// Picks at most `count` distinct items of `from` that are not in `taken`.
fn pick<T: Copy + PartialEq>(source: &mut Stream, from: &[T], count: usize, taken: &[T]) -> Vec<T> {
    let mut picked: Vec<T> = Vec::new();
    // All of a short list is used; in a long one a repeated choice is rare.
    let free = from.iter().filter(|item| !taken.contains(item)).count();
    while picked.len() < count.min(free) {
        let item = from[below(source, from.len())];
        if !picked.contains(&item) && !taken.contains(&item) {
            picked.push(item);
        }
    }
    picked
}

/// Returns a number below `n`, uniform to good approximation where n is far below 2^53.
fn below(source: &mut Stream, n: usize) -> usize {
    (source.uniform() * n as f64) as usize
}

#[cfg(test)]
mod tests;

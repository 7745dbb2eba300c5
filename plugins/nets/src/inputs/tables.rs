//! Embedding tables for words and categories, and optimiser steps for the rows that occur in a minibatch.

use crate::adam::{BETA1, BETA2, EPSILON};
use crate::normals::Normals;
use crate::simd::{Lanes, floats, vectors};
use jointly_sdk::{Rng, Tokens};

/// The id that pads a short text.
const PADDING: u32 = 0;

/// The largest size of a number of an embedding that starts uniform.
const BOUND: f32 = 0.05;

/// Returns the number of embeddings that represent an input.
pub(super) fn embeddings(tokens: &Tokens) -> usize {
    match tokens {
        Tokens::Absent => 0,
        Tokens::Text { .. } => 1,
        Tokens::Categories(sizes) => sizes.len(),
    }
}

/// Returns the number of rows of all tables together.
pub(super) fn ids(tokens: &Tokens) -> usize {
    match tokens {
        Tokens::Absent => 0,
        Tokens::Text { vocabulary, .. } => *vocabulary as usize,
        Tokens::Categories(sizes) => sizes.iter().map(|size| *size as usize).sum(),
    }
}

/// The embeddings of all words or categories. They are learnt as point estimates; no agent has a posterior over them.
///
/// # Formula
///
/// A text is the mean of the embeddings of its words without padding, or zero if it has no words; a row of categories
/// is the embeddings of its categories, side by side. Embeddings start normal with standard deviation 1 / sqrt(width);
/// those that an LSTM reads start [uniform](Self::uniform).
#[derive(Clone, Debug)]
pub(super) struct Tables {
    tokens: Tokens,
    width: usize,
    values: Vec<f32>,
}

impl Tables {
    pub(super) fn new(tokens: Tokens, width: usize, rng: &mut Rng) -> Self {
        let len = ids(&tokens) * width;
        let mut normals = vec![Lanes::splat(0.0); vectors(len)];
        if len > 0 {
            Normals::new(rng).fill(&mut normals);
        }
        let scale = 1.0 / (width as f32).sqrt();
        let values = floats(&normals)[..len].iter().map(|value| scale * value).collect();
        Self { tokens, width, values }
    }

    /// Makes tables whose embeddings start uniform between -0.05 and 0.05, as those of Keras do.
    pub(super) fn uniform(tokens: Tokens, width: usize, rng: &mut Rng) -> Self {
        let values = (0..ids(&tokens) * width).map(|_| BOUND * (2.0 * rng.uniform() - 1.0)).collect();
        Self { tokens, width, values }
    }

    /// The number of values that represent an input's tokens.
    pub(super) fn numbers(&self) -> usize {
        embeddings(&self.tokens) * self.width
    }

    /// Returns the table rows of an input's tokens, in order, without padding.
    pub(super) fn rows<'a>(&'a self, tokens: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let (sizes, is_text): (&[u32], bool) = match &self.tokens {
            Tokens::Absent => (&[], false),
            Tokens::Text { .. } => (&[], true),
            Tokens::Categories(sizes) => (sizes, false),
        };
        let mut offset = 0;
        let used = tokens.iter().enumerate().filter(move |(_, id)| !is_text || **id != PADDING);
        used.map(move |(column, id)| {
            let row = offset + *id as usize;
            offset += sizes.get(column).map_or(0, |size| *size as usize);
            row
        })
    }

    /// The number of rows of all tables.
    pub(super) fn len(&self) -> usize {
        ids(&self.tokens)
    }

    /// Numbers per embedding.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    /// Writes the values that represent an input's tokens.
    pub(super) fn write(&self, tokens: &[u32], out: &mut [f32]) {
        match self.tokens {
            Tokens::Absent => {}
            Tokens::Categories(_) => {
                let out = out.chunks_exact_mut(self.width);
                out.zip(self.rows(tokens)).for_each(|(out, row)| out.copy_from_slice(self.row(row)));
            }
            Tokens::Text { .. } => {
                out.fill(0.0);
                let mut words = 0u32;
                for row in self.rows(tokens) {
                    out.iter_mut().zip(self.row(row)).for_each(|(sum, value)| *sum += value);
                    words += 1;
                }
                let share = share(words);
                for sum in out {
                    *sum *= share;
                }
            }
        }
    }

    /// All embeddings, row after row.
    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    /// All embeddings, row after row.
    pub(super) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }
}

/// Returns the weight of a word in a text of `words` words.
fn share(words: u32) -> f32 {
    1.0 / words.max(1) as f32
}

/// Adam for tables, row by row. A minibatch updates only the rows that occur in it, and each row counts its own steps.
/// So a step costs only as much as the rows that occur, and a rare word does not drift between the texts in which it
/// occurs.
#[derive(Debug)]
pub(super) struct Steps {
    rate: f32,
    first: Vec<f32>,
    second: Vec<f32>,
    /// Number of steps of each row; for [`Steps::step_every_row`], whether a minibatch had it.
    counts: Vec<i32>,
    /// Number of steps made with all rows.
    made: i32,
    /// Index of each table row's gradient, or [`NOWHERE`] if the minibatch does not contain the row.
    places: Vec<u32>,
    /// Rows that the minibatch contains, in the order of their first occurrence.
    met: Vec<u32>,
    gradient: Vec<f32>,
}

const NOWHERE: u32 = u32::MAX;

impl Steps {
    pub(super) fn new(tables: &Tables, rate: f32) -> Self {
        let rows = ids(&tables.tokens);
        Self {
            rate,
            made: 0,
            first: vec![0.0; tables.values.len()],
            second: vec![0.0; tables.values.len()],
            counts: vec![0; rows],
            places: vec![NOWHERE; rows],
            met: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Adds the gradient with respect to the rows of an input's tokens, given that with respect to the values which
    /// represent them.
    pub(super) fn add(&mut self, tables: &Tables, tokens: &[u32], slopes: &[f32]) {
        let width = tables.width;
        let share = match tables.tokens {
            Tokens::Text { .. } => share(tables.rows(tokens).count() as u32),
            Tokens::Absent | Tokens::Categories(_) => 1.0,
        };
        let mut parts = slopes.chunks_exact(width).cycle();
        for row in tables.rows(tokens) {
            if let Some(slopes) = parts.next() {
                self.add_row(row, slopes, share);
            }
        }
    }

    /// Adds `share` of the slopes to the gradient with respect to one row.
    pub(super) fn add_row(&mut self, row: usize, slopes: &[f32], share: f32) {
        let width = slopes.len();
        let place = &mut self.places[row];
        if *place == NOWHERE {
            *place = self.met.len() as u32;
            self.met.push(row as u32);
            self.gradient.resize(self.met.len() * width, 0.0);
        }
        let gradient = &mut self.gradient[*place as usize * width..][..width];
        gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += share * slope);
    }

    /// Updates every row that any minibatch had, with the same number of steps for all, and clears the gradients. A row
    /// that this minibatch has not has a gradient of zero, and goes on moving by its first moment.
    ///
    /// # Formula
    ///
    /// The formula of [`Adam`](crate::adam::Adam) for all tables as one vector, which is what Keras and PyTorch do. A
    /// rare word moves further at each occurrence than by [`step`](Self::step): up to about 30 times the step size,
    /// because its second moment is an average over steps that are mostly zero. A row without a gradient so far stays.
    pub(super) fn step_every_row(&mut self, tables: &mut Tables) {
        let width = tables.width;
        self.made = self.made.saturating_add(1);
        let correction = |beta: f32| (1.0 - f64::from(beta).powi(self.made)) as f32;
        let rate = self.rate / correction(BETA1);
        let root = 1.0 / correction(BETA2);
        for row in &self.met {
            self.counts[*row as usize] = 1;
        }
        let zeros = vec![0.0; width];
        let moments = self.first.chunks_exact_mut(width).zip(self.second.chunks_exact_mut(width));
        let rows = tables.values.chunks_exact_mut(width).zip(moments);
        let met = rows.zip(self.places.iter_mut().zip(&self.counts)).filter(|(_, (_, count))| **count > 0);
        for ((values, (first, second)), (place, _)) in met {
            let slopes =
                if *place == NOWHERE { &zeros[..] } else { &self.gradient[*place as usize * width..][..width] };
            *place = NOWHERE;
            for ((value, slope), (first, second)) in values.iter_mut().zip(slopes).zip(first.iter_mut().zip(second)) {
                *first = BETA1 * *first + (1.0 - BETA1) * slope;
                *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
                *value -= rate * *first / ((*second * root).sqrt() + EPSILON);
            }
        }
        self.met.clear();
        self.gradient.clear();
    }

    /// Updates the rows that occurred in the minibatch, and clears the gradients.
    ///
    /// # Formula
    ///
    /// The formula of [`Adam`](crate::adam::Adam), with the row's own number of steps.
    pub(super) fn step(&mut self, tables: &mut Tables) {
        let width = tables.width;
        for (row, gradient) in self.met.iter().zip(self.gradient.chunks_exact(width)) {
            let row = *row as usize;
            self.places[row] = NOWHERE;
            let count = &mut self.counts[row];
            *count = count.saturating_add(1);
            let correction = |beta: f32| (1.0 - f64::from(beta).powi(*count)) as f32;
            let rate = self.rate / correction(BETA1);
            let root = 1.0 / correction(BETA2);
            let place = row * width..(row + 1) * width;
            let moments = self.first[place.clone()].iter_mut().zip(&mut self.second[place.clone()]);
            for ((value, slope), (first, second)) in tables.values[place].iter_mut().zip(gradient).zip(moments) {
                *first = BETA1 * *first + (1.0 - BETA1) * slope;
                *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
                *value -= rate * *first / ((*second * root).sqrt() + EPSILON);
            }
        }
        self.met.clear();
        self.gradient.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::adam::Adam;
    use crate::simd::floats_mut;

    use super::*;

    /// Relative tolerance for numbers that are rounded in two ways.
    const TOLERANCE: f32 = 2e-5;

    fn text() -> Tables {
        Tables::new(Tokens::Text { vocabulary: 9, length: 5 }, 3, &mut Rng::new(1, 0))
    }

    fn categories() -> Tables {
        Tables::new(Tokens::Categories(vec![2, 4]), 3, &mut Rng::new(1, 0))
    }

    fn written(tables: &Tables, tokens: &[u32]) -> Vec<f32> {
        let mut out = vec![f32::NAN; tables.numbers()];
        tables.write(tokens, &mut out);
        out
    }

    #[test]
    fn a_text_is_the_mean_of_its_words_and_categories_stand_side_by_side() {
        let tables = text();
        let mean: Vec<f32> = (0..3).map(|i| (2.0 * tables.row(4)[i] + tables.row(1)[i]) / 3.0).collect();
        for tokens in [[4, 1, 4, 0, 0], [0, 4, 4, 0, 1]] {
            let found = written(&tables, &tokens);
            assert!(found.iter().zip(&mean).all(|(a, b)| (a - b).abs() < TOLERANCE), "{found:?} {mean:?}");
        }
        assert_eq!(written(&tables, &[0; 5]), [0.0; 3]);
        let tables = categories();
        assert_eq!(written(&tables, &[1, 2]), [tables.row(1), tables.row(4)].concat());
    }

    #[test]
    fn embeddings_start_with_a_norm_of_one() {
        let tables = Tables::new(Tokens::Categories(vec![3000]), 16, &mut Rng::new(1, 0));
        let square: f32 = tables.values.iter().map(|value| value * value).sum::<f32>() / 3000.0;
        // Five standard errors of a mean of 48,000 squares.
        assert!((square - 1.0).abs() < 5.0 * (2.0f32 / 48_000.0).sqrt(), "{square}");
    }

    #[test]
    fn the_gradient_is_that_of_what_is_written() {
        for (mut tables, inputs) in [
            (text(), vec![vec![4, 1, 4, 0, 2], vec![0; 5], vec![1, 1, 1, 8, 0]]),
            (categories(), vec![vec![0, 3], vec![1, 3]]),
        ] {
            let mut rng = Rng::new(2, 0);
            let slopes: Vec<Vec<f32>> =
                inputs.iter().map(|_| (0..tables.numbers()).map(|_| rng.normal()).collect()).collect();
            let mut steps = Steps::new(&tables, 0.1);
            inputs.iter().zip(&slopes).for_each(|(tokens, slopes)| steps.add(&tables, tokens, slopes));
            let objective = |tables: &Tables| -> f64 {
                let one = |(tokens, slopes): (&Vec<u32>, &Vec<f32>)| -> f64 {
                    written(tables, tokens).iter().zip(slopes).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
                };
                inputs.iter().zip(&slopes).map(one).sum()
            };
            for at in 0..tables.values.len() {
                let place = steps.places[at / 3];
                let found = if place == NOWHERE { 0.0 } else { steps.gradient[place as usize * 3 + at % 3] };
                let value = tables.values[at];
                // The written values are linear in the tables, so a large step is exact up to rounding.
                let mut shifted = |by: f32| {
                    tables.values[at] = value + by;
                    objective(&tables)
                };
                let difference = (shifted(1.0) - shifted(-1.0)) as f32 / 2.0;
                tables.values[at] = value;
                assert!((difference - found).abs() < TOLERANCE * (1.0 + found.abs()), "{at}: {difference} {found}");
            }
        }
    }

    #[test]
    fn all_rows_can_move_as_one_vector_by_adam() {
        let mut tables = text();
        let mut plain = vec![Lanes::splat(0.0); vectors(27)];
        floats_mut(&mut plain)[..27].copy_from_slice(&tables.values);
        let (mut steps, mut adam) = (Steps::new(&tables, 1e-2), Adam::new(plain.len(), 1e-2));
        let mut rng = Rng::new(3, 0);
        for step in 0..40 {
            let mut gradient = vec![Lanes::splat(0.0); plain.len()];
            // Word 1 is in each batch, word 2 in every third, word 7 in one, and word 8 in none.
            for (word, every) in [(1usize, 1), (2, 3), (7, 40)] {
                if step % every == 0 {
                    let slopes = [rng.normal(), rng.normal(), rng.normal()];
                    floats_mut(&mut gradient)[word * 3..][..3].copy_from_slice(&slopes);
                    steps.add(&tables, &[word as u32, 0, 0, 0, 0], &slopes);
                }
            }
            adam.update(&mut plain, &gradient, 0.0);
            let before = tables.row(7).to_vec();
            steps.step_every_row(&mut tables);
            assert_ne!(before, tables.row(7));
        }
        for (found, expected) in tables.values.iter().zip(floats(&plain)) {
            assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{found} {expected}");
        }
        assert_eq!(tables.row(8), text().row(8));
    }

    #[test]
    fn uniform_embeddings_fill_their_range() {
        let tables = Tables::uniform(Tokens::Text { vocabulary: 1000, length: 5 }, 16, &mut Rng::new(1, 0));
        let square: f32 = tables.values.iter().map(|value| value * value).sum::<f32>() / 16_000.0;
        // The variance is a third of the bound's square; five standard errors of a mean of 16,000 squares.
        let expected = BOUND * BOUND / 3.0;
        assert!((square / expected - 1.0).abs() < 5.0 * (0.8f32 / 16_000.0).sqrt(), "{square}");
        assert!(tables.values.iter().all(|value| value.abs() <= BOUND));
    }

    #[test]
    fn rows_move_as_by_adam_and_only_where_a_batch_has_them() {
        let mut tables = text();
        let mut plain = vec![Lanes::splat(0.0); vectors(27)];
        floats_mut(&mut plain)[..27].copy_from_slice(&tables.values);
        let (mut steps, mut adam) = (Steps::new(&tables, 1e-2), Adam::new(plain.len(), 1e-2));
        let mut rng = Rng::new(3, 0);
        for step in 0..30 {
            let mut gradient = vec![Lanes::splat(0.0); plain.len()];
            for word in 1..5u32 {
                let slopes = [rng.normal(), rng.normal(), rng.normal()];
                floats_mut(&mut gradient)[word as usize * 3..][..3].copy_from_slice(&slopes);
                steps.add(&tables, &[word, 0, 0, 0, 0], &slopes);
                // A rare word has its own count of steps.
                if word == 1 && step % 7 == 0 {
                    steps.add(&tables, &[8, 0, 0, 0, 0], &[1.0; 3]);
                }
            }
            adam.update(&mut plain, &gradient, 0.0);
            let before = tables.row(8).to_vec();
            steps.step(&mut tables);
            assert_eq!(before != tables.row(8), step % 7 == 0);
        }
        for (found, expected) in tables.values.iter().zip(floats(&plain)).take(15) {
            assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{found} {expected}");
        }
        // Five equal slopes: five full steps.
        let start = text();
        for (found, start) in tables.row(8).iter().zip(start.row(8)) {
            assert!((found - start + 5e-2).abs() < 1e-4, "{found} {start}");
        }
        assert_eq!(tables.values[15..24], start.values[15..24]);
    }
}

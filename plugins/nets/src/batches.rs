//! Draws the minibatches of training: which examples each step sees, and how often.

use jointly_sdk::Rng;

/// An endless sequence of minibatches of equal size: passes over the examples, each in a random order, one after
/// another.
///
/// If a batch is at least as large as the set of examples, it contains whole passes and only the remainder is random.
/// Every example is then one row, with a count of how often it occurs: ten examples cost ten rows, not a hundred.
#[derive(Debug)]
pub struct Batches {
    examples: usize,
    /// Whole passes in a batch.
    passes: usize,
    /// Random examples of a batch beyond the whole passes.
    rest: usize,
    order: Vec<u32>,
    next: usize,
    rng: Rng,
    rows: Vec<u32>,
    counts: Vec<f32>,
}

impl Batches {
    /// Makes batches of `size` out of `examples` examples; batches are empty if there are no examples.
    pub fn new(examples: usize, size: usize, rng: Rng) -> Self {
        let passes = size.checked_div(examples).unwrap_or(0);
        let rest = size.checked_rem(examples).unwrap_or(0);
        let order: Vec<u32> = (0..examples as u32).collect();
        let rows = if passes > 0 { order.clone() } else { Vec::new() };
        Self { examples, passes, rest, order, next: examples, rng, rows, counts: Vec::new() }
    }

    /// The largest number of rows in a batch.
    pub fn max_rows(&self) -> usize {
        self.rows.len().max(self.rest)
    }

    /// Returns whether the rows are the same in every batch.
    pub fn fixed(&self) -> bool {
        self.passes > 0 || self.examples == 0
    }

    /// Returns the next batch: the examples that are its rows, and how often each occurs.
    pub fn next_batch(&mut self) -> (&[u32], &[f32]) {
        self.counts.clear();
        if self.passes > 0 {
            self.counts.resize(self.examples, self.passes as f32);
            for _ in 0..self.rest {
                let example = self.next_example();
                self.counts[example as usize] += 1.0;
            }
        } else {
            self.counts.resize(self.rest, 1.0);
            self.rows.clear();
            for _ in 0..self.rest {
                let example = self.next_example();
                self.rows.push(example);
            }
        }
        (&self.rows, &self.counts)
    }

    fn next_example(&mut self) -> u32 {
        if self.next == self.examples {
            for i in (1..self.examples).rev() {
                self.order.swap(i, self.rng.below(i + 1));
            }
            self.next = 0;
        }
        self.next += 1;
        self.order[self.next - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(examples: usize, size: usize) -> Batches {
        Batches::new(examples, size, Rng::new(0, 0))
    }

    #[test]
    fn few_examples_occur_equally_often() {
        let mut batches = batches(30, 100);
        let mut totals = vec![0.0; 30];
        for _ in 0..3 {
            let (rows, counts) = batches.next_batch();
            assert_eq!(rows, (0..30).collect::<Vec<_>>());
            assert_eq!(counts.iter().sum::<f32>(), 100.0);
            assert!(counts.iter().all(|count| (3.0..=5.0).contains(count)));
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        assert_eq!(totals, [10.0; 30]);
    }

    #[test]
    fn many_examples_each_occur_once_in_a_pass() {
        let mut batches = batches(40, 10);
        let mut pass: Vec<u32> = (0..4).flat_map(|_| batches.next_batch().0.to_vec()).collect();
        assert_ne!(pass, (0..40).collect::<Vec<_>>());
        pass.sort_unstable();
        assert_eq!(pass, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn one_example_is_a_row_and_none_is_no_row() {
        assert_eq!(batches(1, 100).next_batch(), (&[0][..], &[100.0][..]));
        assert_eq!(batches(0, 100).next_batch(), (&[][..], &[][..]));
    }
}

//! The purity of the classes in a tree's node.

/// The quantity that a split maximises, a sum over its two sides.
///
/// # Formula
///
/// With n_k examples of class k among n: for the Gini impurity sum_k n_k^2 / n, which is n minus n times the
/// impurity; for the entropy sum_k n_k ln n_k - n ln n, which is minus n times the entropy (Breiman et al. 1984;
/// Quinlan 1986).
#[derive(Clone, Debug)]
pub(crate) enum Criterion {
    /// Gini impurity.
    Gini,
    /// Information gain.
    Entropy {
        /// The value n ln n for every possible count.
        n_ln_n: Vec<f64>,
    },
}

impl Criterion {
    /// Creates the information gain criterion for up to `examples` examples.
    pub(crate) fn entropy(examples: usize) -> Self {
        let n_ln_n = |n: u32| if n == 0 { 0.0 } else { f64::from(n) * f64::from(n).ln() };
        Self::Entropy { n_ln_n: (0..=examples as u32).map(n_ln_n).collect() }
    }

    /// Returns a class's term in a side's sum.
    #[inline]
    fn part(&self, count: u32) -> f64 {
        match self {
            Self::Gini => f64::from(count) * f64::from(count),
            Self::Entropy { n_ln_n } => n_ln_n[count as usize],
        }
    }
}

/// One side of a split, with its number of examples of each class.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    counts: Vec<u32>,
    examples: u32,
    /// The sum of the classes' terms.
    parts: f64,
}

impl Side {
    pub(crate) fn new(classes: usize) -> Self {
        Self { counts: vec![0; classes], examples: 0, parts: 0.0 }
    }

    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
        self.examples = 0;
        self.parts = 0.0;
    }

    pub(crate) fn copy(&mut self, other: &Self) {
        self.counts.copy_from_slice(&other.counts);
        self.examples = other.examples;
        self.parts = other.parts;
    }

    pub(crate) fn add(&mut self, criterion: &Criterion, class: u32, count: u32) {
        let before = self.counts[class as usize];
        self.change(criterion, class, before + count);
        self.examples += count;
    }

    pub(crate) fn remove(&mut self, criterion: &Criterion, class: u32, count: u32) {
        let before = self.counts[class as usize];
        self.change(criterion, class, before - count);
        self.examples -= count;
    }

    fn change(&mut self, criterion: &Criterion, class: u32, count: u32) {
        let before = std::mem::replace(&mut self.counts[class as usize], count);
        self.parts += criterion.part(count) - criterion.part(before);
    }

    /// Returns this side's term of the criterion; the side has at least one example.
    pub(crate) fn purity(&self, criterion: &Criterion) -> f64 {
        match criterion {
            Criterion::Gini => self.parts / f64::from(self.examples),
            Criterion::Entropy { .. } => self.parts - criterion.part(self.examples),
        }
    }

    /// Returns the only class among its examples, or `None` if there are several or none.
    pub(crate) fn only_class(&self) -> Option<u32> {
        let mut present = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let (class, _) = present.next()?;
        present.next().is_none().then_some(class)
    }

    /// Returns the share of each class.
    pub(crate) fn frequencies(&self) -> impl Iterator<Item = f32> {
        self.counts.iter().map(|count| (f64::from(*count) / f64::from(self.examples)) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn purity_is_less_by_what_the_impurity_says() {
        let counts = [3, 0, 5, 2];
        let share = |count: u32| f64::from(count) / 10.0;
        let gini = 1.0 - counts.iter().map(|count| share(*count).powi(2)).sum::<f64>();
        let entropy = counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).ln());
        let entropy = entropy.sum::<f64>();
        for (criterion, expected) in [(Criterion::Gini, 10.0 - 10.0 * gini), (Criterion::entropy(20), -10.0 * entropy)]
        {
            let mut side = Side::new(4);
            for (class, count) in (0..).zip(counts) {
                side.add(&criterion, class, count + 2);
                side.remove(&criterion, class, 2);
            }
            assert!((side.purity(&criterion) - expected).abs() < TOLERANCE, "{criterion:?}");
            assert_eq!(side.only_class(), None);
            assert_eq!(side.frequencies().collect::<Vec<_>>(), [0.3, 0.0, 0.5, 0.2]);
        }
    }
}

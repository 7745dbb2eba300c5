//! The mean and the variance of many functions at each row, and intervals around the mean.

use jointly_sdk::Bounds;

/// Running moments at each row, by Welford's method.
#[derive(Clone, Debug)]
pub struct Spread {
    count: usize,
    mean: Vec<f64>,
    /// Sums of squared deviations from the mean.
    squares: Vec<f64>,
}

impl Spread {
    /// Starts without functions, at `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self { count: 0, mean: vec![0.0; rows], squares: vec![0.0; rows] }
    }

    /// Adds the values of one function.
    ///
    /// # Panics
    ///
    /// Panics if there is not one value per row.
    pub fn add(&mut self, values: impl ExactSizeIterator<Item = f64>) {
        assert_eq!(values.len(), self.mean.len(), "one value a row");
        self.count += 1;
        let count = self.count as f64;
        for ((mean, squares), value) in self.mean.iter_mut().zip(&mut self.squares).zip(values) {
            let gap = value - *mean;
            *mean += gap / count;
            *squares += gap * (value - *mean);
        }
    }

    /// The mean at each row.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance at each row: the sum of squares divided by the number of functions minus one; zero for a single
    /// function.
    pub fn variance(&self) -> Vec<f64> {
        let degrees = self.count.saturating_sub(1).max(1) as f64;
        self.squares.iter().map(|squares| squares / degrees).collect()
    }
}

/// Returns the intervals `mean -+ factor * sqrt(variance)`, one per row.
pub fn around(mean: &[f64], variance: impl Iterator<Item = f64>, factor: f64) -> Bounds {
    let half: Vec<f64> = variance.map(|variance| factor * variance.sqrt()).collect();
    Bounds {
        lower: mean.iter().zip(&half).map(|(mean, half)| mean - half).collect(),
        upper: mean.iter().zip(&half).map(|(mean, half)| mean + half).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_by_hand() {
        let mut spread = Spread::new(2);
        spread.add([1.0, 5.0].into_iter());
        assert_eq!((spread.mean(), spread.variance()), (&[1.0, 5.0][..], vec![0.0, 0.0]));
        spread.add([2.0, 5.0].into_iter());
        spread.add([6.0, 5.0].into_iter());
        assert_eq!((spread.mean(), spread.variance()), (&[3.0, 5.0][..], vec![7.0, 0.0]));
        let bounds = around(spread.mean(), [4.0, 0.0].into_iter(), 1.5);
        assert_eq!((bounds.lower, bounds.upper), (vec![0.0, 5.0], vec![6.0, 5.0]));
    }
}

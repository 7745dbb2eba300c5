//! Intervals.

use super::{AnswerError, LARGEST, each, length};

/// The two ends of an interval at each row; both belong to it, and either may be infinite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// Makes one interval for each row from its lower and upper end.
    ///
    /// # Errors
    /// When the lists differ in length, an end is NaN, a lower end is inf or an upper end -inf, a finite end is further
    /// from 0 than 1e100, or an upper end is below its lower end.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, AnswerError> {
        length("upper ends", upper.len(), lower.len())?;
        let lower_end = |x: f64| x.abs() <= LARGEST || x == f64::NEG_INFINITY;
        let upper_end = |x: f64| x.abs() <= LARGEST || x == f64::INFINITY;
        each("lower ends", lower.iter().copied(), lower_end, "a number within 1e100 of 0, or -inf")?;
        each("upper ends", upper.iter().copied(), upper_end, "a number within 1e100 of 0, or inf")?;
        match lower.iter().zip(&upper).position(|(lower, upper)| upper < lower) {
            Some(row) => Err(AnswerError::Crossed { row, lower: lower[row], upper: upper[row] }),
            None => Ok(Self { lower, upper }),
        }
    }

    /// Returns the lower ends.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Returns the upper ends.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Returns the number of intervals.
    pub fn rows(&self) -> usize {
        self.lower.len()
    }

    /// Returns whether the interval at `row` contains `value`.
    pub fn contains(&self, row: usize, value: f64) -> bool {
        self.lower[row] <= value && value <= self.upper[row]
    }

    /// Returns the width of the interval at `row`.
    pub fn width(&self, row: usize) -> f64 {
        self.upper[row] - self.lower[row]
    }

    /// Adds a row whose ends must be in order.
    pub fn push(&mut self, lower: f64, upper: f64) {
        debug_assert!(lower <= upper);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// Returns the intervals of `shift + scale y`; `scale` must be positive.
    #[must_use]
    pub fn rescaled(&self, shift: f64, scale: f64) -> Self {
        let map = |ends: &[f64]| ends.iter().map(|x| shift + scale * x).collect();
        Self { lower: map(&self.lower), upper: map(&self.upper) }
    }
}

/// Intervals that a method defines itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// The interval of the function's value.
    pub confidence: Option<Bounds>,
    /// The interval of a new observation.
    pub prediction: Bounds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_may_be_points_or_endless_but_not_crossed() {
        let bounds = |lower, upper| Bounds::new(vec![lower], vec![upper]);
        let endless = bounds(f64::NEG_INFINITY, f64::INFINITY).unwrap();
        assert!(endless.contains(0, 1e300) && endless.width(0) == f64::INFINITY);
        let point = bounds(1.0, 1.0).unwrap();
        assert!(point.contains(0, 1.0) && !point.contains(0, 1.0 + 1e-9));
        assert_eq!(bounds(1.0, 0.5).unwrap_err(), AnswerError::Crossed { row: 0, lower: 1.0, upper: 0.5 });
        // In other units both ends could become inf, and the width NaN.
        assert!(bounds(1e300, 1e301).is_err() && bounds(-1e100, 1e100).is_ok());
        assert!(bounds(f64::NAN, 1.0).is_err() && bounds(f64::INFINITY, f64::INFINITY).is_err());
    }
}

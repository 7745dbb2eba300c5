//! The box to which an optimiser confines the parameters.

/// The smallest and the largest value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The smallest value.
    pub least: f64,
    /// The largest value.
    pub most: f64,
}

impl Bound {
    /// Takes the logarithms of both ends.
    pub fn logs(least: f64, most: f64) -> Self {
        Self { least: libm::log(least), most: libm::log(most) }
    }

    /// Returns the nearest value within the bounds.
    pub fn clamp(self, value: f64) -> f64 {
        value.clamp(self.least, self.most)
    }

    /// Returns whether the value is at a bound and descent along the gradient would move it beyond.
    pub fn holds(self, value: f64, gradient: f64) -> bool {
        (value <= self.least && gradient > 0.0) || (value >= self.most && gradient < 0.0)
    }
}

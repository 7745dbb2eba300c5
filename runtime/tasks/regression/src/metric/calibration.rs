//! Calibration: whether intervals of every level contain as many observations as they claim.

/// Number of levels of the calibration curve: 0, 1/99, ..., 1.
pub const CALIBRATION_LEVELS: usize = 100;

/// The calibration curve of predictive distributions: observations counted by the level of the smallest central
/// interval that contains them.
///
/// # Formula
/// With `F_t` the predictive distribution function at row t and `u_t = F_t(y_t)`, the observed share at level p is
/// `o(p) = #{t: |2 u_t - 1| <= p} / T`, for p = 0, 1/99, ..., 1: intervals, as in the Uncertainty Toolbox (Chung et
/// al., 2021). For each of the three errors, 0 is perfect. Without rows they are NaN.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    /// `|2 u - 1|` of each row.
    levels: Vec<f64>,
}

impl Calibration {
    /// Adds an observation whose value of the predictive distribution function is `u`.
    pub fn add(&mut self, u: f64) {
        self.levels.push((2.0 * u - 1.0).abs());
    }

    /// Adds an observation that lies z standard deviations from the mean of a Gaussian.
    ///
    /// # Formula
    /// `|2 Phi(z) - 1| = erf(|z| / sqrt 2)`, which keeps its relative precision near 0.
    pub fn add_standardized(&mut self, z: f64) {
        self.levels.push(libm::erf(z.abs() / std::f64::consts::SQRT_2));
    }

    /// Returns the observed share at each of the [`CALIBRATION_LEVELS`] levels.
    pub fn curve(&self) -> Vec<f64> {
        let mut levels = self.levels.clone();
        levels.sort_by(f64::total_cmp);
        let within = |i| levels.partition_point(|&level| level <= expected(i)) as f64;
        (0..CALIBRATION_LEVELS).map(|i| within(i) / levels.len() as f64).collect()
    }

    /// Mean absolute calibration error: the mean over levels of `|o(p) - p|`.
    pub fn mean_absolute_error(&self) -> f64 {
        self.gaps().iter().map(|gap| gap.abs()).sum::<f64>() / CALIBRATION_LEVELS as f64
    }

    /// Root mean squared calibration error: the root of the mean over levels of `(o(p) - p)^2`.
    pub fn root_mean_squared_error(&self) -> f64 {
        (self.gaps().iter().map(|gap| gap * gap).sum::<f64>() / CALIBRATION_LEVELS as f64).sqrt()
    }

    /// Miscalibration area: the area between the curve, linear between levels, and the diagonal.
    pub fn area(&self) -> f64 {
        let gaps = self.gaps();
        let width = 1.0 / (CALIBRATION_LEVELS - 1) as f64;
        gaps.windows(2).map(|pair| width * mean_distance(pair[0], pair[1])).sum()
    }

    fn gaps(&self) -> Vec<f64> {
        self.curve().iter().enumerate().map(|(i, observed)| observed - expected(i)).collect()
    }
}

fn expected(i: usize) -> f64 {
    i as f64 / (CALIBRATION_LEVELS - 1) as f64
}

/// Returns the mean of |gap| along a straight line from one gap to another: two triangles if they differ in sign.
fn mean_distance(a: f64, b: f64) -> f64 {
    if a * b >= 0.0 { 0.5 * (a.abs() + b.abs()) } else { 0.5 * (a * a + b * b) / (a.abs() + b.abs()) }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    #[test]
    fn laws_that_hold_are_calibrated() {
        let mut calibration = Calibration::default();
        let mut source = stream(0, "test", "calibration", 0);
        (0..40_000).for_each(|_| calibration.add_standardized(source.normal()));
        // The largest gap exceeds 1.95 / sqrt(40000) once in a thousand times.
        assert!(calibration.mean_absolute_error() < 0.01 && calibration.area() < 0.01);
        assert!(calibration.root_mean_squared_error() < 0.01);
    }

    #[test]
    fn certain_predictions_that_are_right_or_wrong() {
        let mut right = Calibration::default();
        right.add(0.5);
        assert_eq!(right.curve(), vec![1.0; CALIBRATION_LEVELS]);
        assert!((right.area() - 0.5).abs() < 1e-12);
        let mut wrong = Calibration::default();
        wrong.add_standardized(f64::NEG_INFINITY);
        assert_eq!(wrong.curve()[CALIBRATION_LEVELS - 2..], [0.0, 1.0]);
        // The area is one half, except for the last step, which rises to the end of the diagonal.
        assert!((wrong.area() - 0.5).abs() < 0.01);
    }

    #[test]
    fn both_ways_of_adding_agree() {
        let (mut by_law, mut by_z) = (Calibration::default(), Calibration::default());
        for z in [-3.0, -0.4, 0.0, 1.2, 2.5] {
            by_law.add(jointly_core::distribution::normal_cdf(z));
            by_z.add_standardized(z);
        }
        assert_eq!(by_law.curve(), by_z.curve());
    }

    #[test]
    fn without_rows_there_is_nothing() {
        assert!(Calibration::default().area().is_nan());
    }
}

//! The standard normal distribution.

use std::f64::consts::SQRT_2;

/// 1 / sqrt(2 pi).
const PEAK: f64 = 0.398_942_280_401_432_7;

/// Returns the standard normal density: `exp(-z^2 / 2) / sqrt(2 pi)`.
pub fn normal_density(z: f64) -> f64 {
    PEAK * libm::exp(-0.5 * z * z)
}

/// Returns the standard normal distribution function: `erfc(-z / sqrt 2) / 2`, accurate in the lower tail.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tolerance for the rounding of one libm function.
    const ROUNDING: f64 = 1e-15;

    #[test]
    fn what_tables_print() {
        for (z, p) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-1.959_963_984_540_054, 0.025)] {
            assert!((normal_cdf(z) - p).abs() < ROUNDING, "{z}");
        }
        assert!((normal_cdf(-10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-12);
        assert_eq!((normal_cdf(f64::NEG_INFINITY), normal_cdf(f64::INFINITY)), (0.0, 1.0));
        assert!((normal_density(1.0) - 0.241_970_724_519_143_37).abs() < ROUNDING);
        assert_eq!(normal_density(f64::INFINITY), 0.0);
    }
}

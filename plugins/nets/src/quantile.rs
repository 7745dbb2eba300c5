//! Quantiles of the normal distribution, for intervals.

use std::f64::consts::SQRT_2;

use jointly_sdk::Failure;

/// The largest number of halvings of an interval; enough to leave no `f64` between its ends.
const HALVINGS: u32 = 1100;

/// Checks the level of an interval.
///
/// # Errors
///
/// Fails if the level is not above 0 and below 1.
pub fn check_level(level: f64) -> Result<f64, Failure> {
    if level > 0.0 && level < 1.0 {
        return Ok(level);
    }
    Err(Failure::Internal(format!("an interval's level is between 0 and 1, not {level}")))
}

/// Returns the z such that a standard normal number is within z of zero with probability `level`: the (1 + level) / 2
/// quantile.
///
/// # Formula
///
/// The root of erfc(z / sqrt 2) = 1 - level, found by bisection.
pub fn normal_within(level: f64) -> f64 {
    root(|z| libm::erfc(z / SQRT_2) > 1.0 - level)
}

/// Returns the smallest number that is not below the root, given a predicate for numbers below it.
fn root(below: impl Fn(f64) -> bool) -> f64 {
    let mut high = 1.0;
    while below(high) && high < 1e300 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn what_tables_print() {
        for (level, z) in
            [(0.95, 1.959_963_984_540_054), (0.8, 1.281_551_565_544_600_4), (0.5, 0.674_489_750_196_081_7)]
        {
            assert!((normal_within(level) - z).abs() < TOLERANCE, "{level}");
        }
    }

    #[test]
    fn extremes_are_finite() {
        for level in [1e-300, 1e-9, 1.0 - f64::EPSILON] {
            assert!(normal_within(level).is_finite());
        }
        for wrong in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert!(check_level(wrong).is_err());
        }
    }
}

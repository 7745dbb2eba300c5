//! The softplus function, which maps any number to a positive scale, its inverse and its derivative.

/// Returns ln(1 + e^x), without overflow.
pub fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Returns the number whose softplus is `scale`, which must be positive; does not overflow.
///
/// # Formula
///
/// ln(e^s - 1), computed as s + ln(1 - e^-s).
pub fn inverse_softplus(scale: f32) -> f32 {
    scale + (-(-scale).exp_m1()).ln()
}

/// Returns 1 / (1 + e^-x), the derivative of softplus.
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative tolerance for softplus applied to its inverse.
    const TOLERANCE: f32 = 1e-5;
    /// Step of a central difference, and tolerance for a derivative computed with it.
    const STEP: f32 = 1e-2;
    const SLOPE_TOLERANCE: f32 = 1e-4;

    #[test]
    fn softplus_and_its_inverse_are_exact_at_both_ends() {
        for scale in [1e-30, 1e-4, 0.01, 0.5, 1.0, 30.0, 89.0, 200.0, 1e30f32] {
            assert!((softplus(inverse_softplus(scale)) / scale - 1.0).abs() < TOLERANCE, "{scale}");
        }
        assert_eq!((softplus(200.0), softplus(-200.0)), (200.0, 0.0));
        assert_eq!((logistic(200.0), logistic(-200.0)), (1.0, 0.0));
    }

    #[test]
    fn logistic_is_the_derivative() {
        for x in [-5.0, -1.0, 0.0, 0.5, 4.0] {
            let difference = (softplus(x + STEP) - softplus(x - STEP)) / (2.0 * STEP);
            assert!((difference - logistic(x)).abs() < SLOPE_TOLERANCE, "{x}: {difference}");
        }
    }
}

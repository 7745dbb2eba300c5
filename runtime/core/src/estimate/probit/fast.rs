//! The probit in `f32` within [-5, 5], without branches or calls, so that compilers vectorise loops over it.

/// `Phi(-5)`. Probabilities are clamped to the range from this to [`HIGHEST`], which clips their probits to [-5, 5].
pub const LOWEST: f32 = 2.866_515_8e-7;
/// `Phi(5)`.
pub const HIGHEST: f32 = 0.999_999_7;

/// ln(1 + r) = r + r^2 L(r) on [1/sqrt 2, sqrt 2], highest power first: interpolated at Chebyshev points, error 1.2e-7.
const LOGARITHM: [f32; 7] =
    [-0.101_885_86, 0.159_840_96, -0.171_323_87, 0.199_290_57, -0.249_824_51, 0.333_341_14, -0.500_000_9];

/// `Phi^-1(p)` / (2 p - 1) in powers of sqrt(3 + w) - `CENTRE` where w = -ln(4 p (1 - p)), highest first: interpolated
/// at Chebyshev points for p in [`Phi(-5)`, `Phi(5)`], with an error of the probit of 3.7e-7.
const SLOPE: [f32; 13] = [
    -5.599_446e-4,
    4.356_814_5e-4,
    3.352_791_3e-3,
    -4.273_901_6e-3,
    -6.884_751e-3,
    1.802_639e-2,
    -5.645_238e-3,
    -3.398_942_4e-2,
    7.133_994e-2,
    -5.796_908e-2,
    -4.329_159e-2,
    1.703_976,
    3.077_274,
];
/// Added to w to make the square root smooth at the median.
const SHIFT: f32 = 3.0;
/// The middle of the range of the square root.
const CENTRE: f32 = 2.908_083_2;
/// The bits of 1/sqrt 2, from which mantissas are counted.
const HALF_ROOT: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();

/// Clamps probabilities to [`Phi(-5)`, `Phi(5)`].
pub fn clamp(probs: &mut [f32]) {
    for p in probs {
        *p = within(*p);
    }
}

/// Computes probits of probabilities, clipped to [-5, 5]; the absolute error is below 2e-6.
///
/// # Formula
/// With w = -ln(4 p (1 - p)), the probit is (2 p - 1) times a smooth function of w alone, a form used by Giles,
/// "Approximating the erfinv function", GPU Computing Gems 2 (2010). That function is a polynomial in sqrt(3 + w), and
/// the logarithm is one in the mantissa. Both polynomials were fitted for this project.
pub fn clipped(probs: &[f32], probits: &mut [f32]) {
    for (probit, &p) in probits.iter_mut().zip(probs) {
        *probit = one(within(p));
    }
}

/// Clamps by two comparisons, which become two vector instructions; `f32::clamp` would check its bounds first.
#[inline]
fn within(p: f32) -> f32 {
    let p = if p > LOWEST { p } else { LOWEST };
    if p < HIGHEST { p } else { HIGHEST }
}

#[inline]
fn one(p: f32) -> f32 {
    let u = (SHIFT - ln(4.0 * p * (1.0 - p))).sqrt() - CENTRE;
    (2.0 * p - 1.0) * horner(u, &SLOPE)
}

/// Returns the natural logarithm of a normal positive number.
#[inline]
fn ln(x: f32) -> f32 {
    let bits = x.to_bits().wrapping_sub(HALF_ROOT);
    let exponent = (bits as i32 >> 23) as f32;
    let mantissa = f32::from_bits((bits & 0x007f_ffff) + HALF_ROOT);
    let r = mantissa - 1.0;
    exponent * std::f32::consts::LN_2 + (r + r * r * horner(r, &LOGARITHM))
}

#[inline]
fn horner<const N: usize>(x: f32, coefficients: &[f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = sum * x + coefficient;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::probit;
    use super::*;

    /// The documented absolute error.
    const ABSOLUTE: f64 = 2e-6;

    fn error(p: f32) -> f64 {
        (f64::from(one(p)) - probit(f64::from(p))).abs()
    }

    #[test]
    fn it_agrees_with_the_accurate_probit_everywhere() {
        let bits = (LOWEST.to_bits()..HIGHEST.to_bits()).step_by(499).chain([LOWEST.to_bits(), HIGHEST.to_bits()]);
        let worst = bits.map(|bits| (error(f32::from_bits(bits)), f32::from_bits(bits)));
        let (worst, at) = worst.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        assert!(worst < ABSOLUTE, "{worst:e} at {at:e}");
    }

    #[test]
    fn quantiles_that_tables_print() {
        for (p, expected) in [(0.975, 1.959_964), (0.5, 0.0), (0.001, -3.090_232), (1e-6, -4.753_424)] {
            assert!((f64::from(one(p)) - expected).abs() < ABSOLUTE, "{p}");
        }
    }

    #[test]
    fn what_lies_beyond_five_is_clipped() {
        let mut probits = [0.0; 4];
        clipped(&[0.0, 1e-30, 1.0, LOWEST], &mut probits);
        assert_eq!(probits[0], probits[1]);
        assert_eq!(probits[0], probits[3]);
        assert!((probits[0] + 5.0).abs() < 1e-5);
        // The spacing of f32 near 1 is a fifth of 1 - Phi(5).
        assert!((probits[2] - 5.0).abs() < 1e-2);
    }

    #[test]
    fn the_limits_are_the_probabilities_at_five() {
        let tail = 0.5 * libm::erfc(5.0 / std::f64::consts::SQRT_2);
        assert_eq!(LOWEST, tail as f32);
        assert_eq!(HIGHEST, (1.0 - tail) as f32);
    }
}

//! Quantiles of Student's t distribution, by the incomplete beta function.

/// The largest number of terms of the continued fraction; it needs about the square root of the degrees of freedom.
const MOST_TERMS: u32 = 20_000;
/// The largest number of halvings of an interval around the quantile; enough to leave no `f64` between its ends.
const HALVINGS: u32 = 200;

/// Returns the p-quantile of Student's t distribution with `degrees` degrees of freedom; infinite at 0 and 1.
///
/// # Formula
///
/// For t above 0, P(T > t) = I_x(v / 2, 1 / 2) / 2 at x = v / (v + t^2), with v the degrees of freedom and I the
/// regularised incomplete beta function. The quantile is found by bisection, after doubling an end until it lies
/// beyond.
///
/// # Panics
///
/// Panics if `degrees` is not a positive finite number or `p` is not in [0, 1].
pub fn student_t_quantile(p: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0 && degrees.is_finite(), "degrees of freedom are positive, not {degrees}");
    assert!((0.0..=1.0).contains(&p), "a probability is in [0, 1], not {p}");
    let tail = p.min(1.0 - p);
    let magnitude = if tail == 0.0 { f64::INFINITY } else { tail_quantile(tail, degrees) };
    if p < 0.5 { -magnitude } else { magnitude }
}

fn tail_quantile(tail: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, degrees) > tail && high < 1e150 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(middle, degrees) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Returns P(T > t) for a t that is not negative.
fn upper_tail(t: f64, degrees: f64) -> f64 {
    let sum = degrees + t * t;
    0.5 * incomplete_beta(degrees / sum, t * t / sum, 0.5 * degrees, 0.5)
}

/// Returns `I_x(a, b)`, given both x and y = 1 - x, so that neither loses digits (Abramowitz and Stegun 26.5.8).
fn incomplete_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if y <= 0.0 {
        1.0
    } else if x >= (a + 1.0) / (a + b + 2.0) {
        1.0 - lower_beta(y, x, b, a)
    } else {
        lower_beta(x, y, a, b)
    }
}

fn lower_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    // The logarithm of a number near 1 is computed from its complement, which has more digits.
    let log = |z: f64, complement: f64| if z < 0.5 { libm::log(z) } else { libm::log1p(-complement) };
    libm::exp(a * log(x, y) + b * log(y, x) - log_beta) / a * continued_fraction(x, a, b)
}

/// Returns 1 / (1 + d1 / (1 + d2 / (1 + ...))) by Lentz's method.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    // Replaces a partial denominator that is 0.
    const TINY: f64 = 1e-300;
    let nonzero = |z: f64| if z.abs() < TINY { TINY } else { z };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for term in 1..=MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for coefficient in [even, odd] {
            d = 1.0 / nonzero(1.0 + coefficient * d);
            c = nonzero(1.0 + coefficient / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= f64::EPSILON * fraction.abs() {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a unit in the last digit of a printed table.
    const PRINTED: f64 = 5.1e-4;

    #[test]
    fn quantiles_that_tables_print() {
        for (p, degrees, expected) in [
            (0.9, 1.0, 3.078),
            (0.975, 1.0, 12.706),
            (0.9, 23.0, 1.319),
            (0.9, 24.0, 1.318),
            (0.975, 10.0, 2.228),
            (0.9995, 3.0, 12.924),
            (0.975, 120.0, 1.980),
            (0.975, 1e6, 1.960),
        ] {
            let t = student_t_quantile(p, degrees);
            assert!((t - expected).abs() < PRINTED, "{p} at {degrees}: {t}");
            assert!((student_t_quantile(1.0 - p, degrees) + t).abs() < 1e-9);
        }
    }

    #[test]
    fn one_and_two_degrees_have_closed_forms() {
        for i in 1..20 {
            let p = f64::from(i) / 20.0;
            let cauchy = (std::f64::consts::PI * (p - 0.5)).tan();
            assert!((student_t_quantile(p, 1.0) - cauchy).abs() < 1e-10 * (1.0 + cauchy.abs()), "{p}");
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            assert!((student_t_quantile(p, 2.0) - two).abs() < 1e-10 * (1.0 + two.abs()), "{p}");
        }
        assert_eq!(student_t_quantile(1.0, 4.0), f64::INFINITY);
        assert_eq!(student_t_quantile(0.0, 4.0), f64::NEG_INFINITY);
        assert!(student_t_quantile(1e-300, 1.0) < -1e100);
    }
}

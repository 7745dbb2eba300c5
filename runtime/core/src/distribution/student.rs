//! Student's t distribution, by the incomplete beta function.

/// The most terms of the continued fraction. It needs about sqrt(max(a, b)) terms, so this suffices up to a million
/// degrees of freedom.
const MOST_TERMS: u32 = 20_000;
/// The most Newton steps of a quantile. A step doubles t where the tail is heavy and adds 1 / t where it is light, so
/// this suffices for any `f64`.
const MOST_STEPS: u32 = 2_200;

/// Returns the distribution function of Student's t.
///
/// # Formula
/// With x = v / (v + t^2), P(T > |t|) is `I_x(v / 2, 1 / 2) / 2`, I being the regularised incomplete beta function. The
/// absolute error is below 1e-13 up to a thousand degrees of freedom v, and below 1e-10 up to a million.
///
/// # Panics
/// When `degrees` is not a positive finite number or `t` is NaN.
pub fn student_t_cdf(t: f64, degrees: f64) -> f64 {
    let tail = upper_tail(t.abs(), degrees);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// Returns the quantile function of Student's t: the t at which [`student_t_cdf`] is p; -inf at 0, inf at 1.
///
/// # Formula
/// Newton's method on the upper tail, which is convex: from the median it rises to the root without passing it.
///
/// # Panics
/// When `degrees` is not a positive finite number or `p` is not in [0, 1].
pub fn student_t_quantile(p: f64, degrees: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a probability is in [0, 1], not {p}");
    let tail = p.min(1.0 - p);
    let t = match tail {
        0.0 => f64::INFINITY,
        tail => tail_quantile(tail, degrees),
    };
    if p < 0.5 { -t } else { t }
}

fn tail_quantile(tail: f64, degrees: f64) -> f64 {
    let mut t = 0.0;
    let peak = libm::lgamma(0.5 * (degrees + 1.0))
        - libm::lgamma(0.5 * degrees)
        - 0.5 * libm::log(degrees * std::f64::consts::PI);
    for _ in 0..MOST_STEPS {
        let density = libm::exp(peak - 0.5 * (degrees + 1.0) * libm::log1p(t * t / degrees));
        let step = (upper_tail(t, degrees) - tail) / density;
        // Only rounding can make a step negative.
        if !step.is_finite() || step <= f64::EPSILON * t {
            break;
        }
        t += step;
    }
    t
}

/// Returns P(T > t) for t >= 0.
fn upper_tail(t: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0 && degrees.is_finite(), "degrees of freedom are positive, not {degrees}");
    assert!(!t.is_nan(), "t is a number");
    if t.is_infinite() {
        return 0.0;
    }
    let square = t * t;
    // Beyond 1e154 the square of t overflows; the tail is negligible there.
    if square.is_infinite() {
        return 0.0;
    }
    0.5 * incomplete_beta(degrees / (degrees + square), square / (degrees + square), 0.5 * degrees, 0.5)
}

/// Returns the regularised incomplete beta function `I_x(a, b)`. Both x and y = 1 - x are given, so that neither loses
/// digits.
///
/// # Formula
/// x^a y^b / (a B(a, b)) divided by the continued fraction of Abramowitz and Stegun 26.5.8 if x < (a + 1) / (a + b +
/// 2), else `1 - I_y(b, a)`.
fn incomplete_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    if x >= (a + 1.0) / (a + b + 2.0) {
        return 1.0 - lower_beta(y, x, b, a);
    }
    lower_beta(x, y, a, b)
}

fn lower_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    // The logarithm of a number near 1 is computed from its complement, which has more digits.
    let log = |z: f64, complement: f64| if z < 0.5 { libm::log(z) } else { libm::log1p(-complement) };
    let front = libm::exp(a * log(x, y) + b * log(y, x) - log_beta) / a;
    front * continued_fraction(x, a, b)
}

/// Computes 1 / (1 + d1 / (1 + d2 / (1 + ...))) by Lentz's method.
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
    use std::f64::consts::PI;

    use super::super::{normal_cdf, normal_quantile};
    use super::*;

    /// The documented absolute error.
    const ABSOLUTE: f64 = 1e-13;
    /// The last digit of a printed table.
    const PRINTED: f64 = 5.1e-4;

    #[test]
    fn quantiles_that_tables_print() {
        let table = [
            (0.9, 1.0, 3.078),
            (0.975, 1.0, 12.706),
            (0.9, 23.0, 1.319),
            (0.95, 5.0, 2.015),
            (0.975, 10.0, 2.228),
            (0.995, 30.0, 2.750),
            (0.9, 50.0, 1.299),
            (0.9995, 3.0, 12.924),
            (0.975, 120.0, 1.980),
        ];
        for (p, degrees, expected) in table {
            let t = student_t_quantile(p, degrees);
            assert!((t - expected).abs() < PRINTED, "{p} at {degrees}: {t}");
            assert_eq!(student_t_quantile(1.0 - p, degrees), -student_t_quantile(1.0 - (1.0 - p), degrees));
        }
    }

    #[test]
    fn few_degrees_have_closed_forms() {
        for i in -400..=400 {
            let t = f64::from(i) * 0.05;
            let cauchy = 0.5 + libm::atan(t) / PI;
            assert!((student_t_cdf(t, 1.0) - cauchy).abs() < ABSOLUTE, "{t}");
            let two = 0.5 + 0.5 * t / (2.0 + t * t).sqrt();
            assert!((student_t_cdf(t, 2.0) - two).abs() < ABSOLUTE, "{t}");
            let u = t / 3.0_f64.sqrt();
            let three = 0.5 + (u / (1.0 + u * u) + libm::atan(u)) / PI;
            assert!((student_t_cdf(t, 3.0) - three).abs() < ABSOLUTE, "{t}");
        }
    }

    #[test]
    fn the_quantile_undoes_the_distribution_function() {
        for degrees in [0.5, 1.0, 2.5, 3.0, 23.0, 499.0, 1e4] {
            for p in [1e-12, 1e-4, 0.1, 0.3, 0.5, 0.65, 0.9, 0.999] {
                let back = student_t_cdf(student_t_quantile(p, degrees), degrees);
                assert!((back - p).abs() < 1e-11 * p.min(1.0 - p).max(1e-3), "{p} at {degrees}: {back}");
            }
        }
    }

    #[test]
    fn many_degrees_are_normal() {
        // The difference is z (z^2 + 1) / (4 v) times the density.
        for p in [0.01, 0.4, 0.9, 0.999] {
            assert!((student_t_quantile(p, 1e6) - normal_quantile(p)).abs() < 1e-5);
        }
        assert!((student_t_cdf(1.5, 1e6) - normal_cdf(1.5)).abs() < 1e-6);
    }

    #[test]
    fn the_ends_are_infinite() {
        assert_eq!(student_t_quantile(0.0, 4.0), f64::NEG_INFINITY);
        assert_eq!(student_t_quantile(1.0, 4.0), f64::INFINITY);
        assert_eq!(student_t_quantile(0.5, 4.0), 0.0);
        assert_eq!((student_t_cdf(f64::INFINITY, 4.0), student_t_cdf(f64::NEG_INFINITY, 4.0)), (1.0, 0.0));
        assert_eq!(student_t_cdf(1e200, 1.0), 1.0);
        assert!(student_t_quantile(1e-300, 1.0) < -1e150);
    }

    #[test]
    #[should_panic(expected = "degrees of freedom are positive")]
    fn there_are_no_negative_degrees() {
        student_t_cdf(1.0, -1.0);
    }
}

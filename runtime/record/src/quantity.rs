//! Formats numbers for people: rounded, with their error, unit or count.

/// Formats a mean with its standard error to two significant digits, and the mean to the same place: `0.123 ±0.012`.
pub fn with_error(mean: f64, stderr: f64) -> String {
    if !mean.is_finite() {
        return mean.to_string();
    }
    if !stderr.is_finite() {
        return number(mean);
    }
    let places = if stderr > 0.0 { (1.0 - stderr.log10().floor()).clamp(0.0, 6.0) as usize } else { 4 };
    format!("{mean:.places$} ±{stderr:.places$}")
}

/// Formats the same with at most four significant digits of the mean, for narrow places: `1.234`, `12.35 k ±0.40 k`.
pub fn brief(mean: f64, stderr: f64) -> String {
    if !mean.is_finite() {
        return mean.to_string();
    }
    let known = stderr.is_finite();
    let (size, unit) = unit(if known { mean.abs().max(stderr) } else { mean.abs() }, FEW);
    let (mean, stderr) = (mean / size, stderr / size);
    // A number that rounds up to a power of ten has one more digit.
    let four = if mean == 0.0 { 3.0 } else { 3.0 - libm::log10(mean.abs() * ROUNDED).floor() };
    let places = if known && stderr > 0.0 { (1.0 - libm::log10(stderr).floor()).min(four) } else { four };
    let places = places.clamp(0.0, 6.0) as usize;
    let shown = format!("{mean:.places$}");
    if !known {
        return shown + unit;
    }
    if stderr == 0.0 {
        let shown = if places > 0 { shown.trim_end_matches('0').trim_end_matches('.') } else { &shown };
        return shown.to_owned() + unit;
    }
    let error = format!("{stderr:.places$}");
    let lost = error.chars().all(|c| c == '0' || c == '.');
    let error = if lost { format!("{stderr:.0e}") } else { error };
    format!("{shown}{unit} ±{error}{unit}")
}

/// How far rounding to four digits can raise a number.
const ROUNDED: f64 = 1.0 + 5e-5;
/// From this size on, numbers in narrow places have a unit.
const FEW: f64 = 1e4;

/// Returns the size and the letter of a number's unit, or no unit below `from`.
fn unit(x: f64, from: f64) -> (f64, &'static str) {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    units.into_iter().find(|(size, _)| x >= *size && x >= from).unwrap_or((1.0, ""))
}

/// Formats a number with four significant digits.
pub fn number(x: f64) -> String {
    if !x.is_finite() {
        return x.to_string();
    }
    let places = if x == 0.0 { 3 } else { (3.0 - x.abs().log10().floor()).clamp(0.0, 6.0) as usize };
    format!("{x:.places$}")
}

/// Formats a large count with its unit: `1.23 G`.
pub fn count(x: f64) -> String {
    match unit(x.abs(), 0.0) {
        (_, "") => number(x),
        (size, unit) => format!("{:.2}{unit}", x / size),
    }
}

pub use jointly_core::counted;

#[cfg(test)]
mod tests {
    use super::{brief, count, counted, number, with_error};

    #[test]
    fn errors_set_the_places() {
        assert_eq!(with_error(0.123_456, 0.0123), "0.123 ±0.012");
        assert_eq!(with_error(59.14, 4.2), "59.1 ±4.2");
        assert_eq!(with_error(1234.5, 120.0), "1234 ±120");
        assert_eq!(with_error(f64::INFINITY, f64::NAN), "inf");
        assert_eq!(with_error(0.5, f64::NAN), "0.5000");
        assert_eq!(with_error(0.5, 0.0), "0.5000 ±0.0000");
    }

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(number(0.001_234_5), "0.001234");
        assert_eq!(number(-12.345), "-12.35");
        assert_eq!(number(0.0), "0.000");
        assert_eq!(count(1.234e10), "12.34 G");
        assert_eq!(count(12.0), "12.00");
    }

    #[test]
    fn narrow_places_have_four_digits_at_most() {
        assert_eq!(brief(0.123_456, 0.0123), "0.123 ±0.012");
        assert_eq!(brief(1.234_567, 0.000_012), "1.235 ±1e-5");
        assert_eq!(brief(59.14, 4.2), "59.1 ±4.2");
        assert_eq!(brief(12_345.678, 0.012), "12.35 k ±1e-5 k");
        assert_eq!(brief(123_456.0, 12_345.0), "123 k ±12 k");
        assert_eq!(brief(9.999_99, 1e-9), "10.00 ±1e-9");
        assert_eq!(brief(9_876.54, f64::NAN), "9877");
        assert_eq!(brief(1.0 / 3.0, f64::NAN), "0.3333");
        assert_eq!([brief(1.0, 0.0), brief(1.0 + 1e-15, 0.0), brief(100.0, 0.0)], ["1", "1", "100"]);
        assert_eq!([brief(f64::INFINITY, 1.0), brief(0.0, f64::NAN)], ["inf", "0.000"]);
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "problem")), ["0 problems", "1 problem", "2 problems"]);
    }
}

//! Tables and numbers for people.

/// A table of text, two spaces between columns, the first `left` columns flush left and the others right.
pub(crate) fn render(left: usize, rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(column, cell): (usize, &String)| {
            let width = widths[column];
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// A mean with its standard error to two significant digits, and the mean to the same place: `0.123 ±0.012`.
pub(crate) fn with_error(mean: f64, stderr: f64) -> String {
    if !mean.is_finite() {
        return mean.to_string();
    }
    if !stderr.is_finite() {
        return number(mean);
    }
    let places = if stderr > 0.0 { (1.0 - stderr.log10().floor()).clamp(0.0, 6.0) as usize } else { 4 };
    format!("{mean:.places$} ±{stderr:.places$}")
}

/// Four significant digits.
pub(crate) fn number(x: f64) -> String {
    if !x.is_finite() {
        return x.to_string();
    }
    let places = if x == 0.0 { 3 } else { (3.0 - x.abs().log10().floor()).clamp(0.0, 6.0) as usize };
    format!("{x:.places$}")
}

/// A large count with its unit: `1.23 G`.
pub(crate) fn count(x: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.iter().find(|(size, _)| x.abs() >= *size) {
        Some((size, unit)) => format!("{:.2} {unit}", x / size),
        None => number(x),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, number, render, with_error};

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
    fn columns_line_up() {
        let rows = [["agent", "kl"], ["mlp", "0.1"], ["ensemble", "0.05"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(render(1, &rows), "agent       kl\nmlp        0.1\nensemble  0.05\n");
    }
}

//! Tables and numbers for people.

/// Spaces between columns.
const GAP: usize = 2;

/// A table of text, two spaces between columns, the first `left` columns flush left and the others right. Columns that would
/// end beyond column 80 go into a table of their own below, beside the first `left` again.
pub(crate) fn render(left: usize, rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let begin: usize = widths.iter().take(left).map(|width| width + GAP).sum();
    let (mut blocks, mut end) = (vec![Vec::new()], begin);
    for (column, &width) in widths.iter().enumerate().skip(left) {
        let block = blocks.last_mut().expect("one is begun");
        // What is too wide beside the first columns alone is so in any table.
        if end + width > COLUMNS && !block.is_empty() && begin + width <= COLUMNS {
            blocks.push(vec![column]);
            end = begin;
        } else {
            block.push(column);
        }
        end += width + GAP;
    }
    let first: Vec<usize> = (0..left.min(columns)).collect();
    let block = |block: Vec<usize>| {
        let mut text = String::new();
        for row in rows {
            let cell = |&column: &usize| {
                let (cell, width) = (row.get(column)?, widths[column]);
                let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
                Some(if column < left { format!("{cell}{gap}") } else { format!("{gap}{cell}") })
            };
            let cells: Vec<String> = first.iter().chain(&block).filter_map(cell).collect();
            text += cells.join(&" ".repeat(GAP)).trim_end();
            text.push('\n');
        }
        text
    };
    blocks.into_iter().map(block).collect::<Vec<_>>().join("\n")
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

/// The same with at most four significant digits of the mean, for places that are narrow: `1.234`, `12.35 k ±0.40 k`.
pub(crate) fn brief(mean: f64, stderr: f64) -> String {
    if !mean.is_finite() {
        return mean.to_string();
    }
    let known = stderr.is_finite();
    let (size, unit) = unit(if known { mean.abs().max(stderr) } else { mean.abs() }, FEW);
    let (mean, stderr) = (mean / size, stderr / size);
    // What rounds up to a power of ten has a digit more.
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
/// Numbers from here on have a unit where there is little room.
const FEW: f64 = 1e4;

/// The size and the letter of a number's unit, none below `from`.
fn unit(x: f64, from: f64) -> (f64, &'static str) {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    units.into_iter().find(|(size, _)| x >= *size && x >= from).unwrap_or((1.0, ""))
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
    match unit(x.abs(), 0.0) {
        (_, "") => number(x),
        (size, unit) => format!("{:.2}{unit}", x / size),
    }
}

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// A text in lines of at most 80 columns, broken between words; what is longer by itself stays whole. Each line keeps its
/// own indent, and what it goes on with is indented by so much more.
pub(crate) fn wrap(text: &str, more: usize) -> String {
    let wrapped = text.lines().map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        " ".repeat(indent) + &fill(line, (indent, indent + more))
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Names, each with a text beside it that stays in its own column of a terminal.
pub(crate) fn described(indent: usize, rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let column = indent + width + 2;
    let row = |(name, text): &(String, String)| {
        let gap = " ".repeat(width - name.chars().count());
        let line = format!("{}{name}{gap}  {}", " ".repeat(indent), fill(text, (column, column)));
        line.trim_end().to_owned() + "\n"
    };
    rows.iter().map(row).collect()
}

/// The words of a text in lines that end at column 80, of which the first begins at one column and the others, indented, at
/// another.
fn fill(text: &str, (first, others): (usize, usize)) -> String {
    let (mut filled, mut column) = (String::new(), first);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if filled.is_empty() {
            column += width;
        } else if column + 1 + width > COLUMNS {
            filled += "\n";
            filled += &" ".repeat(others);
            column = others + width;
        } else {
            filled.push(' ');
            column += 1 + width;
        }
        filled += word;
    }
    filled
}

/// `1 problem`, `3 problems`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::{brief, count, counted, described, number, render, with_error, wrap};

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

    #[test]
    fn long_lines_go_on_below_with_an_indent() {
        let words = ["fifteen letters"; 6].join(" ");
        let wrapped = wrap(&format!("  {words}\nshort\n\n{}", "x".repeat(90)), 2);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert_eq!(lines[0], format!("  {} fifteen", ["fifteen letters"; 4].join(" ")));
        assert_eq!(lines[1], "    letters fifteen letters");
        assert_eq!(lines[2..], ["short", "", &"x".repeat(90)]);
    }

    #[test]
    fn a_description_stays_in_its_column() {
        let rows = [("mlp", "a"), ("ensemble", &["fifteen letters"; 6].join(" ")), ("none", "")];
        let text = described(2, &rows.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[3]), ("  mlp       a", "  none"));
        assert_eq!(lines[2], format!("{}fifteen letters fifteen letters", " ".repeat(12)));
        assert!(lines[1].starts_with("  ensemble  fifteen letters") && lines[1].len() <= 80);
    }

    #[test]
    fn columns_line_up() {
        let rows = [["agent", "kl"], ["mlp", "0.1"], ["ensemble", "0.05"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(render(1, &rows), "agent       kl\nmlp        0.1\nensemble  0.05\n");
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let wide = "x".repeat(40);
        let rows = [["#", "agent", "kl", "accuracy", "fuel"], ["1", "mlp", wide.as_str(), "0.5", "1 G"]];
        let fits = render(2, &rows.map(|row| row.map(String::from).to_vec()));
        assert_eq!(fits.lines().count(), 2, "{fits}");
        let rows = [["#", "agent", "kl", "vs", "fuel"], ["1", "mlp", wide.as_str(), wide.as_str(), "1 G"]];
        let text = render(2, &rows.map(|row| row.map(String::from).to_vec()));
        let kl = format!("#  agent  {:>40}\n1  mlp    {wide}\n", "kl");
        assert_eq!(text, format!("{kl}\n#  agent  {:>40}  fuel\n1  mlp    {wide}   1 G\n", "vs"));
        // Exactly 80 columns are not too many, and names that leave no room break nothing up.
        let name = |length: usize| {
            [["agent", "kl", "vs"].map(String::from).to_vec(), vec!["n".repeat(length), "12".into(), "34".into()]]
        };
        assert_eq!(render(1, &name(72)).lines().map(|line| line.chars().count()).collect::<Vec<_>>(), [80, 80]);
        assert_eq!(render(1, &name(73)).lines().count(), 5);
        assert_eq!(render(1, &name(90)).lines().count(), 2);
    }
}

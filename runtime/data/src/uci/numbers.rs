//! Numbers in text, separated by whitespace.

use super::super::error::DataDefect;

/// Reads the numbers of each line that is not empty. All lines have the same length, and all numbers are in the range
/// of `f32`.
///
/// # Errors
/// When a line is not text, contains anything but finite numbers, or differs in length from the first; the error names
/// it.
pub(super) fn lines(bytes: &[u8]) -> Result<Vec<Vec<f64>>, DataDefect> {
    let mut lines: Vec<Vec<f64>> = Vec::new();
    for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let refuse = |what: String| DataDefect::Line { line: i as u64 + 1, what };
        let line = std::str::from_utf8(line).map_err(|_| refuse("it is not UTF-8 text".to_owned()))?;
        let number = |(j, field): (usize, &str)| {
            let value = field.parse::<f64>().ok().filter(|value| (*value as f32).is_finite());
            value.ok_or_else(|| refuse(format!("field {} is {field:?}, expected a finite number", j + 1)))
        };
        let fields: Vec<f64> = line.split_whitespace().enumerate().map(number).collect::<Result<_, _>>()?;
        if fields.is_empty() {
            continue;
        }
        if let Some(expected) = lines.first().map(Vec::len).filter(|&expected| expected != fields.len()) {
            return Err(refuse(format!("it has {} fields, expected {expected} as in the first", fields.len())));
        }
        lines.push(fields);
    }
    Ok(lines)
}

/// Reads distinct whole numbers below `most`; they may be written as `3` or `3.0e+00`, on any lines.
///
/// # Errors
/// When a line contains anything else; the error names it.
pub(super) fn indices(bytes: &[u8], most: usize) -> Result<Vec<usize>, DataDefect> {
    let mut seen = vec![false; most];
    let mut indices = Vec::new();
    // Blank lines are not counted in line numbers.
    for (i, line) in lines(bytes)?.iter().enumerate() {
        for &x in line {
            let index = x as usize;
            let refuse = |what: String| DataDefect::Line { line: i as u64 + 1, what };
            if x.fract() != 0.0 || x < 0.0 || x >= most as f64 {
                return Err(refuse(format!("it holds {x}, expected whole numbers from 0 to {}", most - 1)));
            }
            if std::mem::replace(&mut seen[index], true) {
                return Err(refuse(format!("it holds {index} for the second time")));
            }
            indices.push(index);
        }
    }
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_empty_lines_and_exponents() {
        let text = b" 1.5  -2 \r\n\r\n3e2\t.25\n\n";
        assert_eq!(lines(text).unwrap(), [[1.5, -2.0], [300.0, 0.25]]);
        assert_eq!(indices(b"2\n0.000e+00\n1.0\n", 3).unwrap(), [2, 0, 1]);
        assert_eq!(indices(b"0 1 2\n", 3).unwrap(), [0, 1, 2]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let message = |text: &[u8]| lines(text).unwrap_err().to_string();
        assert!(message(b"1 2\n\n3\n").starts_with("line 3: it has 1 fields, expected 2 as in the first"));
        assert!(message(b"1 two\n").starts_with("line 1: field 2 is \"two\", expected a finite number"));
        assert!(message(b"1 inf\n").starts_with("line 1: field 2 is \"inf\""));
        assert!(message(b"1e39\n").starts_with("line 1: field 1 is \"1e39\""));
        assert!(message(b"1\n\xff\n").starts_with("line 2: it is not UTF-8 text"));
        let index = |text: &[u8]| indices(text, 3).unwrap_err().to_string();
        for (text, what) in [("0\n3\n", "it holds 3"), ("1\n-1\n", "it holds -1"), ("1\n0.5\n", "it holds 0.5")] {
            let message = index(text.as_bytes());
            assert!(message.starts_with(&format!("line 2: {what}, expected whole numbers from 0 to 2")), "{message}");
        }
        assert!(index(b"1\n1\n").starts_with("line 2: it holds 1 for the second time"));
    }
}

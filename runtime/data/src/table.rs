//! Tables of numbers in text: one row for each example, the class in the last column.

use super::card::Labels;
use super::error::DataDefect;

/// A table's rows.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    /// All features, row after row.
    pub(super) features: Vec<f64>,
    /// The class of each row.
    pub(super) labels: Vec<u32>,
}

/// The separator of fields.
#[derive(Clone, Copy)]
enum Separator {
    Character(char),
    Whitespace,
}

/// Reads a table of `columns` features and a class.
///
/// Fields are separated by semicolons, else by commas, else by whitespace, whichever the first line contains; they may
/// be in double quotes. Empty lines are skipped, and so is a header: a first line with the same number of fields, none
/// of which is a number.
///
/// # Errors
/// When a line is not UTF-8, has another number of fields, a feature that is not a finite number or an unknown class;
/// each error names the line.
pub(super) fn parse(bytes: &[u8], columns: usize, classes: u32, labels: &Labels) -> Result<Table, DataDefect> {
    let mut table = Table { features: Vec::new(), labels: Vec::new() };
    let mut separator = None;
    for (i, line) in bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(|&byte| byte == b'\n').enumerate() {
        let refuse = |what: String| DataDefect::Line { line: i as u64 + 1, what };
        let line = std::str::from_utf8(line).map_err(|_| refuse("it is not UTF-8 text".to_owned()))?.trim();
        if line.is_empty() {
            continue;
        }
        let first = separator.is_none();
        let fields = fields(line, *separator.get_or_insert_with(|| Separator::of(line)));
        if fields.len() != columns + 1 {
            let found = fields.len();
            return Err(refuse(format!("it has {found} fields, expected {columns} features and a class")));
        }
        if first && fields.iter().all(|field| field.parse::<f64>().is_err()) {
            continue;
        }
        for (j, field) in fields[..columns].iter().enumerate() {
            let value = field.parse::<f64>().ok().filter(|value| value.is_finite());
            let value =
                value.ok_or_else(|| refuse(format!("field {} is {field:?}, expected a finite number", j + 1)))?;
            table.features.push(value);
        }
        let label = fields[columns];
        let class = labels.class(label, classes);
        table
            .labels
            .push(class.ok_or_else(|| refuse(format!("the class is {label:?}, expected {}", labels.known(classes))))?);
    }
    Ok(table)
}

impl Separator {
    fn of(line: &str) -> Self {
        [';', ','].into_iter().find(|&c| line.contains(c)).map_or(Self::Whitespace, Self::Character)
    }
}

fn fields(line: &str, separator: Separator) -> Vec<&str> {
    match separator {
        Separator::Character(c) => line.split(c).map(bare).collect(),
        Separator::Whitespace => line.split_whitespace().map(bare).collect(),
    }
}

/// Returns the field without the spaces and quotes around it.
fn bare(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

impl Labels {
    /// Returns the class that a text stands for.
    fn class(&self, text: &str, classes: u32) -> Option<u32> {
        match self {
            Self::From(first) => text.parse::<u32>().ok()?.checked_sub(*first).filter(|&class| class < classes),
            Self::Names(names) => {
                let class = names.iter().position(|spellings| spellings.contains(&text))?;
                Some(class as u32)
            }
        }
    }

    /// Describes how classes are written.
    fn known(&self, classes: u32) -> String {
        match self {
            Self::From(first) => format!("a whole number from {first} to {}", first + classes - 1),
            Self::Names(names) => names.iter().map(|spellings| spellings.join(" or ")).collect::<Vec<_>>().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: Labels = Labels::Names(&[&["round"], &["square", "box"]]);

    fn refusal(text: &str) -> String {
        parse(text.as_bytes(), 2, 2, &Labels::From(1)).unwrap_err().to_string()
    }

    #[test]
    fn separators_headers_quotes_and_line_ends() {
        let expected = Table { features: vec![1.5, -2.0, 3e2, 0.25], labels: vec![0, 1] };
        for text in [
            "1.5,-2,1\n3e2,.25,2",
            "\u{feff}1.5;-2;1\r\n\r\n3e2;.25;2\r\n",
            "\"x\";\"y\";\"class\"\n1.5;-2;1\n3e2;.25;\"2\"\n",
            "   1.5   -2 1 \n\t3e2 .25\t2\n\n",
        ] {
            assert_eq!(parse(text.as_bytes(), 2, 2, &Labels::From(1)).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn classes_may_have_names() {
        let table = parse(b"1,2,box\n3,4,round\n5,6,square\n", 2, 2, &SHAPES).unwrap();
        assert_eq!(table.labels, [1, 0, 1]);
        let error = parse(b"1,2,box\n3,4,oval\n", 2, 2, &SHAPES).unwrap_err();
        let message =
            "line 2: the class is \"oval\", expected round, square or box: mend the line or get the file again";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert!(refusal("1,2,1\n\n1,2\n").starts_with("line 3: it has 2 fields, expected 2 features and a class"));
        assert!(refusal("1,2,1\n1,two,1\n").starts_with("line 2: field 2 is \"two\", expected a finite number"));
        assert!(refusal("1,2,1\nnan,2,1\n").starts_with("line 2: field 1 is \"nan\""));
        assert!(
            refusal("1,2,1\n1,2,3\n").starts_with("line 2: the class is \"3\", expected a whole number from 1 to 2")
        );
        assert!(refusal("1,2,0\n").starts_with("line 1: the class is \"0\""));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let error = parse(b"1,2,1\n\xff\xfe\n", 2, 2, &Labels::From(1)).unwrap_err();
        assert!(error.to_string().starts_with("line 2: it is not UTF-8 text"), "{error}");
    }
}

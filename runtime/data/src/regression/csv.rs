//! Tables in text: a row a line, numbers between commas, the target in the last column.

use std::collections::BTreeSet;

use jointly_core::matrix::Matrix;
use jointly_core::regression::dataset::Targets;

use super::TableDefect;
use super::check::{most_rows, width};
use super::limits::MAX_TABLE_FEATURES;

/// What stands for a value that is missing, where it is no name of a column. "na" is sodium too.
const MISSING: [&str; 16] = [
    "?", "-", "--", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "Null", "NULL", "none", "None", "NONE", "missing",
];

/// Reads a table.
///
/// Fields may be in double quotes. Empty lines are passed over, and so is a header: a first line of names, none of them a number
/// or a mark of a missing value, or the same as another.
///
/// # Errors
/// When a line is not UTF-8, is parted by something else than commas, has another number of fields than the first, or a field
/// that no `f32` holds; each names the line.
pub(super) fn parse(bytes: &[u8]) -> Result<Targets, TableDefect> {
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let (mut columns, mut header) = (None, None);
    for (i, line) in bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(|&byte| byte == b'\n').enumerate() {
        let number = i + 1;
        let line = std::str::from_utf8(line).map_err(|_| TableDefect::Text { line: number })?.trim();
        if line.is_empty() {
            continue;
        }
        let fields = fields(line);
        let first = columns.is_none();
        let expected = *columns.get_or_insert(fields.len());
        if let Some(by) = other_separator(line).filter(|_| expected == 1) {
            return Err(TableDefect::Separator { line: number, by });
        }
        width(expected)?;
        if fields.len() != expected {
            return Err(TableDefect::Ragged { line: number, found: fields.len(), expected });
        }
        if first && is_header(&fields) {
            if let Some(column) = fields.iter().position(String::is_empty) {
                return Err(TableDefect::Nameless { column: column + 1 });
            }
            header = Some(fields);
            continue;
        }
        for (j, field) in fields.iter().enumerate() {
            let value = field.parse::<f64>().ok().map(|value| value as f32).filter(|value| value.is_finite());
            let value = value.ok_or_else(|| {
                let name = header.as_ref().map_or_else(String::new, |header| format!(" ({})", header[j]));
                let (column, found) = (format!("{}{name}", j + 1), field.clone());
                if first && !fields.iter().all(|field| is_number(field)) {
                    TableDefect::Header { line: number, column, found }
                } else {
                    TableDefect::Cell { line: number, column, found }
                }
            })?;
            if j + 1 < expected { inputs.push(value) } else { targets.push(value) }
        }
        most_rows(targets.len())?;
    }
    let Some(columns) = columns else { return Err(TableDefect::Narrow { found: 0 }) };
    let inputs = Matrix::from_rows(columns - 1, inputs);
    Ok(Targets::new(inputs, targets).expect("a finite target for each row of finite features"))
}

/// What is no header must be a row, lest a row be passed over.
fn is_header(fields: &[String]) -> bool {
    let names: Vec<&str> = fields.iter().map(String::as_str).filter(|field| !field.is_empty()).collect();
    let plain = |name: &&str| !is_number(name) && !MISSING.contains(name);
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    !names.is_empty() && names.iter().all(plain) && distinct
}

/// Whether it reads as a number, of whatever size: infinity and NaN do.
fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// What a line seems to be parted by, if not by commas.
fn other_separator(line: &str) -> Option<&'static str> {
    let known = [(';', "semicolons"), ('\t', "tabs")];
    known.into_iter().find(|(separator, _)| line.contains(*separator)).map(|(_, name)| name)
}

/// What stands between commas that are not in quotes, without spaces and quotes around it; of more fields than a table may
/// have, the first.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted && fields.len() > MAX_TABLE_FEATURES + 1 => break,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one is begun").push(c),
        }
    }
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

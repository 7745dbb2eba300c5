//! Tables in text: one row on each line, numbers separated by commas, the target in the last column.

use std::collections::BTreeSet;

use csv_core::{ReadFieldResult, Reader};
use jointly_core::matrix::Matrix;
use jointly_core::regression::dataset::Targets;

use super::TableDefect;
use super::check::{most_rows, width};
use super::limits::MAX_TABLE_FEATURES;

/// Marks of a missing value, which are not names of columns. "na" is not one: it may be sodium.
const MISSING: [&str; 16] = [
    "?", "-", "--", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "Null", "NULL", "none", "None", "NONE", "missing",
];

/// Reads a table.
///
/// Fields may be in double quotes, which may hold commas, line ends and, twice, quotes. Empty lines are skipped, and so
/// is a header: a first line of distinct names, none of which is a number or a mark of a missing value.
///
/// # Errors
/// When a row is not UTF-8, has another separator than commas, has another number of fields than the first row, or a
/// field that is not a finite `f32`. The error names the line on which the row begins.
pub(super) fn parse(bytes: &[u8]) -> Result<Targets, TableDefect> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows = Rows { reader: Reader::new(), rest: bytes };
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let (mut columns, mut header) = (None, None);
    while let Some((number, fields)) = rows.next()? {
        if matches!(&fields[..], [only] if only.is_empty()) {
            continue;
        }
        let first = columns.is_none();
        let expected = *columns.get_or_insert(fields.len());
        if let Some(by) = other_separator(&fields[0]).filter(|_| expected == 1) {
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

/// Returns whether a first line is a header. If not, it must be a row, so that no row is skipped.
fn is_header(fields: &[String]) -> bool {
    let names: Vec<&str> = fields.iter().map(String::as_str).filter(|field| !field.is_empty()).collect();
    let plain = |name: &&str| !is_number(name) && !MISSING.contains(name);
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    !names.is_empty() && names.iter().all(plain) && distinct
}

/// Returns whether a text is a number of any size; infinity and NaN count as numbers.
fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// Names the separator of a line, if it is not a comma.
fn other_separator(line: &str) -> Option<&'static str> {
    let known = [(';', "semicolons"), ('\t', "tabs")];
    known.into_iter().find(|(separator, _)| line.contains(*separator)).map(|(_, name)| name)
}

/// The rows of a text.
struct Rows<'a> {
    reader: Reader,
    rest: &'a [u8],
}

impl Rows<'_> {
    /// Returns the line on which the next row begins, and its fields without the spaces around them, or `None` at the
    /// end. Of a row with more fields than a table may have, only the first fields are returned.
    fn next(&mut self) -> Result<Option<(usize, Vec<String>)>, TableDefect> {
        // The reader skips empty lines.
        let empty = self.rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|&&byte| byte == b'\n');
        let line = self.reader.line() as usize + empty.count();
        let (mut fields, mut field, mut length) = (Vec::new(), vec![0; 64], 0);
        loop {
            let (result, read, written) = self.reader.read_field(self.rest, &mut field[length..]);
            self.rest = &self.rest[read..];
            length += written;
            let record_end = match result {
                // An empty read tells the parser that the text has ended.
                ReadFieldResult::InputEmpty => continue,
                ReadFieldResult::OutputFull => {
                    field.resize(2 * field.len(), 0);
                    continue;
                }
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => return Ok(None),
            };
            let text = std::str::from_utf8(&field[..length]).map_err(|_| TableDefect::Text { line })?;
            fields.push(bare(text).to_owned());
            length = 0;
            if record_end || fields.len() > MAX_TABLE_FEATURES + 1 {
                return Ok(Some((line, fields)));
            }
        }
    }
}

/// Returns a field without the spaces around it, and without quotes and the spaces within them.
fn bare(field: &str) -> &str {
    let field = field.trim();
    let quoted = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
    quoted.map_or(field, str::trim)
}

//! Checks that every suite can use a user-supplied table.

use jointly_core::regression::dataset::Targets;

use super::TableDefect;
use super::limits::{MAX_TABLE_FEATURES, MAX_TABLE_ROWS, MIN_TABLE_ROWS};
use super::target_range::beyond_range;
use crate::equal_inputs::are_equal;

pub(super) fn check(data: &Targets) -> Result<(), TableDefect> {
    width(data.inputs().cols() + 1)?;
    most_rows(data.rows())?;
    if data.rows() < MIN_TABLE_ROWS {
        return Err(TableDefect::Few { found: data.rows() });
    }
    if let Some(row) = beyond_range(data) {
        return Err(TableDefect::Huge { row: row + 1, value: data.targets()[row] });
    }
    let first = data.targets()[0];
    if data.targets().iter().all(|&y| y == first) {
        return Err(TableDefect::Constant { value: first });
    }
    if are_equal(data.inputs().values(), data.inputs().cols()) {
        return Err(TableDefect::Equal { rows: data.rows() });
    }
    Ok(())
}

/// Checks the number of columns, which includes the target.
pub(super) fn width(columns: usize) -> Result<(), TableDefect> {
    match columns {
        0 | 1 => Err(TableDefect::Narrow { found: columns }),
        _ if columns > MAX_TABLE_FEATURES + 1 => {
            Err(TableDefect::Many { what: "features", found: columns - 1, most: MAX_TABLE_FEATURES })
        }
        _ => Ok(()),
    }
}

pub(super) fn most_rows(rows: usize) -> Result<(), TableDefect> {
    if rows <= MAX_TABLE_ROWS {
        return Ok(());
    }
    Err(TableDefect::Many { what: "rows", found: rows, most: MAX_TABLE_ROWS })
}

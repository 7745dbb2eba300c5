//! What a person's own table must be, so that every suite can be made of it.

use jointly_core::regression::dataset::Targets;

use super::TableDefect;
use crate::regression::beyond_range;

/// The fewest rows: of 30, a simulation trains on 22, validates on 2 and tests on 6, a split tests on 3, and correlations are
/// those of 6 points after 6, a group of 5 and one more.
pub const MIN_TABLE_ROWS: usize = 30;
/// The most rows; the largest of the known tables has 45 730.
pub const MAX_TABLE_ROWS: usize = 50_000;
/// The most rows that active learning can be about: it pairs three fifths of them with one fifth, which takes 384 MB of these.
pub const MAX_ACTIVE_ROWS: usize = 20_000;
/// The most features.
pub const MAX_TABLE_FEATURES: usize = 1024;

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
    Ok(())
}

/// Checks the number of columns, the target's among them.
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

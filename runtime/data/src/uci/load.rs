//! Reads a table, its columns and its splits, checked against its card.

use std::path::{Path, PathBuf};

use jointly_core::matrix::Matrix;
use jointly_core::regression::Targets;

use super::super::error::{DataDefect, DataError};
use super::super::locate::Found;
use super::super::open;
use super::card::UciCard;
use super::missing::UciFolder;
use super::numbers;
use crate::equal_inputs::are_equal;
use crate::regression::RegressionTable;
use crate::regression::beyond_range;

/// Reads a table from its folder, as [`locate_uci`](super::locate_uci) finds it.
///
/// # Errors
/// When a file cannot be read or does not match the card: the number of rows or features differs, the target is also a
/// feature, all rows have the same features, or the two parts of a split share a row.
///
/// # Panics
/// Never: all numbers that are read fit an `f32`.
pub fn load_uci(card: &'static UciCard, folder: &UciFolder) -> Result<RegressionTable, DataError> {
    let reader = Reader { card };
    let rows = reader.read(folder.data.join("data.txt"), numbers::lines)?;
    reader.count(&folder.data.join("data.txt"), "rows", rows.len(), card.rows as usize)?;
    let columns = rows[0].len();
    let columns_of = |name: &str, expected| {
        let path = folder.data.join(name);
        let columns = reader.read(path.clone(), |bytes| numbers::indices(bytes, columns))?;
        reader.count(&path, "columns", columns.len(), expected)?;
        Ok::<_, DataError>(columns)
    };
    let features = columns_of("index_features.txt", card.input_dim as usize)?;
    let target = columns_of("index_target.txt", 1)?[0];
    if features.contains(&target) {
        let what = format!("it holds {target}, which is the target's column");
        return Err(DataDefect::Line { line: 1, what }.of(card.name, &folder.data.join("index_features.txt")));
    }
    let mut splits = Vec::new();
    for i in 0..card.splits {
        let part = |what| {
            let path = folder.splits.join(format!("index_{what}_{i}.txt"));
            let part = reader.read(path.clone(), |bytes| numbers::indices(bytes, rows.len()))?;
            if part.is_empty() { Err(reader.defect(&path, "rows", 0, "at least 1")) } else { Ok((path, part)) }
        };
        let ((_, train), (path, test)) = (part("train")?, part("test")?);
        let mut trains = vec![false; rows.len()];
        for &row in &train {
            trains[row] = true;
        }
        if let Some(line) = test.iter().position(|&row| trains[row]) {
            let what = format!("it holds {}, which index_train_{i}.txt holds too", test[line]);
            return Err(DataDefect::Line { line: line as u64 + 1, what }.of(card.name, &path));
        }
        splits.push((train, test));
    }
    let inputs = rows.iter().flat_map(|row| features.iter().map(|&column| row[column] as f32)).collect();
    let targets = rows.iter().map(|row| row[target] as f32).collect();
    let data = Targets::new(Matrix::from_rows(features.len(), inputs), targets).expect("what is read fits an f32");
    if are_equal(data.inputs().values(), features.len()) {
        let defect = DataDefect::Equal { what: "rows of features", count: data.rows() };
        return Err(defect.of(card.name, &folder.data.join("data.txt")));
    }
    if let Some(row) = beyond_range(&data) {
        let defect = DataDefect::Scale { row: row + 1, column: target + 1, value: data.targets()[row].into() };
        return Err(defect.of(card.name, &folder.data.join("data.txt")));
    }
    Ok(RegressionTable::standard(card.name, data, splits))
}

struct Reader {
    card: &'static UciCard,
}

impl Reader {
    fn read<T>(&self, path: PathBuf, parse: impl FnOnce(&[u8]) -> Result<T, DataDefect>) -> Result<T, DataError> {
        let found = Found { path, member: None };
        let parsed = open::read(&found).and_then(|bytes| parse(&bytes));
        parsed.map_err(|defect| defect.of(self.card.name, &found.path))
    }

    fn count(&self, path: &Path, what: &'static str, found: usize, expected: usize) -> Result<(), DataError> {
        if found == expected { Ok(()) } else { Err(self.defect(path, what, found, &expected.to_string())) }
    }

    fn defect(&self, path: &Path, what: &'static str, found: usize, expected: &str) -> DataError {
        let defect = DataDefect::Count { what, found: found as u64, expected: expected.to_owned() };
        defect.of(self.card.name, path)
    }
}

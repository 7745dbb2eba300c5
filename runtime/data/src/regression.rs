//! Tables for regression: known tables, each with a card and standard splits, and user-supplied tables.

mod check;
mod csv;
mod error;
mod format;
mod limits;
mod npz;
mod target_range;

pub use error::{TableDefect, TableFileError};
pub use format::TableFormat;
pub use limits::{MAX_ACTIVE_ROWS, MAX_TABLE_FEATURES, MAX_TABLE_ROWS, MIN_TABLE_ROWS};
pub use target_range::{MAX_TARGET, beyond_range};

use jointly_core::Seed;
use jointly_core::digest::Hasher;
use jointly_core::pick;
use jointly_core::regression::dataset::Targets;
use jointly_core::stream::stream;

/// A table that is read and checked: at least a row, and no target beyond [`MAX_TARGET`].
#[derive(Debug)]
pub struct RegressionTable {
    name: String,
    data: Targets,
    splits: Splits,
    digest: String,
}

/// How rows are split into training and test examples.
#[derive(Debug)]
enum Splits {
    /// The standard splits of the table.
    Standard(Vec<(Vec<usize>, Vec<usize>)>),
    /// Random splits, by the seed of a run.
    Drawn,
}

/// One split of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSplit {
    /// The training examples.
    pub train: Targets,
    /// The test examples.
    pub test: Targets,
}

impl RegressionTable {
    /// Makes a table from checked data and splits.
    pub(crate) fn standard(name: &str, data: Targets, splits: Vec<(Vec<usize>, Vec<usize>)>) -> Self {
        let digest = digest(&data, &splits);
        Self { name: name.to_owned(), data, splits: Splits::Standard(splits), digest }
    }

    /// Makes a user-supplied table.
    ///
    /// # Errors
    /// When it has fewer rows than [`MIN_TABLE_ROWS`] or is larger than allowed, when its target or all its features
    /// are constant, or when the absolute value of a target exceeds [`MAX_TARGET`].
    pub fn user_supplied(name: &str, data: Targets) -> Result<Self, TableDefect> {
        check::check(&data)?;
        let digest = digest(&data, &[]);
        Ok(Self { name: name.to_owned(), data, splits: Splits::Drawn, digest })
    }

    /// Returns the name of the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all rows as in the file; neither inputs nor targets are standardised.
    pub fn data(&self) -> &Targets {
        &self.data
    }

    /// Returns a split: a standard split, which does not depend on the seed, if the table has them.
    ///
    /// Otherwise the split is drawn from the stream of the seed, `regression-own-split`, the table's name and the
    /// index: of the rows in random order, the last tenth, to the nearest whole number, is the test set, and the others
    /// are the training set.
    ///
    /// # Panics
    /// When the table has standard splits and `index` is not one of them.
    pub fn split(&self, seed: Seed, index: u32) -> TableSplit {
        let drawn;
        let (train, test) = match &self.splits {
            Splits::Standard(splits) => {
                let (train, test) = &splits[index as usize];
                (train.as_slice(), test.as_slice())
            }
            Splits::Drawn => {
                let rows = self.data.rows();
                let mut source = stream(seed, "regression-own-split", &self.name, index.into());
                drawn = pick::prefix(rows, rows, &mut source);
                drawn.split_at(rows - (rows + 5) / 10)
            }
        };
        TableSplit { train: self.data.select(train), test: self.data.select(test) }
    }

    /// Returns the [digest](fn@jointly_core::digest) of rows, columns and standard splits, which does not depend on
    /// their format.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

fn digest(data: &Targets, splits: &[(Vec<usize>, Vec<usize>)]) -> String {
    let mut hash = Hasher::default();
    hash.add(b"jointly regression table 1");
    for size in [data.rows(), data.inputs().cols(), splits.len()] {
        hash.add(&(size as u64).to_le_bytes());
    }
    data.inputs().values().iter().chain(data.targets()).for_each(|x| hash.add(&x.to_le_bytes()));
    for part in splits.iter().flat_map(|(train, test)| [train, test]) {
        hash.add(&(part.len() as u64).to_le_bytes());
        for &row in part {
            hash.add(&(row as u64).to_le_bytes());
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests;

//! How a plan names user-supplied tables.

use anyhow::{Context, Result};
use jointly_data::regression::TableFormat;
use jointly_regression::Table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kept::Kept;

/// A user-supplied table as the plan has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTable {
    /// The file's own name: it says what problems call the table, and how to read it.
    pub file: String,
    /// The digest of the file; problems have that of its contents.
    pub digest: String,
}

impl PlannedTable {
    /// Says why this command plans no such table, if it does not.
    pub fn defect(&self) -> Option<String> {
        self.table().err().map(|error| format!("{error:#}"))
    }

    /// The kind of its kept file.
    ///
    /// # Errors
    /// When the file's name is not that of a table.
    pub fn kept(&self) -> Result<Kept> {
        self.table().map(|(format, _)| Kept::Table(format))
    }

    /// Format and table, without its data.
    pub(crate) fn table(&self) -> Result<(TableFormat, Table)> {
        let name = || format!("failed to read the table {}", self.file);
        let (format, table) = TableFormat::of(&self.file).with_context(name)?;
        Ok((format, jointly_regression::user_table(table).with_context(name)?))
    }
}

#[cfg(test)]
mod tests {
    use super::PlannedTable;
    use jointly_core::digest;

    #[test]
    fn a_plan_that_names_no_table_is_none_of_this_command() {
        let planned = |file: &str| PlannedTable { file: file.to_owned(), digest: digest(b"") };
        assert_eq!(planned("mine.npz").defect(), None);
        for file in ["../mine.csv", "mine.txt", "boston.csv"] {
            assert!(planned(file).defect().is_some_and(|defect| defect.contains("failed to read the table")), "{file}");
        }
    }
}

//! How a plan names user-supplied tables.

use anyhow::{Context, Result};
use jointly_data::regression::TableFormat;
use jointly_regression::Table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kept::Kept;

/// A user-supplied table as it stands in the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTable {
    /// The name of the file, which gives the table's name in problems and its format.
    pub file: String,
    /// The digest of the file; problems have the digest of its contents.
    pub digest: String,
}

impl PlannedTable {
    /// Returns why this command would not plan such a table, if it would not.
    pub fn defect(&self) -> Option<String> {
        self.table().err().map(|error| format!("{error:#}"))
    }

    /// Returns the kind of the table's kept file.
    ///
    /// # Errors
    /// When the file's name is not that of a table.
    pub fn kept(&self) -> Result<Kept> {
        self.table().map(|(format, _)| Kept::Table(format))
    }

    /// Returns the format and the table, without its data.
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

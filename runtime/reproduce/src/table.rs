//! Tables in Markdown.

/// A table: a heading for each column, and rows.
pub(crate) struct Table(String);

impl Table {
    /// Begins with the headings.
    pub(crate) fn new<T: AsRef<str>>(headings: &[T]) -> Self {
        let mut table = Self(String::new());
        table.row(headings);
        table.0.push_str(&"|---".repeat(headings.len()));
        table.0.push_str("|\n");
        table
    }

    /// Adds a row.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        for cell in cells {
            self.0.push_str("| ");
            self.0.push_str(&cell.as_ref().trim().replace('|', "\\|"));
            self.0.push(' ');
        }
        self.0.push_str("|\n");
    }

    /// Returns the lines.
    pub(crate) fn text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn cells_stay_in_their_columns() {
        let mut table = Table::new(&["agent", "score"]);
        table.row(&["a|b", "1"]);
        assert_eq!(table.text(), "| agent | score |\n|---|---|\n| a\\|b | 1 |\n");
    }
}

//! Token ids: the words of a text, or categories beside numbers.

use crate::matrix::ShapeError;

/// The id that pads a row after a short text.
pub const PADDING: u32 = 0;
/// The id of all words outside the vocabulary.
pub const UNKNOWN: u32 = 1;

/// The tokens of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Inputs have no tokens.
    Absent,
    /// The words of a text, in order; id [`PADDING`] pads a short text, id [`UNKNOWN`] stands for every unknown word.
    Text {
        /// The size of the vocabulary, at least 2; every id is below it.
        vocabulary: u32,
        /// The number of ids in a row.
        length: u32,
    },
    /// One category in each column: every id of column j is below element j.
    Categories(Vec<u32>),
}

impl Tokens {
    /// Returns the number of token columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { length, .. } => *length as usize,
            Self::Categories(sizes) => sizes.len(),
        }
    }

    /// Returns the size of a column's vocabulary: every id of the column is below it.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn size(&self, col: usize) -> u32 {
        match self {
            Self::Absent => panic!("no column {col} of no tokens"),
            Self::Text { vocabulary, .. } => *vocabulary,
            Self::Categories(sizes) => sizes[col],
        }
    }
}

/// A dense row-major matrix of token ids: element (i, j) is `values()[i * cols() + j]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMatrix {
    rows: usize,
    cols: usize,
    values: Vec<u32>,
}

impl TokenMatrix {
    /// Wraps ids, given row by row.
    ///
    /// # Errors
    /// When there are not exactly `rows * cols` ids.
    pub fn new(rows: usize, cols: usize, values: Vec<u32>) -> Result<Self, ShapeError> {
        if rows.checked_mul(cols) == Some(values.len()) {
            Ok(Self { rows, cols, values })
        } else {
            Err(ShapeError { rows, cols, found: values.len() })
        }
    }

    /// Makes a matrix of `rows` rows without columns.
    pub fn absent(rows: usize) -> Self {
        Self { rows, cols: 0, values: Vec::new() }
    }

    /// Returns the number of rows, one for each example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns all ids, row after row.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Returns the ids of row `i`.
    ///
    /// # Panics
    /// When there is no row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Selects rows, in the given order; a row may occur more than once.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { rows: rows.len(), cols: self.cols, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_must_fill_the_shape() {
        let error = TokenMatrix::new(2, 3, vec![0; 5]).unwrap_err();
        assert_eq!(error.to_string(), "a 2 x 3 matrix needs 6 values, not 5");
        assert!(TokenMatrix::new(usize::MAX, 2, vec![]).is_err());
    }

    #[test]
    fn rows_without_columns_are_selected_too() {
        let absent = TokenMatrix::absent(3);
        assert_eq!(absent.select(&[2, 0]), TokenMatrix::absent(2));
        assert_eq!(absent.row(2), [0_u32; 0]);
    }

    #[test]
    fn each_column_has_its_vocabulary() {
        let text = Tokens::Text { vocabulary: 9, length: 4 };
        assert_eq!((text.columns(), text.size(3)), (4, 9));
        let categories = Tokens::Categories(vec![2, 5]);
        assert_eq!((categories.columns(), categories.size(1)), (2, 5));
        assert_eq!(Tokens::Absent.columns(), 0);
    }
}

//! Inputs of any kind: numbers, tokens, or both.

use crate::Matrix;

/// A dense row-major matrix of token ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMatrix {
    rows: usize,
    cols: usize,
    values: Vec<u32>,
}

impl TokenMatrix {
    /// Creates a matrix of `rows * cols` ids, row after row; returns `None` if `values` has another length.
    pub fn new(rows: usize, cols: usize, values: Vec<u32>) -> Option<Self> {
        (rows.checked_mul(cols) == Some(values.len())).then_some(Self { rows, cols, values })
    }

    /// Returns the number of rows.
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

    /// Returns row `i`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}

/// Inputs: row `i` of the numbers and row `i` of the tokens are one input. If a task has no numbers or no tokens,
/// that matrix has no columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The numbers of each input.
    pub numbers: Matrix,
    /// The tokens of each input, with the same number of rows.
    pub tokens: TokenMatrix,
}

impl Inputs {
    /// Returns the number of inputs.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }
}

impl From<Matrix> for Inputs {
    /// Creates inputs that consist of numbers only.
    fn from(numbers: Matrix) -> Self {
        let tokens = TokenMatrix { rows: numbers.rows(), cols: 0, values: Vec::new() };
        Self { numbers, tokens }
    }
}

//! Inputs of every sort: numbers, tokens, or both.

use crate::Matrix;

/// A dense row-major matrix of token ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMatrix {
    rows: usize,
    cols: usize,
    values: Vec<u32>,
}

impl TokenMatrix {
    /// A matrix of `rows * cols` ids, row after row; `None` where their number is another.
    pub fn new(rows: usize, cols: usize, values: Vec<u32>) -> Option<Self> {
        (rows.checked_mul(cols) == Some(values.len())).then_some(Self { rows, cols, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All ids, row after row.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// Where there is no such row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}

/// Inputs: row `i` of the numbers and row `i` of the tokens are one input. Numbers or tokens that a task does not have have no
/// columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The numbers of each input.
    pub numbers: Matrix,
    /// The tokens of each input, as many rows.
    pub tokens: TokenMatrix,
}

impl Inputs {
    /// Number of inputs.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }
}

impl From<Matrix> for Inputs {
    /// Inputs that are numbers alone.
    fn from(numbers: Matrix) -> Self {
        let tokens = TokenMatrix { rows: numbers.rows(), cols: 0, values: Vec::new() };
        Self { numbers, tokens }
    }
}

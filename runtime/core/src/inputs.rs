//! Inputs of a classifier: numbers, tokens, or both.

use crate::matrix::Matrix;
use crate::tokens::TokenMatrix;

/// Inputs of a classifier: row i of the numbers and row i of the tokens are one input. A task without numbers, or
/// without tokens, has no columns of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    numbers: Matrix,
    tokens: TokenMatrix,
}

/// Numbers and tokens have different numbers of rows.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{numbers} rows of numbers and {tokens} rows of tokens, expected equal numbers of rows")]
pub struct RowsError {
    /// Rows of numbers.
    pub numbers: usize,
    /// Rows of tokens.
    pub tokens: usize,
}

impl Inputs {
    /// Joins numbers and tokens.
    ///
    /// # Errors
    /// When they have different numbers of rows.
    pub fn new(numbers: Matrix, tokens: TokenMatrix) -> Result<Self, RowsError> {
        if numbers.rows() == tokens.rows() {
            Ok(Self { numbers, tokens })
        } else {
            Err(RowsError { numbers: numbers.rows(), tokens: tokens.rows() })
        }
    }

    /// Returns the number of inputs.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }

    /// Returns the numbers of each input.
    pub fn numbers(&self) -> &Matrix {
        &self.numbers
    }

    /// Returns the tokens of each input.
    pub fn tokens(&self) -> &TokenMatrix {
        &self.tokens
    }

    /// Selects inputs, in the given order; an input may occur more than once.
    ///
    /// # Panics
    /// When there is no such input.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { numbers: self.numbers.select(rows), tokens: self.tokens.select(rows) }
    }
}

impl From<Matrix> for Inputs {
    fn from(numbers: Matrix) -> Self {
        let tokens = TokenMatrix::absent(numbers.rows());
        Self { numbers, tokens }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_tokens_have_the_same_rows() {
        let numbers = Matrix::new(2, 1, vec![0.5, 1.5]).unwrap();
        let error = Inputs::new(numbers.clone(), TokenMatrix::absent(1)).unwrap_err();
        assert_eq!(error.to_string(), "2 rows of numbers and 1 rows of tokens, expected equal numbers of rows");
        let inputs = Inputs::new(numbers, TokenMatrix::new(2, 1, vec![3, 4]).unwrap()).unwrap();
        let selected = inputs.select(&[1, 1, 0]);
        assert_eq!((selected.rows(), selected.tokens().values()), (3, &[4, 4, 3][..]));
        assert_eq!(selected.numbers().values(), [1.5, 1.5, 0.5]);
    }

    #[test]
    fn numbers_alone_are_inputs() {
        let inputs = Inputs::from(Matrix::new(2, 2, vec![0.0; 4]).unwrap());
        assert_eq!((inputs.rows(), inputs.tokens()), (2, &TokenMatrix::absent(2)));
    }
}

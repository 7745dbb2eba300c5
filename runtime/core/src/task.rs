//! The task of a classifier: sizes and properties of a problem that are known before training.

use thiserror::Error;

use crate::image_shape::ImageShape;
use crate::inputs::Inputs;
use crate::tokens::Tokens;

/// The most classes that a problem may have.
pub const MAX_CLASSES: u32 = 1 << 16;

/// The properties of a problem of classification that a classifier is told before training.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Number of numeric features of an input; 0 if inputs have only tokens.
    pub input_dim: u32,
    /// Number of classes, from 2 to [`MAX_CLASSES`]; labels are 0 to `num_classes - 1`.
    pub num_classes: u32,
    /// The shape of the image that the numbers form, if they do; its values are from 0 to 1.
    pub image: Option<ImageShape>,
    /// The tokens of an input.
    pub tokens: Tokens,
    /// Temperature of the environment's softmax, if it is known.
    pub temperature: Option<f32>,
    /// Number of hidden layers of the environment's network, if it is known.
    pub hidden_layers: Option<u32>,
}

/// Why inputs do not match a task.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum InputsError {
    /// The number of columns differs from the task's.
    #[error("{found} columns of {what}, expected {expected}")]
    Columns {
        /// `numbers` or `tokens`.
        what: &'static str,
        /// The number of columns found.
        found: usize,
        /// The number of columns of the task.
        expected: usize,
    },
    /// A number is infinite or not a number.
    #[error("feature {col} of row {row} is not finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// The feature.
        col: usize,
    },
    /// A token is not in its column's vocabulary.
    #[error("token {token} at column {col} of row {row} is not below {size}")]
    Token {
        /// The row.
        row: usize,
        /// The column.
        col: usize,
        /// The token.
        token: u32,
        /// The size of the vocabulary.
        size: u32,
    },
}

impl Task {
    /// Makes a task whose inputs are numbers, with an unknown environment.
    pub fn new(input_dim: u32, num_classes: u32) -> Self {
        Self { input_dim, num_classes, image: None, tokens: Tokens::Absent, temperature: None, hidden_layers: None }
    }

    /// Checks that inputs match the task.
    ///
    /// # Errors
    /// When the number of columns differs, a number is not finite, or a token is not below the size of its vocabulary.
    pub fn check(&self, inputs: &Inputs) -> Result<(), InputsError> {
        let (numbers, tokens) = (inputs.numbers(), inputs.tokens());
        let columns =
            [("numbers", numbers.cols(), self.input_dim as usize), ("tokens", tokens.cols(), self.tokens.columns())];
        if let Some((what, found, expected)) = columns.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(InputsError::Columns { what, found, expected });
        }
        if let Some(index) = numbers.values().iter().position(|value| !value.is_finite()) {
            return Err(InputsError::NotFinite { row: index / numbers.cols(), col: index % numbers.cols() });
        }
        for (index, &token) in tokens.values().iter().enumerate() {
            let (row, col) = (index / tokens.cols(), index % tokens.cols());
            let size = self.tokens.size(col);
            if token >= size {
                return Err(InputsError::Token { row, col, token, size });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::tokens::TokenMatrix;

    fn task() -> Task {
        Task { tokens: Tokens::Categories(vec![2, 5]), ..Task::new(2, 3) }
    }

    fn inputs(tokens: &[u32]) -> Inputs {
        let numbers = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        Inputs::new(numbers, TokenMatrix::new(2, 2, tokens.to_vec()).unwrap()).unwrap()
    }

    #[test]
    fn inputs_of_the_task_pass() {
        assert_eq!(task().check(&inputs(&[1, 4, 0, 3])), Ok(()));
    }

    #[test]
    fn a_token_must_be_in_its_vocabulary() {
        let error = task().check(&inputs(&[0, 4, 2, 3])).unwrap_err();
        assert_eq!(error.to_string(), "token 2 at column 0 of row 1 is not below 2");
    }

    #[test]
    fn columns_are_the_tasks() {
        let numbers = Inputs::from(Matrix::new(1, 2, vec![0.0, 1.0]).unwrap());
        assert_eq!(task().check(&numbers).unwrap_err().to_string(), "0 columns of tokens, expected 2");
        assert_eq!(Task::new(3, 2).check(&numbers).unwrap_err().to_string(), "2 columns of numbers, expected 3");
    }

    #[test]
    fn a_number_must_be_finite() {
        let numbers = Inputs::from(Matrix::new(2, 2, vec![0.0, 1.0, 2.0, f32::NAN]).unwrap());
        assert_eq!(Task::new(2, 2).check(&numbers), Err(InputsError::NotFinite { row: 1, col: 1 }));
    }
}

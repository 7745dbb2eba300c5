//! Labelled examples, and what an agent is told before it sees them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::matrix::Matrix;

/// The most classes that a problem may have.
pub const MAX_CLASSES: u32 = 1 << 16;

/// What an agent knows before it sees any data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number of features of an input, at least 1.
    pub input_dim: u32,
    /// Number of classes, from 2 to [`MAX_CLASSES`]; labels are 0 to `num_classes - 1`.
    pub num_classes: u32,
    /// Temperature of the environment's softmax, where it is known.
    pub temperature: Option<f32>,
    /// Number of hidden layers of the environment's network, where it is known.
    pub hidden_layers: Option<u32>,
}

/// Why inputs and labels make no dataset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DatasetError {
    /// There is not one label for each input.
    #[error("{rows} rows of inputs need as many labels, not {labels}")]
    Length {
        /// Rows of inputs.
        rows: usize,
        /// Labels given.
        labels: usize,
    },
    /// A label names no class.
    #[error("label {label} of row {row} is not below the number of classes, {num_classes}")]
    Label {
        /// The row.
        row: usize,
        /// Its label.
        label: u32,
        /// The number of classes.
        num_classes: u32,
    },
    /// An input is infinite or not a number.
    #[error("feature {col} of row {row} is not finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// The feature.
        col: usize,
    },
}

/// Labelled examples: one row of inputs and one label each; there may be none.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    inputs: Matrix,
    labels: Vec<u32>,
}

impl Dataset {
    /// Joins inputs and labels.
    ///
    /// # Errors
    /// When their lengths differ, a label is not below `num_classes`, or an input is not finite.
    pub fn new(inputs: Matrix, labels: Vec<u32>, num_classes: u32) -> Result<Self, DatasetError> {
        if inputs.rows() != labels.len() {
            return Err(DatasetError::Length { rows: inputs.rows(), labels: labels.len() });
        }
        if let Some(row) = labels.iter().position(|&label| label >= num_classes) {
            return Err(DatasetError::Label { row, label: labels[row], num_classes });
        }
        if let Some(index) = inputs.values().iter().position(|value| !value.is_finite()) {
            return Err(DatasetError::NotFinite { row: index / inputs.cols(), col: index % inputs.cols() });
        }
        Ok(Self { inputs, labels })
    }

    /// One row an example.
    pub fn inputs(&self) -> &Matrix {
        &self.inputs
    }

    /// The class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows(value: f32) -> Matrix {
        Matrix::new(2, 1, vec![0.0, value]).unwrap()
    }

    #[test]
    fn what_fits_together_is_a_dataset() {
        let dataset = Dataset::new(two_rows(1.0), vec![0, 1], 2).unwrap();
        assert_eq!(dataset.labels(), [0, 1]);
        assert_eq!(dataset.inputs().rows(), 2);
    }

    #[test]
    fn every_row_needs_a_label() {
        let error = Dataset::new(two_rows(1.0), vec![0], 2).unwrap_err();
        assert_eq!(error, DatasetError::Length { rows: 2, labels: 1 });
    }

    #[test]
    fn a_label_must_name_a_class() {
        let error = Dataset::new(two_rows(1.0), vec![0, 2], 2).unwrap_err();
        assert_eq!(error.to_string(), "label 2 of row 1 is not below the number of classes, 2");
    }

    #[test]
    fn an_input_must_be_finite() {
        let error = Dataset::new(two_rows(f32::NAN), vec![0, 1], 2).unwrap_err();
        assert_eq!(error, DatasetError::NotFinite { row: 1, col: 0 });
    }
}

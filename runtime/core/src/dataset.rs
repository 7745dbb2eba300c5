//! Labelled examples of classification.

use thiserror::Error;

use crate::inputs::Inputs;
use crate::task::{InputsError, MAX_CLASSES, Task};

/// Why inputs and labels are not a valid dataset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DatasetError {
    /// The inputs do not match the task.
    #[error(transparent)]
    Inputs(#[from] InputsError),
    /// The number of labels is not the number of inputs.
    #[error("{rows} rows of inputs need as many labels, not {labels}")]
    Length {
        /// Rows of inputs.
        rows: usize,
        /// Labels given.
        labels: usize,
    },
    /// A label is not a class of the task.
    #[error("label {label} of row {row} is not below the number of classes, {num_classes}")]
    Label {
        /// The row.
        row: usize,
        /// Its label.
        label: u32,
        /// The number of classes.
        num_classes: u32,
    },
}

/// Labelled examples: one row of inputs and one label each; there may be none.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    inputs: Inputs,
    labels: Vec<u32>,
}

impl Dataset {
    /// Joins inputs and labels.
    ///
    /// # Errors
    /// When the inputs do not [match the task](Task::check), the number of labels is not the number of inputs, or a
    /// label is not below the number of classes.
    pub fn new(task: &Task, inputs: impl Into<Inputs>, labels: Vec<u32>) -> Result<Self, DatasetError> {
        let inputs = inputs.into();
        task.check(&inputs)?;
        if inputs.rows() != labels.len() {
            return Err(DatasetError::Length { rows: inputs.rows(), labels: labels.len() });
        }
        match labels.iter().position(|&label| label >= task.num_classes.min(MAX_CLASSES)) {
            None => Ok(Self { inputs, labels }),
            Some(row) => Err(DatasetError::Label { row, label: labels[row], num_classes: task.num_classes }),
        }
    }

    /// Returns the inputs, one row for each example.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Returns the class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Returns the number of examples.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Selects examples, in the given order; an example may occur more than once.
    ///
    /// # Panics
    /// When there is no such example.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { inputs: self.inputs.select(rows), labels: rows.iter().map(|&row| self.labels[row]).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn two_rows(value: f32) -> Matrix {
        Matrix::new(2, 1, vec![0.0, value]).unwrap()
    }

    #[test]
    fn what_fits_together_is_a_dataset() {
        let dataset = Dataset::new(&Task::new(1, 2), two_rows(1.0), vec![0, 1]).unwrap();
        assert_eq!((dataset.labels(), dataset.rows()), (&[0, 1][..], 2));
        let other = dataset.select(&[1, 0, 1]);
        assert_eq!(other.labels(), [1, 0, 1]);
        assert_eq!(other.inputs().numbers().values(), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn every_row_needs_a_label() {
        let error = Dataset::new(&Task::new(1, 2), two_rows(1.0), vec![0]).unwrap_err();
        assert_eq!(error, DatasetError::Length { rows: 2, labels: 1 });
    }

    #[test]
    fn a_label_must_name_a_class() {
        let error = Dataset::new(&Task::new(1, 2), two_rows(1.0), vec![0, 2]).unwrap_err();
        assert_eq!(error.to_string(), "label 2 of row 1 is not below the number of classes, 2");
    }

    #[test]
    fn inputs_must_be_the_tasks() {
        let error = Dataset::new(&Task::new(1, 2), two_rows(f32::NAN), vec![0, 1]).unwrap_err();
        assert_eq!(error, DatasetError::Inputs(InputsError::NotFinite { row: 1, col: 0 }));
        assert!(Dataset::new(&Task::new(2, 2), two_rows(1.0), vec![0, 1]).is_err());
    }
}

//! Examples with a real target, and the properties of a problem that an agent is told in advance.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::matrix::Matrix;

/// The properties of a problem of regression that an agent is told before training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionTask {
    /// Number of features of an input, at least 1.
    pub input_dim: u32,
    /// Standard deviation of the observation noise, if it is known.
    pub noise_std: Option<f32>,
}

/// Why inputs and targets are not a valid dataset.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TargetsError {
    /// The number of targets is not the number of inputs.
    #[error("{rows} rows of inputs need as many targets, not {targets}")]
    Length {
        /// Rows of inputs.
        rows: usize,
        /// Targets given.
        targets: usize,
    },
    /// An input is infinite or not a number.
    #[error("feature {col} of row {row} is not finite")]
    Input {
        /// The row.
        row: usize,
        /// The feature.
        col: usize,
    },
    /// A target is infinite or not a number.
    #[error("the target of row {row} is not finite")]
    Target {
        /// The row.
        row: usize,
    },
}

/// Examples: one row of inputs and one real target each; there may be none.
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    inputs: Matrix,
    targets: Vec<f32>,
}

impl Targets {
    /// Joins inputs and targets.
    ///
    /// # Errors
    /// When their lengths differ, or an input or a target is not finite.
    pub fn new(inputs: Matrix, targets: Vec<f32>) -> Result<Self, TargetsError> {
        if inputs.rows() != targets.len() {
            return Err(TargetsError::Length { rows: inputs.rows(), targets: targets.len() });
        }
        if let Some(index) = inputs.values().iter().position(|value| !value.is_finite()) {
            return Err(TargetsError::Input { row: index / inputs.cols(), col: index % inputs.cols() });
        }
        if let Some(row) = targets.iter().position(|value| !value.is_finite()) {
            return Err(TargetsError::Target { row });
        }
        Ok(Self { inputs, targets })
    }

    /// Returns the inputs, one row per example.
    pub fn inputs(&self) -> &Matrix {
        &self.inputs
    }

    /// Returns the target of each row.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }

    /// Returns the number of examples.
    pub fn rows(&self) -> usize {
        self.targets.len()
    }

    /// Returns the examples of `rows`, in the given order; a row may occur more than once.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let targets = rows.iter().map(|&row| self.targets[row]).collect();
        Self { inputs: self.inputs.select(rows), targets }
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
        let data = Targets::new(two_rows(1.0), vec![-2.5, 4.0]).unwrap();
        assert_eq!((data.rows(), data.targets()), (2, [-2.5, 4.0].as_slice()));
        let picked = data.select(&[1, 0, 1]);
        assert_eq!(
            (picked.inputs().values(), picked.targets()),
            ([1.0, 0.0, 1.0].as_slice(), [4.0, -2.5, 4.0].as_slice())
        );
    }

    #[test]
    fn every_row_needs_a_target() {
        let error = Targets::new(two_rows(1.0), vec![0.0]).unwrap_err();
        assert_eq!(error.to_string(), "2 rows of inputs need as many targets, not 1");
    }

    #[test]
    fn all_numbers_must_be_finite() {
        assert_eq!(Targets::new(two_rows(f32::NAN), vec![0.0; 2]).unwrap_err(), TargetsError::Input { row: 1, col: 0 });
        let error = Targets::new(two_rows(1.0), vec![0.0, f32::INFINITY]).unwrap_err();
        assert_eq!(error, TargetsError::Target { row: 1 });
    }
}

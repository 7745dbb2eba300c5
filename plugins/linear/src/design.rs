//! The design matrix: the features that a line uses, and a one for the intercept.

use jointly_kernels::Rows;
use jointly_sdk::Matrix;

/// The features that a line uses.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    dim: usize,
    used: Vec<usize>,
    intercept: bool,
}

impl Design {
    /// Uses all features.
    pub(crate) fn all(dim: usize, intercept: bool) -> Self {
        Self { dim, used: (0..dim).collect(), intercept }
    }

    /// Uses the features that are not zero in all examples. The host sets features that are constant in the examples
    /// to zero; the examples contain no information about them.
    pub(crate) fn varying(inputs: &Matrix, intercept: bool) -> Self {
        let some = |d: &usize| (0..inputs.rows()).any(|i| inputs.row(i)[*d] != 0.0);
        Self { dim: inputs.cols(), used: (0..inputs.cols()).filter(some).collect(), intercept }
    }

    /// Returns the number of features of an input.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the name of weight `i` in messages.
    pub(crate) fn name(&self, i: usize) -> String {
        self.used.get(i).map_or_else(|| "the intercept".into(), |d| format!("feature {d}"))
    }

    /// Builds a row for each input.
    pub(crate) fn rows(&self, inputs: &Matrix) -> Rows {
        let cols = self.used.len() + usize::from(self.intercept);
        let element = |i: usize, j: usize| self.used.get(j).map_or(1.0, |d| f64::from(inputs.row(i)[*d]));
        Rows::from_fn(inputs.rows(), cols, element)
    }
}

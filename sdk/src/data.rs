//! Training data.

use crate::Matrix;

/// Labelled examples: row `i` of the inputs has class `labels[i]`, which is below the task's number of classes.
///
/// Inputs are a [`Matrix`] for a [`Classifier`](crate::Classifier), and [`Inputs`](crate::Inputs) for an
/// [`InputClassifier`](crate::InputClassifier).
#[derive(Clone, Debug)]
pub struct Dataset<I = Matrix> {
    /// The inputs, one example per row; may have no rows.
    pub inputs: I,
    /// The class of each row.
    pub labels: Vec<u32>,
}

/// Examples of a real-valued function: row `i` of the inputs has target `targets[i]`.
#[derive(Clone, Debug)]
pub struct Targets {
    /// The inputs, one example per row; may have no rows.
    pub inputs: Matrix,
    /// The target of each row.
    pub targets: Vec<f32>,
}

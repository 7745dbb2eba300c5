//! Shared code of classifiers that count examples: adds one example of every class, and bounds probabilities away from
//! zero and one.

use jointly_sdk::{Dataset, Failure, Task};

use crate::examples::check;

/// The examples, followed by one of every class at the origin, so that every class has been seen. A view that copies
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct WithOrigins<'a> {
    data: &'a Dataset,
    dim: usize,
    classes: usize,
}

impl<'a> WithOrigins<'a> {
    /// Adds one example of every class at the origin to a dataset.
    ///
    /// # Errors
    ///
    /// Fails if the data do not fit the task, or if the number of all features overflows.
    pub fn new(task: &Task, data: &'a Dataset) -> Result<Self, Failure> {
        check(task, data)?;
        let (dim, classes) = (task.input_dim, task.num_classes);
        let rows = data.labels.len().checked_add(classes);
        if rows.and_then(|rows| rows.checked_mul(dim)).is_none() {
            let examples = data.labels.len();
            return Err(Failure::Internal(format!("{examples} inputs of {dim} features are too many")));
        }
        Ok(Self { data, dim, classes })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.data.labels.len() + self.classes
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Feature `j` of row `i`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row or feature.
    pub fn feature(&self, i: usize, j: usize) -> f32 {
        assert!(i < self.rows() && j < self.dim, "row {i}, feature {j}");
        self.data.inputs.values().get(i * self.dim + j).copied().unwrap_or(0.0)
    }

    /// The class of every row.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels = Vec::with_capacity(self.rows());
        labels.extend_from_slice(&self.data.labels);
        labels.extend(0..self.classes as u32);
        labels
    }
}

/// Bounds a row of probabilities away from zero and one, so that no label costs an infinite loss.
///
/// # Formula
///
/// Each p_k is clipped to [floor, 1 - floor], then the row is divided by its sum. With two classes that sum is one
/// already. With K classes the smallest possible probability is floor / (1 - floor + (K - 1) floor), slightly below the
/// floor. The normalisation makes the clip of the Neural Testbed (Osband et al. 2022, appendix B.8) a distribution.
pub fn truncate(row: &mut [f32], floor: f32) {
    for p in &mut *row {
        *p = p.clamp(floor, 1.0 - floor);
    }
    let sum: f32 = row.iter().sum();
    for p in row {
        *p /= sum;
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Matrix;

    use super::*;

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn every_class_is_at_the_origin_once() {
        let task = Task::new(2, 3);
        let data = Dataset { inputs: Matrix::new(1, 2, vec![4.0, 5.0]).unwrap(), labels: vec![1] };
        let with = WithOrigins::new(&task, &data).unwrap();
        assert_eq!((with.rows(), with.dim(), with.classes()), (4, 2, 3));
        let features: Vec<f32> = (0..4).flat_map(|i| [with.feature(i, 0), with.feature(i, 1)]).collect();
        assert_eq!(features, [4.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(with.labels(), [1, 0, 1, 2]);
        let nothing = Dataset { inputs: Matrix::new(0, 0, Vec::new()).unwrap(), labels: Vec::new() };
        let with = WithOrigins::new(&task, &nothing).unwrap();
        assert_eq!((with.labels(), with.feature(2, 1)), (vec![0, 1, 2], 0.0));
        for (input_dim, num_classes) in [(3, 3), (2, 1)] {
            assert!(WithOrigins::new(&Task { input_dim, num_classes, ..task.clone() }, &data).is_err());
        }
    }

    #[test]
    fn rows_stay_distributions() {
        for (mut row, expected) in [
            (vec![0.0, 1.0], vec![0.01, 0.99]),
            (vec![0.3, 0.7], vec![0.3, 0.7]),
            (vec![0.0, 1.0, 0.0], vec![0.01 / 1.01, 0.99 / 1.01, 0.01 / 1.01]),
        ] {
            truncate(&mut row, 0.01);
            assert!(row.iter().zip(&expected).all(|(p, expected)| (p - expected).abs() < TOLERANCE), "{row:?}");
        }
    }
}

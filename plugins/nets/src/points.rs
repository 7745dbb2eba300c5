//! Training examples of a real-valued function.

use jointly_sdk::{Failure, Matrix, RegressionTask, Targets};

use crate::layout::stride;
use crate::simd::{LANES, Lanes, floats, floats_mut};

/// Examples whose inputs and targets are all finite.
#[derive(Clone, Debug)]
pub struct Points {
    dim: usize,
    inputs: Vec<f32>,
    targets: Vec<f32>,
}

impl Points {
    /// Takes the examples of a task.
    ///
    /// # Errors
    ///
    /// Fails if the task has no features, if there is not one row of the task's features for each target, or if a
    /// number is not finite.
    pub fn new(task: &RegressionTask, data: &Targets) -> Result<Self, Failure> {
        let (rows, dim) = (data.targets.len(), task.input_dim);
        if dim == 0 {
            return Err(Failure::Unsupported("inputs without features".into()));
        }
        if data.inputs.rows() != rows || (rows > 0 && data.inputs.cols() != dim) {
            let (found, cols) = (data.inputs.rows(), data.inputs.cols());
            let reason = format!("{found} rows of {cols} features for {rows} targets; the task has {dim} features");
            return Err(Failure::Internal(reason));
        }
        if !data.inputs.values().iter().chain(&data.targets).all(|value| value.is_finite()) {
            return Err(Failure::Internal("an input or a target is not finite".into()));
        }
        let inputs = if rows == 0 { Vec::new() } else { data.inputs.values().to_vec() };
        Ok(Self { dim, inputs, targets: data.targets.clone() })
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Returns whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The features, row by row.
    pub fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    /// The features of example `i`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such example.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.inputs[i * self.dim..(i + 1) * self.dim]
    }

    /// The target of every example.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }

    /// Returns the examples at the given places, in that order.
    ///
    /// # Panics
    ///
    /// Panics if there is no such place.
    #[must_use]
    pub fn some(&self, places: &[u32]) -> Self {
        let inputs = places.iter().flat_map(|place| self.row(*place as usize)).copied().collect();
        Self { dim: self.dim, inputs, targets: places.iter().map(|place| self.targets[*place as usize]).collect() }
    }
}

/// Checks that inputs have the `dim` features that an agent was trained on.
///
/// # Errors
///
/// Fails if the inputs have another number of features.
pub fn check_inputs(inputs: &Matrix, dim: usize) -> Result<(), Failure> {
    if inputs.rows() > 0 && inputs.cols() != dim {
        return Err(Failure::Internal(format!("inputs have {} columns; the task has {dim}", inputs.cols())));
    }
    Ok(())
}

/// A minibatch for one training step: rows of inputs, each followed by a one and padded to whole vectors, and their
/// targets.
#[derive(Debug)]
pub struct Batch {
    dim: usize,
    inputs: Vec<Lanes>,
    targets: Vec<f32>,
}

impl Batch {
    /// Makes buffers for `rows` rows.
    pub fn new(dim: usize, rows: usize) -> Self {
        let mut inputs = vec![Lanes::splat(0.0); rows * stride(dim)];
        floats_mut(&mut inputs).iter_mut().skip(dim).step_by(stride(dim) * LANES).for_each(|one| *one = 1.0);
        Self { dim, inputs, targets: Vec::with_capacity(rows) }
    }

    /// Copies the examples at the given places.
    ///
    /// # Panics
    ///
    /// Panics if there is no such place, or if there are more places than rows.
    pub fn gather(&mut self, points: &Points, places: impl Iterator<Item = u32>) {
        self.targets.clear();
        let stride = self.stride();
        let inputs = floats_mut(&mut self.inputs);
        for (r, place) in places.enumerate() {
            inputs[r * stride..][..self.dim].copy_from_slice(points.row(place as usize));
            self.targets.push(points.targets[place as usize]);
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.targets.len()
    }

    /// The rows, [`stride`](Self::stride) numbers each.
    pub fn inputs(&self) -> &[f32] {
        floats(&self.inputs)
    }

    /// The rows, for writing; the padding behind the one must stay zero.
    pub fn inputs_mut(&mut self) -> &mut [f32] {
        floats_mut(&mut self.inputs)
    }

    /// Numbers in a row of inputs.
    pub fn stride(&self) -> usize {
        stride(self.dim) * LANES
    }

    /// The target of each row.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(rows: usize, cols: usize, inputs: &[f32], targets: &[f32]) -> Targets {
        Targets { inputs: Matrix::new(rows, cols, inputs.to_vec()).unwrap(), targets: targets.to_vec() }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let task = RegressionTask { input_dim: 2, noise_std: None };
        assert!(Points::new(&task, &targets(0, 0, &[], &[])).unwrap().is_empty());
        for wrong in [
            targets(1, 1, &[1.0], &[1.0]),
            targets(1, 2, &[1.0, 2.0], &[]),
            targets(1, 2, &[1.0, f32::NAN], &[1.0]),
            targets(1, 2, &[1.0, 2.0], &[f32::INFINITY]),
        ] {
            assert!(Points::new(&task, &wrong).is_err(), "{wrong:?}");
        }
        let none = RegressionTask { input_dim: 0, noise_std: None };
        assert!(matches!(Points::new(&none, &targets(0, 0, &[], &[])), Err(Failure::Unsupported(_))));
    }

    #[test]
    fn a_batch_is_rows_with_a_one_behind_them() {
        let task = RegressionTask { input_dim: 2, noise_std: None };
        let points = Points::new(&task, &targets(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[7.0, 8.0, 9.0])).unwrap();
        let mut batch = Batch::new(2, 2);
        for places in [[2, 0], [1, 1]] {
            batch.gather(&points, places.into_iter());
            for (row, place) in batch.inputs().chunks(batch.stride()).zip(places) {
                assert_eq!(&row[..2], points.row(place as usize));
                assert!(row[2] == 1.0 && row[3..].iter().all(|value| *value == 0.0));
            }
        }
        assert_eq!((batch.targets(), points.some(&[2, 1]).inputs()), (&[8.0, 8.0][..], &[5.0, 6.0, 3.0, 4.0][..]));
    }
}

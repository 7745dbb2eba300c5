//! Random inputs.

use crate::matrix::Matrix;
use crate::stream::Stream;

/// Draws `rows` inputs of `cols` independent standard normal features, row after row.
pub fn normal_inputs(rows: usize, cols: usize, source: &mut Stream) -> Matrix {
    Matrix::from_rows(cols, (0..rows * cols).map(|_| source.normal() as f32).collect())
}

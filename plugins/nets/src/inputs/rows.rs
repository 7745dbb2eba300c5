//! Turns rows of outputs into rows of class probabilities.

use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// Writes the softmax of each row of outputs, `stride` numbers per row: `out[t * classes + k]`. `columns` is a scratch
/// buffer of one vector per class.
pub(super) fn probabilities(outputs: &[f32], stride: usize, columns: &mut [Lanes], out: &mut [f32]) {
    let classes = columns.len();
    for (outputs, out) in outputs.chunks(LANES * stride).zip(out.chunks_mut(LANES * classes)) {
        for (k, to) in columns.iter_mut().enumerate() {
            *to = column(outputs, stride, k);
        }
        softmax(columns);
        for (k, column) in columns.iter().enumerate() {
            out.iter_mut().skip(k).step_by(classes).zip(column.to_array()).for_each(|(out, p)| *out = p);
        }
    }
}

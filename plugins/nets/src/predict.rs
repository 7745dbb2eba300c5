//! Class probabilities of trained networks at many rows.

use jointly_sdk::{Failure, Matrix};

use crate::network::{Network, Values, stride};
use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// Rows that pass through the network together: their values stay in the first-level cache.
const BLOCK: usize = 64;

/// The softmax of the sum of the networks' outputs at every row: `out[t * classes + k]`.
///
/// The probabilities of a row have the same bits whatever the other rows are.
///
/// # Errors
///
/// Inputs that do not have as many columns as the networks have inputs.
pub fn predict(networks: &[&Network], inputs: &Matrix, out: &mut [f32]) -> Result<(), Failure> {
    let Some(first) = networks.first() else {
        return Err(Failure::Internal("no network to predict with".into()));
    };
    let (dim, classes) = (first.inputs(), first.outputs());
    if inputs.cols() != dim {
        return Err(Failure::Internal(format!("inputs have {} columns; the task has {dim}", inputs.cols())));
    }
    let mut values: Vec<Values> = networks.iter().map(|network| Values::new(network, BLOCK)).collect();
    let mut columns = vec![Lanes::splat(0.0); classes];
    let stride = stride(classes) * LANES;
    for (inputs, out) in inputs.values().chunks(BLOCK * dim).zip(out.chunks_mut(BLOCK * classes)) {
        let rows = out.len() / classes;
        for (network, values) in networks.iter().zip(&mut values) {
            network.forward(inputs, dim, rows, values);
        }
        for (at, out) in out.chunks_mut(LANES * classes).enumerate() {
            columns.fill(Lanes::splat(0.0));
            for values in &mut values {
                // Rows past the last one are from an earlier block: computed, but not written.
                let outputs = &values.outputs()[at * LANES * stride..][..LANES * stride];
                for (k, sum) in columns.iter_mut().enumerate() {
                    *sum = *sum + column(outputs, stride, k);
                }
            }
            softmax(&mut columns);
            for (k, column) in columns.iter().enumerate() {
                out.iter_mut().skip(k).step_by(classes).zip(column.to_array()).for_each(|(out, p)| *out = p);
            }
        }
    }
    Ok(())
}

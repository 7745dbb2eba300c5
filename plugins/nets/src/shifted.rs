//! Outputs of networks at many rows, and class probabilities where something else is added to the logits.

use crate::network::{Network, Values, stride};
use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// Rows that pass through a network together.
const BLOCK: usize = 64;

/// The network's outputs at every row of inputs, side by side: `out[t * outputs + k]`.
pub fn outputs(network: &Network, inputs: &[f32]) -> Vec<f32> {
    let (dim, classes) = (network.inputs(), network.outputs());
    let rows = inputs.len() / dim;
    let mut values = Values::new(network, BLOCK.min(rows));
    let mut out = Vec::with_capacity(rows * classes);
    for inputs in inputs.chunks(BLOCK * dim) {
        let rows = inputs.len() / dim;
        network.forward(inputs, dim, rows, &mut values);
        for row in values.outputs().chunks_exact(stride(classes) * LANES).take(rows) {
            out.extend_from_slice(&row[..classes]);
        }
    }
    out
}

/// The softmax of the network's outputs plus `shifts[t * classes + k]`, at every row: `out[t * classes + k]`.
///
/// The probabilities of a row have the same bits whatever the other rows are.
pub fn predict_shifted(network: &Network, inputs: &[f32], shifts: &[f32], out: &mut [f32]) {
    let (dim, classes) = (network.inputs(), network.outputs());
    let mut values = Values::new(network, BLOCK);
    let mut columns = vec![Lanes::splat(0.0); classes];
    let stride = stride(classes) * LANES;
    let blocks = inputs.chunks(BLOCK * dim).zip(shifts.chunks(BLOCK * classes)).zip(out.chunks_mut(BLOCK * classes));
    for ((inputs, shifts), out) in blocks {
        network.forward(inputs, dim, out.len() / classes, &mut values);
        let vectors = out.chunks_mut(LANES * classes).zip(shifts.chunks(LANES * classes)).enumerate();
        for (at, (out, shifts)) in vectors {
            // Rows past the last one are from an earlier block: computed, but not written.
            let outputs = &values.outputs()[at * LANES * stride..][..LANES * stride];
            for (k, sum) in columns.iter_mut().enumerate() {
                *sum = column(outputs, stride, k) + column(shifts, classes, k);
            }
            softmax(&mut columns);
            for (k, column) in columns.iter().enumerate() {
                out.iter_mut().skip(k).step_by(classes).zip(column.to_array()).for_each(|(out, p)| *out = p);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, Rng};

    use super::*;
    use crate::{FirstBiases, predict};

    #[test]
    fn a_shift_by_another_networks_outputs_is_their_sum() {
        let mut rng = Rng::new(3, 0);
        let network = Network::new(&[4, 9, 3], FirstBiases::Normal, &mut rng);
        let other = Network::new(&[4, 3], FirstBiases::Normal, &mut rng);
        for rows in [1, 7, 64, 150] {
            let inputs = Matrix::new(rows, 4, (0..rows * 4).map(|_| rng.normal()).collect()).unwrap();
            let mut expected = vec![0.0; rows * 3];
            predict(&[&network, &other], &inputs, &mut expected).unwrap();
            let mut out = vec![0.0; rows * 3];
            predict_shifted(&network, inputs.values(), &outputs(&other, inputs.values()), &mut out);
            assert_eq!(out, expected);
        }
    }
}

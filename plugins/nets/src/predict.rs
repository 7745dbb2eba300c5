//! Outputs and class probabilities of networks at many rows.

use jointly_sdk::{Failure, Matrix};

use crate::layout::stride;
use crate::network::{Network, Values};
use crate::order::snake;
use crate::pieces::{MAX_INPUTS, Pieces};
use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// Rows that pass through the network together; their values stay in the first-level cache.
const BLOCK: usize = 64;

/// Returns the network's outputs at every row of inputs, side by side: `out[t * outputs + k]`.
pub fn outputs(network: &Network, inputs: &[f32]) -> Vec<f32> {
    let (dim, width) = (network.inputs(), network.outputs());
    let rows = inputs.len() / dim;
    let mut values = Values::new(network, BLOCK.min(rows));
    let mut out = Vec::with_capacity(rows * width);
    for inputs in inputs.chunks(BLOCK * dim) {
        let rows = inputs.len() / dim;
        network.forward(inputs, dim, rows, &mut values);
        for row in values.outputs().chunks_exact(stride(width) * LANES).take(rows) {
            out.extend_from_slice(&row[..width]);
        }
    }
    out
}

/// Rows of inputs, ordered for networks to predict at them one after the other.
///
/// With at most two inputs, consecutive rows are close to each other, so that [`Pieces`] change little from one to the
/// next. The order is found once for all networks.
#[derive(Debug)]
pub struct Rows {
    /// The number of columns.
    dim: usize,
    inputs: Vec<f32>,
    /// The rows as points, if there are few inputs; a missing coordinate is zero.
    points: Vec<[f32; MAX_INPUTS]>,
    /// The place of each row before it was ordered.
    places: Vec<u32>,
}

impl Rows {
    /// Orders the rows.
    pub fn of(inputs: &Matrix) -> Self {
        let dim = inputs.cols();
        let point = |row: usize| std::array::from_fn(|i| inputs.row(row).get(i).copied().unwrap_or(0.0));
        let few = dim <= MAX_INPUTS;
        let mut points: Vec<_> = if few { (0..inputs.rows()).map(point).collect() } else { Vec::new() };
        let places = if few { snake(&points) } else { (0..inputs.rows() as u32).collect() };
        if few {
            points = places.iter().map(|place| points[*place as usize]).collect();
        }
        let inputs = places.iter().flat_map(|place| inputs.row(*place as usize)).copied().collect();
        Self { dim, inputs, points, places }
    }
}

/// Writes the softmax of the sum of the networks' outputs at every row: `out[t * classes + k]`, in the order of the
/// matrix that the rows came from.
///
/// The bits of a row's probabilities do not depend on the other rows.
///
/// # Errors
///
/// Fails if there is no network, or if the number of columns is not the networks' number of inputs.
pub fn predict(networks: &[&Network], rows: &Rows, out: &mut [f32]) -> Result<(), Failure> {
    let Some(first) = networks.first() else {
        return Err(Failure::Internal("no network to predict with".into()));
    };
    let dim = check(first, rows.dim)?;
    let mut networks: Vec<Sampled<'_>> = networks.iter().map(|network| Sampled::in_pieces(network)).collect();
    let mut columns = vec![Lanes::splat(0.0); first.outputs()];
    for (place, places) in rows.places.chunks(BLOCK).enumerate() {
        let inputs = &rows.inputs[place * BLOCK * dim..][..places.len() * dim];
        let points = rows.points.chunks(BLOCK).nth(place).unwrap_or_default();
        sum(&mut networks, Block { inputs, points, shifts: &[] }, &mut columns, |row| places[row] as usize, out);
    }
    Ok(())
}

/// Hands each draw its part of `out`, in order.
///
/// # Errors
///
/// Returns the first error of `probs`.
pub fn each_draw(
    draws: &[u64],
    out: &mut [f32],
    mut probs: impl FnMut(u64, &mut [f32]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if out.is_empty() {
        return Ok(());
    }
    let block = out.len() / draws.len();
    draws.iter().zip(out.chunks_exact_mut(block)).try_for_each(|(draw, out)| probs(*draw, out))
}

/// Writes the softmax of the network's outputs plus `shifts[t * classes + k]`, at every row: `out[t * classes + k]`.
///
/// The bits of a row's probabilities do not depend on the other rows. The network's outputs have the bits of
/// [`outputs`], from which a shift may have come.
///
/// # Errors
///
/// Fails if the number of columns is not the network's number of inputs.
pub fn predict_shifted(network: &Network, inputs: &Matrix, shifts: &[f32], out: &mut [f32]) -> Result<(), Failure> {
    check(network, inputs.cols())?;
    let (dim, classes) = (network.inputs(), network.outputs());
    let mut networks = [Sampled::whole(network)];
    let mut columns = vec![Lanes::splat(0.0); classes];
    let blocks = inputs.values().chunks(BLOCK * dim).zip(shifts.chunks(BLOCK * classes));
    for ((inputs, shifts), out) in blocks.zip(out.chunks_mut(BLOCK * classes)) {
        sum(&mut networks, Block { inputs, points: &[], shifts }, &mut columns, |row| row, out);
    }
    Ok(())
}

/// Checks the number of columns and returns the number of inputs.
fn check(network: &Network, cols: usize) -> Result<usize, Failure> {
    let dim = network.inputs();
    if cols != dim {
        return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
    }
    Ok(dim)
}

/// Writes the softmax of the sum of the networks' outputs and the shifts: row r of the block to row `place(r)`.
/// `columns` is a scratch buffer of one vector per class.
fn sum(
    networks: &mut [Sampled<'_>],
    block: Block<'_>,
    columns: &mut [Lanes],
    place: impl Fn(usize) -> usize,
    out: &mut [f32],
) {
    let network = networks[0].network;
    let (classes, rows) = (network.outputs(), block.inputs.len() / network.inputs());
    let stride = stride(classes) * LANES;
    for network in networks.iter_mut() {
        network.forward(block, rows);
    }
    for from in (0..rows).step_by(LANES) {
        let to = rows.min(from + LANES);
        columns.fill(Lanes::splat(0.0));
        for network in networks.iter_mut() {
            // Rows past the last one are from an earlier block; they are computed, but not written.
            let outputs = &network.values.outputs()[from * stride..][..LANES * stride];
            for (k, sum) in columns.iter_mut().enumerate() {
                *sum = *sum + column(outputs, stride, k);
            }
        }
        if !block.shifts.is_empty() {
            let shifts = &block.shifts[from * classes..to * classes];
            for (k, sum) in columns.iter_mut().enumerate() {
                *sum = *sum + column(shifts, classes, k);
            }
        }
        softmax(columns);
        for (k, column) in columns.iter().enumerate() {
            for (row, p) in (from..to).zip(column.to_array()) {
                out[place(row) * classes + k] = p;
            }
        }
    }
}

/// Rows that pass through the networks together.
#[derive(Clone, Copy)]
struct Block<'a> {
    inputs: &'a [f32],
    /// The rows as points, if there are few inputs.
    points: &'a [[f32; MAX_INPUTS]],
    /// The shifts of the rows' logits; empty if there are none.
    shifts: &'a [f32],
}

/// A network with scratch buffers for its values.
struct Sampled<'a> {
    network: &'a Network,
    pieces: Option<Pieces>,
    values: Values,
}

impl<'a> Sampled<'a> {
    fn whole(network: &'a Network) -> Self {
        Self { network, pieces: None, values: Values::new(network, BLOCK) }
    }

    /// Computes the first layers by [`Pieces`] if possible, which is faster and rounds differently.
    fn in_pieces(network: &'a Network) -> Self {
        Self { pieces: Pieces::new(network), ..Self::whole(network) }
    }

    fn forward(&mut self, block: Block<'_>, rows: usize) {
        if let Some(pieces) = &mut self.pieces {
            pieces.fill(block.points, self.values.layer(1));
            pieces.above().forward_from(2, &[], 0, rows, &mut self.values);
        } else {
            self.network.forward(block.inputs, self.network.inputs(), rows, &mut self.values);
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::FirstBiases;

    #[test]
    fn a_shift_by_another_networks_outputs_is_their_sum() {
        let mut rng = Rng::new(3, 0);
        let network = Network::new(&[4, 9, 3], FirstBiases::Normal, &mut rng);
        let other = Network::new(&[4, 3], FirstBiases::Normal, &mut rng);
        for rows in [1, 7, 64, 150] {
            let inputs = Matrix::new(rows, 4, (0..rows * 4).map(|_| rng.normal()).collect()).unwrap();
            let mut expected = vec![0.0; rows * 3];
            predict(&[&network, &other], &Rows::of(&inputs), &mut expected).unwrap();
            let mut out = vec![0.0; rows * 3];
            predict_shifted(&network, &inputs, &outputs(&other, inputs.values()), &mut out).unwrap();
            assert_eq!(out, expected);
        }
        let narrow = Matrix::new(1, 3, vec![0.0; 3]).unwrap();
        assert!(predict_shifted(&network, &narrow, &[0.0; 3], &mut [0.0; 3]).is_err());
    }
}

//! Class probabilities of trained networks at many rows.

use jointly_sdk::{Failure, Matrix};

use crate::network::{Network, Values, stride};
use crate::order::snake;
use crate::pieces::{MAX_INPUTS, Pieces};
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
    let mut networks: Vec<Sampled<'_>> = networks.iter().map(|network| Sampled::new(network)).collect();
    let points = if dim <= MAX_INPUTS { points(inputs) } else { Vec::new() };
    let order = if dim <= MAX_INPUTS { snake(&points) } else { (0..inputs.rows() as u32).collect() };
    let mut block = Block::default();
    let mut columns = vec![Lanes::splat(0.0); classes];
    let stride = stride(classes) * LANES;
    for places in order.chunks(BLOCK) {
        block.gather(inputs, &points, places);
        for network in &mut networks {
            network.forward(&block, dim, places.len());
        }
        for (at, places) in places.chunks(LANES).enumerate() {
            columns.fill(Lanes::splat(0.0));
            for network in &mut networks {
                // Rows past the last one are from an earlier block: computed, but not written.
                let outputs = &network.values.outputs()[at * LANES * stride..][..LANES * stride];
                for (k, sum) in columns.iter_mut().enumerate() {
                    *sum = *sum + column(outputs, stride, k);
                }
            }
            softmax(&mut columns);
            for (k, column) in columns.iter().enumerate() {
                for (place, p) in places.iter().zip(column.to_array()) {
                    out[*place as usize * classes + k] = p;
                }
            }
        }
    }
    Ok(())
}

/// The rows as points in the plane; a missing coordinate is zero.
fn points(inputs: &Matrix) -> Vec<[f32; MAX_INPUTS]> {
    let rows = inputs.values().chunks_exact(inputs.cols());
    rows.map(|row| std::array::from_fn(|i| row.get(i).copied().unwrap_or(0.0))).collect()
}

/// Rows that pass through the networks together.
#[derive(Default)]
struct Block {
    inputs: Vec<f32>,
    points: Vec<[f32; MAX_INPUTS]>,
}

impl Block {
    fn gather(&mut self, inputs: &Matrix, points: &[[f32; MAX_INPUTS]], places: &[u32]) {
        self.inputs.clear();
        self.points.clear();
        for place in places {
            self.inputs.extend_from_slice(inputs.row(*place as usize));
            self.points.extend(points.get(*place as usize));
        }
    }
}

/// A network with the room that its values take.
struct Sampled<'a> {
    network: &'a Network,
    pieces: Option<Pieces>,
    values: Values,
}

impl<'a> Sampled<'a> {
    fn new(network: &'a Network) -> Self {
        Self { network, pieces: Pieces::new(network), values: Values::new(network, BLOCK) }
    }

    fn forward(&mut self, block: &Block, dim: usize, rows: usize) {
        if let Some(pieces) = &mut self.pieces {
            pieces.fill(&block.points, self.values.layer(1));
            pieces.above().forward_from(2, &[], 0, rows, &mut self.values);
        } else {
            self.network.forward(&block.inputs, dim, rows, &mut self.values);
        }
    }
}

//! A layer with parameters in a noisy pass: forward, backward, and with flipped signs.

use crate::convolution::{Convolution, Images, Room};
use crate::layout::{Block, stride};
use crate::product::Target;
use crate::simd::{LANES, Lanes, Right, floats, floats_mut, transpose, vectors};
use crate::sparse::{Pattern, Rectified};

/// A layer with parameters.
#[derive(Debug)]
pub(super) enum Linear {
    /// A convolution, and the distance between its images in numbers.
    Convolution(Convolution, usize),
    Dense(Block),
}

impl Linear {
    /// The number of vectors in a row of the layer's input.
    pub(super) fn read(&self) -> usize {
        match self {
            Self::Convolution(_, stride) => stride / LANES,
            Self::Dense(block) => stride(block.inputs),
        }
    }

    /// The number of vectors in a row of the layer's output.
    pub(super) fn written(&self) -> usize {
        match self {
            Self::Convolution(convolution, _) => convolution.output().pixels() * vectors(convolution.output().channels),
            Self::Dense(block) => stride(block.outputs),
        }
    }

    /// The numbers of signs for a row of inputs and for a row of outputs; the last sign of a dense row is that of the
    /// bias.
    pub(super) fn signs(&self) -> [usize; 2] {
        match self {
            Self::Convolution(convolution, _) => [convolution.channels(), convolution.output().channels],
            Self::Dense(block) => [block.inputs + 1, block.outputs + 1],
        }
    }

    pub(super) fn forward(
        &self,
        parameters: &[Lanes],
        read: &[Lanes],
        rows: usize,
        (room, pattern): (&mut Room, &mut Pattern),
        out: &mut [Lanes],
        rectified: bool,
    ) {
        match self {
            Self::Convolution(convolution, stride) => {
                let images = Images { values: floats(read), stride: *stride, count: rows };
                convolution.forward(parameters, images, room, out, rectified);
            }
            Self::Dense(block) => {
                let width = vectors(block.outputs);
                let (weights, biases) = parameters.split_at(block.inputs * width);
                let left = Rectified { values: read, stride: stride(block.inputs) };
                let right = Right { values: weights, stride: width };
                let target = Target { out, stride: stride(block.outputs), rows, width };
                let finish = |sum: Lanes, _| if rectified { sum.relu() } else { sum };
                pattern.product(left, right, block.inputs, Some(biases), target, finish);
            }
        }
    }

    pub(super) fn backward(
        &self,
        parameters: &[Lanes],
        read: &[Lanes],
        delta: &[Lanes],
        rows: usize,
        (work, b): (&mut Work, usize),
        (gradient, by_read): (&mut [Lanes], Option<&mut [Lanes]>),
    ) {
        match self {
            Self::Convolution(convolution, stride) => {
                let images = Images { values: floats(read), stride: *stride, count: rows };
                convolution.backward(parameters, images, delta, &mut work.room, gradient, by_read.map(floats_mut));
            }
            Self::Dense(block) => {
                let (width, inputs) = (vectors(block.outputs), vectors(block.inputs));
                let delta = Rectified { values: delta, stride: stride(block.outputs) };
                let right = Right { values: delta.values, stride: delta.stride };
                let left = Rectified { values: read, stride: stride(block.inputs) };
                let target = Target { out: gradient, stride: width, rows: block.inputs + 1, width };
                work.patterns[b].transposed_product(left, right, rows, target);
                let Some(by_read) = by_read else { return };
                let transposed = &mut work.transposed[..block.outputs * inputs];
                transpose(parameters, block.inputs, block.outputs, transposed);
                let right = Right { values: transposed, stride: inputs };
                let target = Target { out: by_read, stride: stride(block.inputs), rows, width: inputs };
                work.deltas.product(delta, right, block.outputs, None, target, |sum, _| sum);
            }
        }
    }

    /// Writes the layer's input times its signs. `own` marks the network's own inputs, whose pixels are not padded.
    pub(super) fn flip_read(&self, own: bool, read: &[Lanes], signs: &[Lanes], rows: usize, out: &mut [Lanes]) {
        match self {
            Self::Convolution(convolution, stride) if own => {
                let channels = convolution.channels();
                let signs = floats(signs).chunks_exact(channels.next_multiple_of(LANES));
                let pairs = floats(read).chunks_exact(*stride).zip(floats_mut(out).chunks_exact_mut(*stride));
                for ((read, out), signs) in pairs.zip(signs).take(rows) {
                    let values = read.iter().zip(signs[..channels].iter().cycle());
                    out.iter_mut().zip(values).for_each(|(out, (value, sign))| *out = value * sign);
                }
            }
            _ => {
                let width = vectors(self.signs()[0]);
                let pairs = read.chunks_exact(self.read()).zip(out.chunks_exact_mut(self.read()));
                for ((read, out), signs) in pairs.zip(signs.chunks_exact(width)).take(rows) {
                    for (read, out) in read.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                        let values = read.iter().zip(signs);
                        out.iter_mut().zip(values).for_each(|(out, (value, sign))| *out = *value * *sign);
                    }
                }
            }
        }
    }

    /// Multiplies the layer's output, or the gradient with respect to it, by its signs.
    pub(super) fn flip_written(&self, sums: &mut [Lanes], signs: &[Lanes], rows: usize) {
        let width = vectors(self.signs()[1]);
        for (row, signs) in sums.chunks_exact_mut(self.written()).zip(signs.chunks_exact(width)).take(rows) {
            for pixel in row.chunks_exact_mut(width) {
                pixel.iter_mut().zip(signs).for_each(|(sum, sign)| *sum = *sum * *sign);
            }
        }
    }
}

/// Scratch buffers that layers share, and patterns that the backward pass takes from the forward pass.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) room: Room,
    /// The positions of the non-zero inputs of each block.
    pub(super) patterns: Vec<Pattern>,
    pub(super) deltas: Pattern,
    pub(super) transposed: Vec<Lanes>,
    /// The gradients with respect to a layer's input: through the parameters and through the deviations.
    pub(super) slopes: [Vec<Lanes>; 2],
    /// A layer's input and output with flipped signs.
    pub(super) flipped: [Vec<Lanes>; 2],
}

//! A network computed by plain loops in double precision, as the reference for tests of the kernels.

use crate::convolution::Image;
use crate::front::Layer;
use crate::network::Network;
use crate::simd::{LANES, vectors};

/// Returns the outputs at one row of inputs of a network with the shape of `network` and the given parameters. The
/// inputs of dense layer d are multiplied by `masks[d]`; a mask that is missing or empty keeps everything.
pub(crate) fn outputs(network: &Network, parameters: &[f64], masks: &[Vec<f64>], inputs: &[f64]) -> Vec<f64> {
    let blocks = network.blocks();
    let mut values = inputs.to_vec();
    let mut b = 0;
    let mut shape = network.front().map(crate::Front::image);
    for layer in network.front().into_iter().flat_map(|front| &front.layers) {
        let (input, output) = (shape.unwrap(), layer.output());
        values = match layer {
            Layer::Convolution(convolution, _) => {
                let kernel = input.height - output.height + 1;
                assert_eq!(convolution.area(), kernel * kernel);
                let block = blocks[b];
                b += 1;
                let at = |i: usize, f: usize| parameters[block.row(i).start + f];
                convolve(&values, input, (output.channels, kernel, 1), at).into_iter().map(|sum| sum.max(0.0)).collect()
            }
            Layer::Pooling(_) => pool(&values, input, input.height / output.height),
        };
        shape = Some(output);
    }
    for (d, block) in blocks[b..].iter().enumerate() {
        if let Some(mask) = masks.get(d).filter(|mask| !mask.is_empty()) {
            values.iter_mut().zip(mask).for_each(|(value, factor)| *value *= factor);
        }
        let last = b + d + 1 == blocks.len();
        let sum = |j: usize| {
            let terms = values.iter().enumerate().map(|(i, value)| value * parameters[block.row(i).start + j]);
            parameters[block.row(block.inputs).start + j] + terms.sum::<f64>()
        };
        values = (0..block.outputs).map(sum).map(|sum| if last { sum } else { sum.max(0.0) }).collect();
    }
    values
}

/// Returns the sums of a convolution with the given number of filters, kernel size and stride. `at(i, f)` is the weight of number i of a patch for filter f, or the bias if i is
/// past the patch.
pub(crate) fn convolve(
    values: &[f64],
    Image { height, width, channels }: Image,
    (filters, kernel, stride): (usize, usize, usize),
    at: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let mut out = Vec::new();
    for y in (0..=height - kernel).step_by(stride) {
        for x in (0..=width - kernel).step_by(stride) {
            for f in 0..filters {
                let mut sum = at(kernel * kernel * channels, f);
                for i in 0..kernel {
                    for j in 0..kernel {
                        for c in 0..channels {
                            let value = values[((y + i) * width + x + j) * channels + c];
                            sum += value * at((i * kernel + j) * channels + c, f);
                        }
                    }
                }
                out.push(sum);
            }
        }
    }
    out
}

/// Returns the largest number of each channel in each square.
pub(crate) fn pool(values: &[f64], Image { height, width, channels }: Image, size: usize) -> Vec<f64> {
    let mut out = Vec::new();
    for y in 0..height / size {
        for x in 0..width / size {
            for c in 0..channels {
                let square = (0..size * size).map(|at| {
                    let (i, j) = (at / size, at % size);
                    values[((y * size + i) * width + x * size + j) * channels + c]
                });
                out.push(square.fold(f64::NEG_INFINITY, f64::max));
            }
        }
    }
    out
}

/// Removes the padding that follows each `width` numbers.
pub(crate) fn unpadded(numbers: &[f32], width: usize) -> Vec<f64> {
    let rows = numbers.chunks_exact(vectors(width) * LANES);
    rows.flat_map(|row| row[..width].iter().map(|value| f64::from(*value))).collect()
}

/// Pads each `width` numbers to whole vectors.
pub(crate) fn padded(numbers: &[f32], width: usize) -> Vec<crate::simd::Lanes> {
    let mut out = vec![crate::simd::Lanes::splat(0.0); numbers.len() / width * vectors(width)];
    let rows = crate::simd::floats_mut(&mut out).chunks_exact_mut(vectors(width) * LANES);
    rows.zip(numbers.chunks_exact(width)).for_each(|(to, from)| to[..width].copy_from_slice(from));
    out
}

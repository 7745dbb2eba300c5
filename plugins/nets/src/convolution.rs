//! A convolution: applies the same weights to every patch of an image, by products of blocks of patches that stay in
//! the cache.

use std::ops::Range;

use crate::product::Target;
use crate::simd::{LANES, Lanes, Right, floats, floats_mut, transpose, vectors};
use crate::sparse::{Pattern, Rectified};

/// Patches that are multiplied together; they, their gradient and the weights fit into the second-level cache.
const BLOCK: usize = 64;

/// The shape of an image. Its numbers are stored row by row and pixel by pixel, with the channels of a pixel side by
/// side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// Numbers per pixel.
    pub channels: usize,
}

impl Image {
    /// The number of pixels of an image.
    pub fn pixels(self) -> usize {
        self.height * self.width
    }

    /// The number of values of an image, without padding.
    pub fn numbers(self) -> usize {
        self.pixels() * self.channels
    }
}

/// A batch of images in one slice, `stride` numbers apart.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// The numbers of all images.
    pub values: &'a [f32],
    /// Distance from the start of one image to the next.
    pub stride: usize,
    /// The number of images.
    pub count: usize,
}

/// A convolution with square filters and no padding, whose stride is one unless [`strided`](Self::strided) says
/// otherwise.
///
/// # Formula
///
/// `out[y][x][f] = b[f] + sum over i, j, c of w[(i * kernel + j) * channels + c][f] * in[s y + i][s x + j][c]` for the
/// stride s and for i and j below the kernel size, so that the output has kernel - 1 fewer rows and columns if s is one. The parameters are those of a dense
/// layer whose inputs are a patch: a row of filters for each of its numbers, then a row of biases, each padded to whole
/// vectors. Each output is a chain of multiply-adds in the order of that sum, whatever the other images are.
#[derive(Clone, Debug)]
pub struct Convolution {
    input: Image,
    /// Distance from one pixel of the input to the next.
    pixel: usize,
    filters: usize,
    kernel: usize,
    stride: usize,
    /// Offsets of the contiguous pieces of a patch from its first number, and the length of a piece.
    pieces: Vec<usize>,
    piece: usize,
}

impl Convolution {
    /// Makes a convolution of images whose pixels are `pixel` numbers apart. Returns `None` if a filter does not fit
    /// into an image, if there are no filters or channels, if the kernel size is zero, or if `pixel` is below the
    /// number of channels.
    pub fn new(input: Image, pixel: usize, filters: usize, kernel: usize) -> Option<Self> {
        let Image { height, width, channels } = input;
        if [filters, kernel, channels].contains(&0) || kernel > height || kernel > width || pixel < channels {
            return None;
        }
        let row = width * pixel;
        let (piece, pieces) = if pixel == channels {
            (kernel * channels, (0..kernel).map(|i| i * row).collect())
        } else {
            (channels, (0..kernel * kernel).map(|at| at / kernel * row + at % kernel * pixel).collect())
        };
        Some(Self { input, pixel, filters, kernel, stride: 1, pieces, piece })
    }

    /// Applies the filters at every `stride`-th pixel of every `stride`-th row only.
    ///
    /// # Panics
    ///
    /// Panics if the stride is zero.
    #[must_use]
    pub fn strided(self, stride: usize) -> Self {
        assert!(stride > 0, "filters move from pixel to pixel");
        Self { stride, ..self }
    }

    /// The shape of the output; each of its pixels is padded to whole vectors.
    pub fn output(&self) -> Image {
        let side = |side: usize| (side - self.kernel) / self.stride + 1;
        Image { height: side(self.input.height), width: side(self.input.width), channels: self.filters }
    }

    /// The number of values in a patch.
    pub fn depth(&self) -> usize {
        self.kernel * self.kernel * self.input.channels
    }

    /// The number of channels of an input pixel.
    pub fn channels(&self) -> usize {
        self.input.channels
    }

    /// The number of pixels that a filter covers.
    pub fn area(&self) -> usize {
        self.kernel * self.kernel
    }

    /// The number of vectors of parameters.
    pub(crate) fn len(&self) -> usize {
        (self.depth() + 1) * self.width()
    }

    /// The number of vectors in a pixel of the output, and in a row of parameters.
    fn width(&self) -> usize {
        vectors(self.filters)
    }

    /// Computes the outputs at every image, pixel by pixel; if `rectified`, negative outputs become zero.
    ///
    /// # Panics
    ///
    /// Panics if `images`, `parameters` or `out` are too short for the images.
    pub fn forward(
        &self,
        parameters: &[Lanes],
        images: Images<'_>,
        room: &mut Room,
        out: &mut [Lanes],
        rectified: bool,
    ) {
        let (depth, width, stride) = (self.depth(), self.width(), vectors(self.depth()));
        let (weights, biases) = parameters.split_at(depth * width);
        let right = Right { values: weights, stride: width };
        let finish = |sum: Lanes, _| if rectified { sum.relu() } else { sum };
        let pixels = images.count * self.output().pixels();
        let Room { patches, pattern, .. } = room;
        fit(patches, BLOCK * stride);
        for from in (0..pixels).step_by(BLOCK) {
            let to = pixels.min(from + BLOCK);
            self.gather(images, from..to, patches);
            let left = Rectified { values: patches, stride };
            let target = Target { out: &mut out[from * width..to * width], stride: width, rows: to - from, width };
            pattern.product(left, right, depth, Some(biases), target, finish);
        }
    }

    /// Replaces `gradient` by the gradient with respect to the parameters, and `inputs` by the gradient with respect to
    /// the images, in the layout of the images, given the gradient `delta` with respect to the outputs.
    ///
    /// # Panics
    ///
    /// Panics under the conditions of [`forward`](Self::forward).
    pub fn backward(
        &self,
        parameters: &[Lanes],
        images: Images<'_>,
        delta: &[Lanes],
        room: &mut Room,
        gradient: &mut [Lanes],
        mut inputs: Option<&mut [f32]>,
    ) {
        let (depth, width, stride, filters) = (self.depth(), self.width(), vectors(self.depth()), self.filters);
        let pixels = images.count * self.output().pixels();
        let Room { patches, weights, sums, deltas, .. } = room;
        fit(patches, BLOCK * stride);
        fit(weights, filters * stride);
        fit(sums, filters * stride);
        if let Some(inputs) = inputs.as_deref_mut() {
            inputs.fill(0.0);
            transpose(parameters, depth, filters, weights);
        }
        let (slopes, biases) = gradient.split_at_mut(depth * width);
        biases.fill(Lanes::splat(0.0));
        for from in (0..pixels).step_by(BLOCK) {
            let to = pixels.min(from + BLOCK);
            let delta = &delta[from * width..to * width];
            for pixel in delta.chunks_exact(width) {
                biases.iter_mut().zip(pixel).for_each(|(bias, value)| *bias = *bias + *value);
            }
            // With the gradient on the left, its many zeros are skipped in both products.
            self.gather(images, from..to, patches);
            let left = Rectified { values: delta, stride: width };
            let right = Right { values: patches, stride };
            let target = Target { out: sums, stride, rows: filters, width: stride };
            deltas.add_transposed_product(left, right, to - from, target);
            if let Some(inputs) = inputs.as_deref_mut() {
                let right = Right { values: weights, stride };
                let target = Target { out: patches, stride, rows: to - from, width: stride };
                deltas.product(left, right, filters, None, target, |sum, _| sum);
                self.scatter(images.stride, from..to, patches, inputs);
            }
        }
        transpose(sums, filters, depth, slopes);
    }

    /// Returns where the patches of these output pixels start in the images.
    fn places(&self, stride: usize, pixels: Range<usize>) -> impl Iterator<Item = usize> {
        let Image { height, width, .. } = self.output();
        let row = self.stride * self.input.width * self.pixel;
        let pixel = self.stride * self.pixel;
        pixels.map(move |at| {
            let (y, x) = (at / width, at % width);
            y / height * stride + y % height * row + x * pixel
        })
    }

    /// Copies the patches of these output pixels, one per row.
    fn gather(&self, images: Images<'_>, pixels: Range<usize>, patches: &mut [Lanes]) {
        let rows = floats_mut(patches).chunks_exact_mut(vectors(self.depth()) * LANES);
        let rows = rows.zip(self.places(images.stride, pixels));
        match self.piece {
            // A short copy whose length the compiler knows needs no function call.
            1 => rows.for_each(|(row, from)| self.copy::<1>(&images.values[from..], row)),
            3 => rows.for_each(|(row, from)| self.copy::<3>(&images.values[from..], row)),
            5 => rows.for_each(|(row, from)| self.copy::<5>(&images.values[from..], row)),
            9 => rows.for_each(|(row, from)| self.copy::<9>(&images.values[from..], row)),
            piece => rows.for_each(|(row, from)| {
                for (to, start) in row.chunks_exact_mut(piece).zip(&self.pieces) {
                    to.copy_from_slice(&images.values[from + start..][..piece]);
                }
            }),
        }
    }

    #[inline]
    fn copy<const N: usize>(&self, image: &[f32], row: &mut [f32]) {
        let (row, _) = row.as_chunks_mut::<N>();
        for (to, start) in row.iter_mut().zip(&self.pieces) {
            *to = *image[*start..].first_chunk().expect("a patch lies inside its image");
        }
    }

    /// Adds the patches of these output pixels to the places from which [`gather`](Self::gather) copies.
    fn scatter(&self, stride: usize, pixels: Range<usize>, patches: &[Lanes], images: &mut [f32]) {
        let rows = floats(patches).chunks_exact(vectors(self.depth()) * LANES);
        for (row, from) in rows.zip(self.places(stride, pixels)) {
            for (piece, start) in row.chunks_exact(self.piece).zip(&self.pieces) {
                let to = images[from + start..][..self.piece].iter_mut();
                to.zip(piece).for_each(|(to, value)| *to += value);
            }
        }
    }
}

/// Scratch buffers that convolutions share, one at a time.
#[derive(Debug, Default)]
pub struct Room {
    patches: Vec<Lanes>,
    /// The transposed weights.
    weights: Vec<Lanes>,
    /// The transposed gradient with respect to the weights.
    sums: Vec<Lanes>,
    /// The positions of non-zero numbers, in patches and in gradients.
    pattern: Pattern,
    deltas: Pattern,
}

/// Resizes the buffer to `len` zero vectors.
fn fit(vectors: &mut Vec<Lanes>, len: usize) {
    vectors.clear();
    vectors.resize(len, Lanes::splat(0.0));
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::plain::{convolve, padded, unpadded};

    /// Tolerance for sums of at most a few hundred products of numbers of order one.
    const TOLERANCE: f64 = 1e-4;

    const COUNT: usize = 3;

    /// Height, width and channels of the images, whether their pixels are padded to whole vectors, number of filters,
    /// kernel size, stride.
    const CASES: [(usize, usize, usize, bool, usize, usize, usize); 11] = [
        (5, 7, 1, false, 4, 3, 1),
        (6, 6, 3, false, 13, 3, 1),
        (4, 9, 2, false, 16, 2, 1),
        (4, 5, 8, true, 2, 1, 1),
        (7, 7, 9, true, 33, 2, 1),
        (9, 11, 16, true, 20, 5, 1),
        (3, 4, 32, true, 64, 3, 1),
        (12, 12, 1, false, 8, 5, 1),
        (10, 9, 16, true, 32, 3, 2),
        (5, 8, 3, false, 6, 3, 2),
        (9, 7, 2, false, 5, 2, 3),
    ];

    fn numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
        (0..count).map(|_| rng.normal()).collect()
    }

    #[test]
    fn outputs_and_gradients_agree_with_plain_loops() {
        for case @ (height, width, channels, is_padded, filters, kernel, step) in CASES {
            let mut rng = Rng::new(9, height as u64);
            let image = Image { height, width, channels };
            let pixel = if is_padded { vectors(channels) * LANES } else { channels };
            let convolution = Convolution::new(image, pixel, filters, kernel).unwrap().strided(step);
            let output = convolution.output();
            let values: Vec<f32> =
                numbers(COUNT * image.numbers(), &mut rng).into_iter().map(|x| x.max(-0.1)).collect();
            let parameters = numbers((convolution.depth() + 1) * filters, &mut rng);
            let parameters_padded = padded(&parameters, filters);
            // Separate the images by a few numbers that must not be read.
            let mut images = Vec::new();
            for image in values.chunks(image.numbers()) {
                if is_padded {
                    images.extend_from_slice(floats(&padded(image, channels)));
                } else {
                    images.extend_from_slice(image);
                }
                images.extend([f32::NAN; LANES]);
            }
            let stride = images.len() / COUNT;
            let given = Images { values: &images, stride, count: COUNT };
            let (mut room, zero) = (Room::default(), Lanes::splat(0.0));
            let out_len = output.pixels() * vectors(filters);
            let mut out = vec![zero; COUNT * out_len];
            convolution.forward(&parameters_padded, given, &mut room, &mut out, false);

            let doubles = |values: &[f32]| -> Vec<f64> { values.iter().map(|value| f64::from(*value)).collect() };
            let (plain_values, plain_parameters) = (doubles(&values), doubles(&parameters));
            let expected: Vec<f64> = plain_values
                .chunks(image.numbers())
                .flat_map(|values| {
                    convolve(values, image, (filters, kernel, step), |i, f| plain_parameters[i * filters + f])
                })
                .collect();
            let close = |found: f64, expected: f64| (found - expected).abs() < TOLERANCE * (1.0 + expected.abs());
            let found = unpadded(floats(&out), filters);
            assert_eq!(found.len(), expected.len());
            found.iter().zip(&expected).for_each(|(found, expected)| assert!(close(*found, *expected), "{case:?}"));

            // Rectified, and one image at a time: the bits must be the same.
            for (i, together) in out.chunks(out_len).enumerate() {
                let alone = Images { values: &images[i * stride..], stride, count: 1 };
                let mut single = vec![zero; out_len];
                convolution.forward(&parameters_padded, alone, &mut room, &mut single, true);
                let rectified: Vec<f32> = floats(together).iter().map(|value| value.max(0.0)).collect();
                assert_eq!(floats(&single), rectified, "{case:?}");
            }

            // A gradient half of which is zero.
            let delta: Vec<f32> = numbers(COUNT * output.numbers(), &mut rng).into_iter().map(|x| x.max(0.0)).collect();
            let delta_padded = padded(&delta, filters);
            let mut gradient = vec![Lanes::splat(f32::NAN); parameters_padded.len()];
            let mut by_inputs = vec![f32::NAN; images.len()];
            let inputs = Some(&mut by_inputs[..]);
            convolution.backward(&parameters_padded, given, &delta_padded, &mut room, &mut gradient, inputs);
            let (gradient, delta) = (unpadded(floats(&gradient), filters), doubles(&delta));
            let mut expected = vec![0.0; gradient.len()];
            let mut expected_inputs = vec![0.0; plain_values.len()];
            for n in 0..COUNT {
                for at in 0..output.numbers() {
                    let (pixel, f) = (at / filters, at % filters);
                    let (y, x) = (pixel / output.width, pixel % output.width);
                    let slope = delta[n * output.numbers() + at];
                    expected[convolution.depth() * filters + f] += slope;
                    for (tap, c) in (0..kernel * kernel).flat_map(|tap| (0..channels).map(move |c| (tap, c))) {
                        let place = ((step * y + tap / kernel) * width + step * x + tap % kernel) * channels + c;
                        let weight = (tap * channels + c) * filters + f;
                        expected[weight] += slope * plain_values[n * image.numbers() + place];
                        expected_inputs[n * image.numbers() + place] += slope * plain_parameters[weight];
                    }
                }
            }
            gradient.iter().zip(&expected).for_each(|(found, expected)| assert!(close(*found, *expected), "{case:?}"));
            let by_inputs: Vec<f64> = by_inputs
                .chunks(stride)
                .flat_map(|image| {
                    let pixels = image[..height * width * pixel].chunks(pixel);
                    pixels.flat_map(|pixel| doubles(&pixel[..channels])).collect::<Vec<_>>()
                })
                .collect();
            by_inputs
                .iter()
                .zip(&expected_inputs)
                .for_each(|(found, expected)| assert!(close(*found, *expected), "{case:?}"));
            assert_eq!(by_inputs.len(), expected_inputs.len());
        }
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let image = Image { height: 4, width: 6, channels: 2 };
        for (pixel, filters, kernel) in [(2, 0, 1), (2, 1, 0), (2, 1, 5), (1, 1, 1)] {
            assert!(Convolution::new(image, pixel, filters, kernel).is_none());
        }
        assert!(Convolution::new(Image { channels: 0, ..image }, 8, 1, 1).is_none());
        assert!(Convolution::new(image, 2, 1, 4).is_some());
    }
}

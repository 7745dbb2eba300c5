//! JPEG: the loss of storing an image as a JPEG file.
//!
//! Entropy coding is lossless and therefore left out. The loss comes from samples of 8 bits, chroma at half the
//! resolution, and the quantised 8 x 8 cosine transform, which is computed in `f64`.
//!
//! Source: ITU-T T.81 (its tables K.1 and K.2), JFIF's colours, and libjpeg for the choices that these leave open: how
//! quality scales the tables, and chroma halved by the mean of four pixels and doubled by weights of 3/4 and 1/4, with
//! its rounding. libjpeg's own transform uses integers, so a few coefficients round to another multiple of their step:
//! its images differ from these by less than a byte on average.

use jointly_core::stream::Stream;

use super::super::border::Border;
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};
use super::color::luma;

/// Quality, from 1 to 100.
const QUALITY: Constants<u32> = Constants { small: [80, 65, 58, 50, 40], large: [25, 18, 15, 10, 7] };
/// The side of a block, in pixels.
const SIDE: usize = 8;
/// A block's values or coefficients, row by row.
type Block = [f64; SIDE * SIDE];

/// The quantisation steps of luma at quality 50, row by row from the lowest frequency.
#[rustfmt::skip]
const LUMA_STEPS: [u32; SIDE * SIDE] = [
    16, 11, 10, 16, 24, 40, 51, 61,
    12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77,
    24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];
/// The quantisation steps of chroma at quality 50.
#[rustfmt::skip]
const CHROMA_STEPS: [u32; SIDE * SIDE] = [
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
];

/// Compresses the image at the severity's quality and decompresses it.
pub(in super::super) fn jpeg(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    compress(image, QUALITY.at(scale, step))
}

fn compress(image: &Pixels, quality: u32) -> Pixels {
    let codec = Codec::new();
    let bytes = |plane: &Plane| plane.map(|x| (x * 255.0).round());
    let (fine, coarse) = (steps(&LUMA_STEPS, quality), steps(&CHROMA_STEPS, quality));
    if image.shape().channels() == 1 {
        return image.map_planes(|plane| codec.code(&bytes(plane), &fine).map(share));
    }
    let [red, green, blue] = [0, 1, 2].map(|channel| bytes(&image.plane(channel)));
    let (height, width) = (red.height(), red.width());
    let at = |plane: &Plane, i: usize, j: usize| plane.at(i, j);
    let bright = |i: usize, j: usize| luma([at(&red, i, j), at(&green, i, j), at(&blue, i, j)]);
    let brightness = codec.code(&Plane::from_fn(height, width, |i, j| bright(i, j).round()), &fine);
    let chroma = |plane: &Plane, range: f64| {
        let difference = |i: usize, j: usize| ((plane.at(i, j) - bright(i, j)) / range + 128.0).round();
        double(&codec.code(&halve(&Plane::from_fn(height, width, difference)), &coarse), height, width)
    };
    let (to_blue, to_red) = (chroma(&blue, 1.772), chroma(&red, 1.402));
    image.map_pixels(|place, pixel| {
        let (y, b, r) = (brightness.values()[place], to_blue.values()[place] - 128.0, to_red.values()[place] - 128.0);
        let colors = [y + 1.402 * r, y - 0.344_136_286 * b - 0.714_136_286 * r, y + 1.772 * b];
        for (x, color) in pixel.iter_mut().zip(colors) {
            *x = share(color);
        }
    })
}

/// Rounds a value to a byte and returns it as a share of white.
fn share(x: f64) -> f64 {
    x.round().clamp(0.0, 255.0) / 255.0
}

/// Returns the steps for a quality: scaled by `50 / q` below 50 and by `2 - q / 50` from 50 on, clamped to 1 to 255.
fn steps(at_fifty: &[u32; SIDE * SIDE], quality: u32) -> Block {
    let percent = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
    at_fifty.map(|step| f64::from(((step * percent + 50) / 100).clamp(1, 255)))
}

/// Returns the mean of each 2 x 2 pixels; an odd last row or column is repeated.
///
/// Means are rounded to bytes: quarters to the nearest, halves down and up alternately.
fn halve(plane: &Plane) -> Plane {
    let near = |i: usize, side: usize| i.min(side - 1);
    Plane::from_fn(plane.height().div_ceil(2), plane.width().div_ceil(2), |i, j| {
        let (rows, cols) = ([2 * i, 2 * i + 1], [2 * j, 2 * j + 1]);
        let pairs = rows.into_iter().flat_map(|i| cols.map(|j| (i, j)));
        let sum: f64 = pairs.map(|(i, j)| plane.at(near(i, plane.height()), near(j, plane.width()))).sum();
        let turn = if j.is_multiple_of(2) { 1.0 } else { 2.0 };
        ((sum + turn) / 4.0).floor()
    })
}

/// Doubles the size: each pixel is 3/4 of the one it lies in and 1/4 of the next nearest, along both axes; rounded to
/// bytes, halves up and down alternately.
fn double(plane: &Plane, height: usize, width: usize) -> Plane {
    Plane::from_fn(height, width, |i, j| {
        let value = plane.bilinear(i as f64 / 2.0 - 0.25, j as f64 / 2.0 - 0.25, Border::Edge);
        // Sixteenths of bytes are exact.
        let turn = if j.is_multiple_of(2) { 8.0 } else { 7.0 };
        (value + turn / 16.0).floor()
    })
}

/// The cosine transform of blocks.
struct Codec {
    /// `basis[u * 8 + x]` is the u-th cosine at x, orthonormal.
    basis: Block,
}

impl Codec {
    fn new() -> Self {
        let mut basis = [0.0; SIDE * SIDE];
        for (place, value) in basis.iter_mut().enumerate() {
            let (u, x) = ((place / SIDE) as f64, (place % SIDE) as f64);
            let norm = if place < SIDE { 0.125_f64.sqrt() } else { 0.5 };
            *value = norm * libm::cos((2.0 * x + 1.0) * u * std::f64::consts::PI / 16.0);
        }
        Self { basis }
    }

    /// Codes a plane of samples block by block and decodes it; blocks beyond the edge repeat the edge's pixels.
    ///
    /// # Formula
    /// `F = C (f - 128) C^T`, each coefficient rounded to a multiple of its step; decoded as `f = C^T F C + 128`,
    /// rounded to a byte.
    fn code(&self, plane: &Plane, steps: &Block) -> Plane {
        let (height, width) = (plane.height(), plane.width());
        let mut decoded = Plane::new(height, width, vec![0.0; height * width]);
        for top in (0..height).step_by(SIDE) {
            for left in (0..width).step_by(SIDE) {
                let mut block = [0.0; SIDE * SIDE];
                for (place, value) in block.iter_mut().enumerate() {
                    let (i, j) = (top + place / SIDE, left + place % SIDE);
                    *value = plane.at(i.min(height - 1), j.min(width - 1)) - 128.0;
                }
                let mut coefficients = self.forward(&block);
                for (value, step) in coefficients.iter_mut().zip(steps) {
                    *value = (*value / step).round() * step;
                }
                for (place, value) in self.backward(&coefficients).into_iter().enumerate() {
                    let (i, j) = (top + place / SIDE, left + place % SIDE);
                    if i < height && j < width {
                        decoded.set(i, j, (value + 128.0).round().clamp(0.0, 255.0));
                    }
                }
            }
        }
        decoded
    }

    fn forward(&self, block: &Block) -> Block {
        let basis = |u: usize, x: usize| self.basis[u * SIDE + x];
        let rows = product(basis, |x, j| block[x * SIDE + j]);
        product(|u, x| rows[u * SIDE + x], |x, v| basis(v, x))
    }

    fn backward(&self, coefficients: &Block) -> Block {
        let basis = |u: usize, x: usize| self.basis[u * SIDE + x];
        let rows = product(|x, u| basis(u, x), |u, v| coefficients[u * SIDE + v]);
        product(|x, v| rows[x * SIDE + v], basis)
    }
}

/// Computes the matrix product of two blocks.
fn product(a: impl Fn(usize, usize) -> f64, b: impl Fn(usize, usize) -> f64) -> Block {
    let mut c = [0.0; SIDE * SIDE];
    for (place, value) in c.iter_mut().enumerate() {
        let (i, j) = (place / SIDE, place % SIDE);
        *value = (0..SIDE).map(|k| a(i, k) * b(k, j)).sum();
    }
    c
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, distance, grey, photo, shape, smooth};
    use super::*;

    #[test]
    fn the_transform_is_orthonormal() {
        let codec = Codec::new();
        let image = photo(shape(8, 8, 1), 0);
        let block: Block = std::array::from_fn(|i| image.values()[i] * 255.0 - 128.0);
        let coefficients = codec.forward(&block);
        let power = |block: &Block| block.iter().map(|x| x * x).sum::<f64>();
        assert!((power(&coefficients) / power(&block) - 1.0).abs() < 1e-12);
        // The standard's own sum.
        let cosine = |u: usize, x: usize| ((2 * x + 1) as f64 * u as f64 * std::f64::consts::PI / 16.0).cos();
        let direct: f64 = (0..64).map(|p| block[p] * cosine(3, p / 8) * cosine(5, p % 8)).sum::<f64>() / 4.0;
        assert!((coefficients[3 * 8 + 5] - direct).abs() < 1e-9);
        assert!(codec.backward(&coefficients).iter().zip(block).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn a_constant_image_keeps_its_value_to_half_a_step() {
        for value in [0.0, 0.2, 0.5, 0.77, 1.0] {
            for (scale, step, coded) in corrupted(&grey(13, 9, value), jpeg) {
                // The constant's coefficient is 8 times the value, and rounding to a byte may add half a byte twice.
                let bound = steps(&LUMA_STEPS, QUALITY.at(scale, step))[0] / 8.0 / 2.0 + 1.0;
                assert!(coded.values().iter().all(|x| x == &coded.values()[0]));
                assert!((coded.values()[0] - value).abs() * 255.0 <= bound, "{value} {}", coded.values()[0]);
            }
        }
    }

    #[test]
    fn the_best_quality_loses_only_bytes() {
        let image = photo(shape(16, 24, 1), 1);
        // With all steps 1, each coefficient is off by at most 1/2, uniformly: a variance of 1/12, which each pixel
        // then has too.
        let off = distance(&compress(&image, 100), &image) * 255.0;
        assert!((0.3..0.6).contains(&off), "{off}");
    }

    #[test]
    fn grey_survives_colour() {
        // Neither red nor blue differs from grey, so chroma is 128 everywhere and the result is the grey image.
        let image = smooth(20);
        let colors = image.values().iter().flat_map(|&x| [x, x, x]).collect();
        let colored = Pixels::new(shape(20, 20, 3), colors).unwrap();
        let coded = compress(&colored, 40);
        assert_eq!(coded.plane(0), compress(&image, 40).plane(0));
        assert_eq!((coded.plane(1), coded.plane(2)), (coded.plane(0), coded.plane(0)));
    }

    #[test]
    fn a_colour_stays_that_colour() {
        let values = (0..15 * 9).flat_map(|_| [0.8, 0.3, 0.1]).collect();
        let image = Pixels::new(shape(15, 9, 3), values).unwrap();
        for (scale, step, coded) in corrupted(&image, jpeg) {
            let quality = QUALITY.at(scale, step);
            let luma = steps(&LUMA_STEPS, quality)[0] / 16.0;
            let chroma = steps(&CHROMA_STEPS, quality)[0] / 16.0;
            let bound = (luma + 1.772 * (chroma + 1.5) + 1.5) / 255.0;
            assert!(coded.values().iter().zip(image.values()).all(|(a, b)| (a - b).abs() < bound));
        }
    }

    #[test]
    fn quality_is_bought_with_loss() {
        let image = photo(shape(48, 40, 3), 2);
        let losses: Vec<f64> =
            [95, 80, 65, 50, 40, 25, 15, 7].iter().map(|&q| distance(&compress(&image, q), &image)).collect();
        assert!(losses.is_sorted(), "{losses:?}");
    }
}

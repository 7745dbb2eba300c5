//! Moves values between images with a border of zeros, which convolutions read, and images without, which they write.

use crate::Image;
use crate::simd::Lanes;

/// A batch of images with a border of one pixel, each pixel of `vectors` vectors.
#[derive(Clone, Copy)]
pub(super) struct Bordered {
    pub(super) image: Image,
    pub(super) vectors: usize,
}

impl Bordered {
    /// Returns where pixel (y, x) of image n starts.
    fn at(self, n: usize, y: usize, x: usize) -> usize {
        ((n * (self.image.height + 2) + y + 1) * (self.image.width + 2) + x + 1) * self.vectors
    }

    /// Returns where each pixel of `count` images starts, in the order of images without a border; only every
    /// `stride`-th pixel of every `stride`-th row.
    pub(super) fn pixels(self, count: usize, stride: usize) -> impl Iterator<Item = usize> {
        let Image { height, width, .. } = self.image;
        let rows = (0..count).flat_map(move |n| (0..height).step_by(stride).map(move |y| (n, y)));
        rows.flat_map(move |(n, y)| (0..width).step_by(stride).map(move |x| self.at(n, y, x)))
    }
}

/// Adds each pixel of `from` to the pixel of `to` in the same place of the orders; the longer of the two has channels
/// that the other does not have, which are left out.
pub(super) fn add(
    (from, from_pixels, from_vectors): (&[Lanes], impl Iterator<Item = usize>, usize),
    (to, to_pixels, to_vectors): (&mut [Lanes], impl Iterator<Item = usize>, usize),
) {
    let vectors = from_vectors.min(to_vectors);
    for (from_pixel, to_pixel) in from_pixels.zip(to_pixels) {
        let to = &mut to[to_pixel..][..vectors];
        to.iter_mut().zip(&from[from_pixel..][..vectors]).for_each(|(to, from)| *to = *to + *from);
    }
}

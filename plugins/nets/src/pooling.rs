//! Max pooling: of each square of pixels, the largest number of each channel.

use crate::convolution::Image;
use crate::simd::{Lanes, vectors};

/// Pooling by squares that do not overlap; pixels beyond the last whole square are left out.
#[derive(Clone, Copy, Debug)]
pub struct Pooling {
    input: Image,
    size: usize,
}

impl Pooling {
    /// Pooling by squares of `size` pixels a side; none where an image has no such square.
    pub fn new(input: Image, size: usize) -> Option<Self> {
        let fits = size > 0 && size <= input.height && size <= input.width && input.channels > 0;
        fits.then_some(Self { input, size })
    }

    /// The shape of what comes out.
    pub fn output(self) -> Image {
        Image { height: self.input.height / self.size, width: self.input.width / self.size, ..self.input }
    }

    /// Computes the largest numbers; a pixel is whole vectors here as there. A square with a number that is not finite
    /// becomes NaN.
    pub fn forward(self, values: &[Lanes], images: usize, out: &mut [Lanes]) {
        let width = vectors(self.input.channels);
        for (from, out) in self.squares(images).zip(out.chunks_exact_mut(width)) {
            for (v, out) in out.iter_mut().enumerate() {
                *out = self.largest(values, from * width + v);
            }
        }
    }

    /// Replaces the values by the gradient with respect to them before they were rectified, given that with respect to the
    /// largest numbers: of equal ones the first in the order of pixels has it all.
    pub fn backward(self, values: &mut [Lanes], images: usize, delta: &[Lanes]) {
        let width = vectors(self.input.channels);
        for (from, delta) in self.squares(images).zip(delta.chunks_exact(width)) {
            for (v, delta) in delta.iter().enumerate() {
                let largest = self.largest(values, from * width + v);
                let mut rest = *delta;
                for offset in self.offsets() {
                    let value = &mut values[(from + offset) * width + v];
                    let share = rest.where_equal(*value, largest);
                    rest = rest - share;
                    *value = share.where_positive(*value);
                }
            }
        }
        self.clear_edges(values, images);
    }

    fn largest(self, values: &[Lanes], at: usize) -> Lanes {
        let (zero, width) = (Lanes::splat(0.0), vectors(self.input.channels));
        let (mut largest, mut blemish) = (values[at], zero);
        for offset in self.offsets() {
            let value = values[at + offset * width];
            largest = largest.max(value);
            // A comparison would lose what is no number.
            blemish = value.mul_add(zero, blemish);
        }
        largest + blemish
    }

    /// The first pixel of every square, in order.
    fn squares(self, images: usize) -> impl Iterator<Item = usize> {
        let (Image { height, width, .. }, input, size) = (self.output(), self.input, self.size);
        (0..images * height).flat_map(move |row| {
            let first = row / height * input.pixels() + row % height * size * input.width;
            (0..width).map(move |x| first + x * size)
        })
    }

    /// The pixels of a square, from its first one on.
    fn offsets(self) -> impl Iterator<Item = usize> {
        (0..self.size).flat_map(move |i| (0..self.size).map(move |j| i * self.input.width + j))
    }

    /// Nothing depends on the pixels beyond the last whole square.
    fn clear_edges(self, values: &mut [Lanes], images: usize) {
        let (width, output) = (vectors(self.input.channels), self.output());
        let (rows, columns) = (output.height * self.size, output.width * self.size);
        if rows == self.input.height && columns == self.input.width {
            return;
        }
        let lines = values.chunks_exact_mut(self.input.width * width).take(images * self.input.height);
        for (y, line) in lines.enumerate() {
            let kept = if y % self.input.height < rows { columns } else { 0 };
            line[kept * width..].fill(Lanes::splat(0.0));
        }
    }
}

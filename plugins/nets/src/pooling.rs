//! Max pooling: takes the largest number of each channel in each square of pixels.

use crate::convolution::Image;
use crate::simd::{Lanes, vectors};

/// Max pooling over squares that do not overlap; ignores pixels beyond the last whole square.
#[derive(Clone, Copy, Debug)]
pub struct Pooling {
    input: Image,
    size: usize,
}

impl Pooling {
    /// Makes a pooling over squares of `size` by `size` pixels. Returns `None` if `size` is zero or no such square fits
    /// into the image.
    pub fn new(input: Image, size: usize) -> Option<Self> {
        let fits = size > 0 && size <= input.height && size <= input.width && input.channels > 0;
        fits.then_some(Self { input, size })
    }

    /// The shape of the output.
    pub fn output(self) -> Image {
        Image { height: self.input.height / self.size, width: self.input.width / self.size, ..self.input }
    }

    /// Computes the largest numbers. Pixels of inputs and outputs are padded to whole vectors. A square with a number
    /// that is not finite becomes NaN.
    pub fn forward(self, values: &[Lanes], images: usize, out: &mut [Lanes]) {
        let width = vectors(self.input.channels);
        for (from, out) in self.squares(images).zip(out.chunks_exact_mut(width)) {
            for (v, out) in out.iter_mut().enumerate() {
                *out = self.largest(values, from * width + v);
            }
        }
    }

    /// Replaces the values by the gradient with respect to them before they were rectified, given the gradient `delta`
    /// with respect to the largest numbers. If several values of a square are equally large, the first in the order of
    /// pixels gets the whole gradient.
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
            // A comparison would lose a NaN; a product with zero keeps it.
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

    /// Offsets of the pixels of a square from its first pixel.
    fn offsets(self) -> impl Iterator<Item = usize> {
        (0..self.size).flat_map(move |i| (0..self.size).map(move |j| i * self.input.width + j))
    }

    /// Clears the gradient at the pixels beyond the last whole square, on which nothing depends.
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

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::plain::{padded, pool, unpadded};
    use crate::simd::floats;

    #[test]
    fn the_largest_numbers_have_the_whole_gradient() {
        for (height, width, channels, size) in [(4, 6, 3, 2), (5, 7, 9, 2), (7, 6, 16, 3), (3, 3, 1, 1), (4, 4, 20, 4)]
        {
            let image = Image { height, width, channels };
            let pooling = Pooling::new(image, size).unwrap();
            let output = pooling.output();
            let mut rng = Rng::new(2, height as u64);
            // Rectified numbers, many of them equal.
            let numbers = 2 * image.numbers();
            let values: Vec<f32> = (0..numbers).map(|_| (rng.below(5) as f32 - 1.0).max(0.0)).collect();
            let mut lanes = padded(&values, channels);
            let mut out = vec![Lanes::splat(f32::NAN); 2 * output.pixels() * vectors(channels)];
            pooling.forward(&lanes, 2, &mut out);
            let plain: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            let expected: Vec<f64> =
                plain.chunks(image.numbers()).flat_map(|image_| pool(image_, image, size)).collect();
            assert_eq!(unpadded(floats(&out), channels), expected);

            let delta: Vec<f32> = (0..expected.len()).map(|_| rng.normal()).collect();
            pooling.backward(&mut lanes, 2, &padded(&delta, channels));
            let mut gradient = vec![0.0; plain.len()];
            for (n, square, c) in (0..2)
                .flat_map(|n| (0..output.pixels()).flat_map(move |square| (0..channels).map(move |c| (n, square, c))))
            {
                let (y, x) = (square / output.width * size, square % output.width * size);
                let place = |at: usize| n * image.numbers() + ((y + at / size) * width + x + at % size) * channels + c;
                let at = (n * output.pixels() + square) * channels + c;
                let first = (0..size * size).map(place).find(|place| plain[*place] == expected[at]).unwrap();
                if plain[first] > 0.0 {
                    gradient[first] = f64::from(delta[at]);
                }
            }
            assert_eq!(unpadded(floats(&lanes), channels), gradient, "{image:?} {size}");
        }
    }

    #[test]
    fn what_is_not_finite_is_not_lost() {
        let pooling = Pooling::new(Image { height: 2, width: 2, channels: 1 }, 2).unwrap();
        for at in 0..4 {
            let mut values = [1.0; 4];
            values[at] = f32::NAN;
            let mut out = vec![Lanes::splat(0.0); 1];
            pooling.forward(&padded(&values, 1), 1, &mut out);
            assert!(floats(&out)[0].is_nan());
        }
    }

    #[test]
    fn squares_that_do_not_fit_are_none() {
        let image = Image { height: 2, width: 3, channels: 1 };
        assert!(
            Pooling::new(image, 0).is_none() && Pooling::new(image, 3).is_none() && Pooling::new(image, 2).is_some()
        );
    }
}

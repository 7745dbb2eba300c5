//! One channel of an image, or a map with one value per pixel.

use super::border::Border;

/// Values of `height` rows and `width` columns, row by row; at least one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plane {
    height: usize,
    width: usize,
    values: Vec<f64>,
}

impl Plane {
    pub(super) fn new(height: usize, width: usize, values: Vec<f64>) -> Self {
        debug_assert!(height * width == values.len() && !values.is_empty());
        Self { height, width, values }
    }

    /// Computes the value at each row and column, row by row.
    pub(super) fn from_fn(height: usize, width: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(height * width);
        for i in 0..height {
            values.extend((0..width).map(|j| value(i, j)));
        }
        Self::new(height, width, values)
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.width + j]
    }

    pub(super) fn set(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * self.width + j] = value;
    }

    pub(super) fn map(&self, value: impl FnMut(f64) -> f64) -> Self {
        Self::new(self.height, self.width, self.values.iter().copied().map(value).collect())
    }

    pub(super) fn max(&self) -> f64 {
        self.values.iter().fold(f64::NEG_INFINITY, |most, &x| most.max(x))
    }

    pub(super) fn min(&self) -> f64 {
        self.values.iter().fold(f64::INFINITY, |least, &x| least.min(x))
    }

    /// Interpolates bilinearly between pixels.
    pub(super) fn bilinear(&self, row: f64, col: f64, border: Border) -> f64 {
        let (top, left) = (row.floor(), col.floor());
        let (down, right) = (row - top, col - left);
        let value = |i: isize, j: isize| {
            let (i, j) = (top as isize + i, left as isize + j);
            self.at(border.index(i, self.height), border.index(j, self.width))
        };
        let upper = value(0, 0) * (1.0 - right) + value(0, 1) * right;
        let lower = value(1, 0) * (1.0 - right) + value(1, 1) * right;
        upper * (1.0 - down) + lower * down
    }
}

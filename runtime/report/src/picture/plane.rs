//! The part of the plane that is drawn, and the grid on which functions are evaluated.

use jointly_core::Matrix;

/// A square around the origin that contains nearly all inputs drawn from a standard normal distribution.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Half the side.
    reach: f64,
    /// The number of cells along either side.
    cells: usize,
}

impl Plane {
    /// The square of inputs within three standard deviations, with a grid of 120 by 120 cells.
    pub const STANDARD: Self = Self { reach: 3.0, cells: 120 };

    #[cfg(test)]
    pub(crate) fn new(reach: f64, cells: usize) -> Self {
        Self { reach, cells }
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// Returns the centres of the cells, row by row from the upper left corner, like the pixels of an image.
    ///
    /// # Panics
    /// Never: each cell has two numbers.
    pub fn inputs(&self) -> Matrix {
        let step = 2.0 * self.reach / self.cells as f64;
        let along = |i: usize| (i as f64 + 0.5) * step - self.reach;
        let cell = |i: usize| [along(i % self.cells) as f32, -along(i / self.cells) as f32];
        let values = (0..self.cells * self.cells).flat_map(cell).collect();
        Matrix::from_rows(2, values)
    }

    /// Returns the position of an input as fractions of the side from the upper left corner, or `None` outside.
    pub(crate) fn place(&self, input: &[f32]) -> Option<(f64, f64)> {
        let part = |x: f64| (x + self.reach) / (2.0 * self.reach);
        let (x, y) = (part(f64::from(input[0])), part(-f64::from(input[1])));
        let inside = |part: f64| (0.0..=1.0).contains(&part);
        (inside(x) && inside(y)).then_some((x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::Plane;

    #[test]
    fn cells_run_from_the_upper_left_corner() {
        let plane = Plane::new(2.0, 2);
        assert_eq!(plane.inputs().values(), [-1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0]);
    }

    #[test]
    fn inputs_have_their_place_or_none() {
        let plane = Plane::new(2.0, 2);
        assert_eq!(plane.place(&[-1.0, 1.0]), Some((0.25, 0.25)));
        assert_eq!(plane.place(&[0.0, 2.5]), None);
    }
}

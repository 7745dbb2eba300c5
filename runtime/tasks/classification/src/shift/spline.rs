//! Cubic B-spline interpolation of a plane: smooth between pixels, exact at them.

use super::border::Border;
use super::plane::Plane;

/// sqrt(3) - 2, the pole of the recursive filter.
const POLE: f64 = -0.267_949_192_431_122_7;
/// (1 - z) (1 - 1 / z) at the pole.
const GAIN: f64 = 6.0;

/// The coefficients c_ij of the spline through a plane's values.
///
/// # Formula
/// `s(y, x) = sum_ij c_ij B(y - i) B(x - j)` with the cubic B-spline B of support (-2, 2), such that `s(i, j)` is the
/// pixel. The plane is extended by mirroring about the middle of its outermost pixels.
///
/// Source: Unser, Splines: a perfect fit for signal and image processing (1999); the boundary is that of
/// `scipy.ndimage` with mode `constant`.
pub(super) struct Spline(Plane);

impl Spline {
    /// Computes the spline through a plane's pixels.
    pub(super) fn through(plane: &Plane) -> Self {
        let (height, width) = (plane.height(), plane.width());
        let mut coefficients = plane.clone();
        for row in coefficients.values_mut().chunks_exact_mut(width) {
            solve(row);
        }
        let mut column = vec![0.0; height];
        for j in 0..width {
            for (i, value) in column.iter_mut().enumerate() {
                *value = coefficients.at(i, j);
            }
            solve(&mut column);
            for (i, &value) in column.iter().enumerate() {
                coefficients.set(i, j, value);
            }
        }
        Self(coefficients)
    }

    /// Evaluates the spline between pixels; rows and columns count from the middle of the first pixel.
    pub(super) fn at(&self, row: f64, col: f64) -> f64 {
        let plane = &self.0;
        let (top, left) = (row.floor(), col.floor());
        let (down, across) = (weights(row - top), weights(col - left));
        let mut sum = 0.0;
        for (u, down) in down.iter().enumerate() {
            let i = Border::Mirror.index(top as isize + u as isize - 1, plane.height());
            for (v, across) in across.iter().enumerate() {
                let j = Border::Mirror.index(left as isize + v as isize - 1, plane.width());
                sum += down * across * plane.at(i, j);
            }
        }
        sum
    }
}

/// Returns the B-spline at distances 1 + t, t, 1 - t and 2 - t.
fn weights(t: f64) -> [f64; 4] {
    let (square, cube) = (t * t, t * t * t);
    let back = 1.0 - t;
    [
        back * back * back / 6.0,
        (4.0 - 6.0 * square + 3.0 * cube) / 6.0,
        (1.0 + 3.0 * t + 3.0 * square - 3.0 * cube) / 6.0,
        cube / 6.0,
    ]
}

/// Turns values into coefficients in place, so that `(c_{k-1} + 4 c_k + c_{k+1}) / 6` is the value, mirrored at both
/// ends.
fn solve(line: &mut [f64]) {
    let n = line.len();
    if n < 2 {
        return;
    }
    // The start of the causal filter sums the whole mirrored line, which repeats every 2 n - 2.
    let (mut sum, mut power) = (line[0], POLE);
    // The pole is negative and its exponent odd.
    let mut back = -libm::pow(-POLE, (2 * n - 3) as f64);
    for &value in &line[1..n - 1] {
        sum += (power + back) * value;
        power *= POLE;
        back /= POLE;
    }
    // `power` is now the pole to the power n - 1; its square is the factor of a full period.
    line[0] = GAIN * (sum + power * line[n - 1]) / (1.0 - power * power);
    for k in 1..n {
        line[k] = GAIN * line[k] + POLE * line[k - 1];
    }
    line[n - 1] = POLE / (POLE * POLE - 1.0) * (line[n - 1] + POLE * line[n - 2]);
    for k in (0..n - 1).rev() {
        line[k] = POLE * (line[k + 1] - line[k]);
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn the_spline_passes_through_its_pixels() {
        let mut source = stream(0, "test", "spline", 0);
        for (height, width) in [(1, 1), (2, 3), (3, 2), (1, 7), (28, 28), (400, 3)] {
            let plane = Plane::from_fn(height, width, |_, _| source.uniform());
            let spline = Spline::through(&plane);
            for i in 0..height {
                for j in 0..width {
                    assert!((spline.at(i as f64, j as f64) - plane.at(i, j)).abs() < TOLERANCE);
                }
            }
        }
    }

    #[test]
    fn cubic_polynomials_are_reproduced() {
        // Evaluated in the middle, where the effect of the mirrored ends has decayed to 0.27^20.
        let cubic = |x: f64| 0.3 + x * (0.7 + x * (-0.2 + x * 0.05));
        let value = |y: f64, x: f64| cubic(y / 41.0) * cubic(1.0 - x / 41.0);
        let spline = Spline::through(&Plane::from_fn(41, 41, |i, j| value(i as f64, j as f64)));
        for step in 0..50 {
            let (y, x) = (19.0 + f64::from(step) * 0.04, 20.7 - f64::from(step) * 0.03);
            assert!((spline.at(y, x) - value(y, x)).abs() < TOLERANCE);
        }
    }

    #[test]
    fn the_weights_are_a_partition_of_unity() {
        for step in 0..=10 {
            let t = f64::from(step) / 10.0;
            let w = weights(t);
            assert!((w.iter().sum::<f64>() - 1.0).abs() < TOLERANCE);
            // A B-spline's mean is the place itself.
            assert!((w[1] * t + w[0] * (1.0 + t) - w[2] * (1.0 - t) - w[3] * (2.0 - t)).abs() < TOLERANCE);
        }
    }
}

//! The elastic transform: the image on a rubber sheet that is sheared and crumpled.

use super::super::border::Border;
use super::super::draw::between;
use super::super::filter::{gaussian, separable};
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};
use crate::stream::Stream;

/// How far crumples reach, how smooth they are, and how far corners are pulled: shares of a side.
const ELASTIC: Constants<(f64, f64, f64)> = Constants {
    small: [(0.0, 0.0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)],
    large: [(2.0, 0.7, 0.1), (2.0, 0.08, 0.2), (0.05, 0.01, 0.02), (0.07, 0.01, 0.02), (0.12, 0.01, 0.02)],
};
/// ImageNet-C's shares are of 244 pixels where its images have 224.
const OVERSIZE: f64 = 244.0 / 224.0;
/// Where the Gaussian that smooths crumples is cut, in standard deviations.
const TRUNCATE: f64 = 3.0;
/// The least area of a triangle, in pixels, that an affine map is found from.
const LEAST_AREA: f64 = 1e-3;

/// An affine map that moves three points by a uniform number of pixels each way, and then a smooth random displacement
/// of every pixel.
///
/// # Formula
/// With s the shorter side and (a, g, p) the constants times s: three corners of a square about the centre, a third of s
/// from it, move by U(-p, p) along each axis; then pixel q is taken from `q + a G_g * U(-1, 1)`, the noise of each pixel
/// and axis smoothed by a Gaussian of standard deviation g. Both interpolate linearly and mirror the image.
pub(in super::super) fn elastic(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (height, width, side) = (image.shape().height(), image.shape().width(), image.shape().side());
    let unit = side as f64 * if scale == Scale::Large { OVERSIZE } else { 1.0 };
    let (reach, sigma, pull) = ELASTIC.at(scale, step);
    let pulled = Affine::draw(height, width, pull * unit, stream);
    let weights = gaussian(sigma * unit, TRUNCATE);
    let mut crumple = || {
        let noise = Plane::from_fn(height, width, |_, _| between(-1.0, 1.0, stream));
        separable(&noise, &weights, Border::Reflect).map(|x| x * reach * unit)
    };
    let (right, down) = (crumple(), crumple());
    image.map_planes(|plane| {
        let sheared = Plane::from_fn(height, width, |i, j| {
            let (y, x) = pulled.source(i as f64, j as f64);
            plane.bilinear(y, x, Border::Mirror)
        });
        let place = |at: usize, move_by: &Plane, i: usize, j: usize| at as f64 + move_by.at(i, j);
        Plane::from_fn(height, width, |i, j| {
            sheared.bilinear(place(i, &down, i, j), place(j, &right, i, j), Border::Reflect)
        })
    })
}

/// Where a pixel comes from: `(y, x)` is the rows of the map times (1, row, column).
struct Affine([[f64; 3]; 2]);

impl Affine {
    const IDENTITY: Self = Self([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);

    /// The map that takes three points to where they are pulled, told backwards; none where the image is too small to
    /// tell the points apart, or they are pulled into a line.
    fn draw(height: usize, width: usize, pull: f64, stream: &mut Stream) -> Self {
        let (y, x) = ((height / 2) as f64, (width / 2) as f64);
        let third = (height.min(width) / 3) as f64;
        let from = [[y + third, x + third], [y - third, x + third], [y - third, x - third]];
        let to = from.map(|point| point.map(|place| place + between(-pull, pull, stream)));
        Self::between(to, from).unwrap_or(Self::IDENTITY)
    }

    /// The affine map of three points to three others.
    fn between(from: [[f64; 2]; 3], to: [[f64; 2]; 3]) -> Option<Self> {
        let side = |k: usize, axis: usize| from[k][axis] - from[0][axis];
        let area = side(1, 0) * side(2, 1) - side(2, 0) * side(1, 1);
        if area.abs() < LEAST_AREA {
            return None;
        }
        let row = |axis: usize| {
            let (one, two) = (to[1][axis] - to[0][axis], to[2][axis] - to[0][axis]);
            let down = (one * side(2, 1) - two * side(1, 1)) / area;
            let across = (two * side(1, 0) - one * side(2, 0)) / area;
            [to[0][axis] - down * from[0][0] - across * from[0][1], down, across]
        };
        Some(Self([row(0), row(1)]))
    }

    /// Coordinates are kept within a thousand images, beyond which an all but flat triangle throws them.
    fn source(&self, i: f64, j: f64) -> (f64, f64) {
        const FAR: f64 = 1e7;
        let place = |row: [f64; 3]| (row[0] + row[1] * i + row[2] * j).clamp(-FAR, FAR);
        (place(self.0[0]), place(self.0[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, grey, smooth};
    use super::*;
    use crate::stream::stream;

    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn three_points_go_where_they_should() {
        let from = [[1.0, 2.0], [4.0, -1.0], [0.5, 7.0]];
        let to = [[3.0, 3.0], [-2.0, 5.0], [8.0, 0.25]];
        let map = Affine::between(from, to).unwrap();
        for (from, to) in from.into_iter().zip(to) {
            let (y, x) = map.source(from[0], from[1]);
            assert!((y - to[0]).abs() < TOLERANCE && (x - to[1]).abs() < TOLERANCE);
        }
        assert!(Affine::between([[1.0, 1.0]; 3], to).is_none());
    }

    #[test]
    fn nothing_is_pulled_by_nothing() {
        let map = Affine::draw(28, 28, 0.0, &mut stream(0, "test", "elastic", 0));
        let (y, x) = map.source(3.0, 17.0);
        assert!((y - 3.0).abs() < TOLERANCE && (x - 17.0).abs() < TOLERANCE);
    }

    #[test]
    fn crumples_have_the_variance_of_smoothed_noise() {
        // Uniform noise of variance 1/3 smoothed by weights w has variance sum w^2 / 3 along each axis, away from the edge.
        let weights = gaussian(3.0, TRUNCATE);
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        let mut source = stream(0, "test", "elastic", 1);
        let noise = Plane::from_fn(400, 400, |_, _| between(-1.0, 1.0, &mut source));
        let smoothed = separable(&noise, &weights, Border::Reflect);
        let variance = smoothed.values().iter().map(|x| x * x).sum::<f64>() / 160_000.0;
        let expected = squares * squares / 3.0;
        // About 160000 / (4 pi 9) independent values: four standard errors are 15 %.
        assert!((variance / expected - 1.0).abs() < 0.15, "{variance} {expected}");
    }

    #[test]
    fn a_constant_image_stays_constant_and_a_spot_moves() {
        for (_, _, warped) in corrupted(&grey(19, 23, 0.3), elastic) {
            assert!(warped.values().iter().all(|x| (x - 0.3).abs() < TOLERANCE));
        }
        let spot = smooth(61);
        for (_, _, warped) in corrupted(&spot, elastic) {
            let most = |image: &Pixels| image.values().iter().fold(0.0_f64, |most, &x| most.max(x));
            assert!(warped != spot && most(&warped) > 0.9 * most(&spot));
        }
    }
}

//! The elastic transform: shears and crumples the image like a rubber sheet.

use jointly_core::stream::Stream;

use super::super::border::Border;
use super::super::draw::between;
use super::super::filter::{gaussian, separable};
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};

/// The amplitude of crumples, their smoothness, and the pull of corners, as shares of a side.
const ELASTIC: Constants<(f64, f64, f64)> = Constants {
    small: [(0.0, 0.0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)],
    large: [(2.0, 0.7, 0.1), (2.0, 0.08, 0.2), (0.05, 0.01, 0.02), (0.07, 0.01, 0.02), (0.12, 0.01, 0.02)],
};
/// ImageNet-C's shares refer to 244 pixels, although its images have 224.
const OVERSIZE: f64 = 244.0 / 224.0;
/// The number of standard deviations at which the Gaussian that smooths crumples is cut.
const TRUNCATE: f64 = 3.0;
/// The least area, in pixels, of the parallelogram of three points from which an affine map is computed.
const LEAST_AREA: f64 = 1e-3;

/// Applies an affine map that moves three points by a uniform number of pixels along each axis, and then a smooth
/// random displacement of every pixel.
///
/// # Formula
/// With s the shorter side and (a, g, p) the constants times s: three corners of a square about the centre, at a third
/// of s from it along each axis, move by U(-p, p) along each axis; then pixel q is taken from `q + a G_g * U(-1, 1)`,
/// the noise of each pixel and axis smoothed by a Gaussian of standard deviation g. Both steps interpolate linearly and
/// mirror the image.
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

/// An affine map from a pixel to its source: `(y, x)` is the rows of the map times (1, row, column).
struct Affine([[f64; 3]; 2]);

impl Affine {
    const IDENTITY: Self = Self([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);

    /// Draws the inverse of the map that pulls three points; the identity where the image is too small to distinguish
    /// the points, or they are pulled into a line.
    fn draw(height: usize, width: usize, pull: f64, stream: &mut Stream) -> Self {
        let (y, x) = ((height / 2) as f64, (width / 2) as f64);
        let third = (height.min(width) / 3) as f64;
        let from = [[y + third, x + third], [y - third, x + third], [y - third, x - third]];
        let to = from.map(|point| point.map(|place| place + between(-pull, pull, stream)));
        Self::between(to, from).unwrap_or(Self::IDENTITY)
    }

    /// Returns the affine map of three points to three others; None if the first three are nearly on a line.
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

    /// Returns the source of a pixel, clamped to 10^7 pixels (a thousand images): the map of a nearly flat triangle may
    /// go farther.
    fn source(&self, i: f64, j: f64) -> (f64, f64) {
        const FAR: f64 = 1e7;
        let place = |row: [f64; 3]| (row[0] + row[1] * i + row[2] * j).clamp(-FAR, FAR);
        (place(self.0[0]), place(self.0[1]))
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::super::super::fixture::{ERRORS, cases, corrupted, draw, grey, moments, place_at, places, smooth};
    use super::*;

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

    /// The side of images whose pixels encode their own coordinates, the number of warps, and the farthest that a
    /// crumple may move a pixel from the middle: four standard deviations of the strongest crumple.
    const SIDE: usize = 64;
    const TIMES: u64 = 600;
    const NEAR: f64 = 16.0;
    /// Distance in pixels between two places whose crumples are compared.
    const APART: usize = 4;

    fn unit(scale: Scale) -> f64 {
        SIDE as f64 * if scale == Scale::Large { OVERSIZE } else { 1.0 }
    }

    /// Returns the inverse of a map.
    fn undone(map: &Affine) -> Affine {
        let corners = [[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]];
        Affine::between(corners.map(|[y, x]| map.source(y, x).into()), corners).unwrap()
    }

    #[test]
    fn corners_are_pulled_evenly() {
        // CIFAR-10-C's mildest severity only pulls corners, so three pixels determine the whole map.
        let pull = ELASTIC.small[0].2 * SIDE as f64;
        let (middle, third) = ((SIDE / 2) as f64, (SIDE / 3) as f64);
        let corners = [[middle + third; 2], [middle - third, middle + third], [middle - third; 2]];
        let mut pulls = Vec::new();
        for time in 0..TIMES {
            let warped = elastic(&places(SIDE), Scale::Small, 0, &mut draw(time));
            let seen = [[SIDE / 2, SIDE / 2], [SIDE / 2 + 4, SIDE / 2], [SIDE / 2, SIDE / 2 + 4]];
            let back = Affine::between(seen.map(|[i, j]| place_at(&warped, i, j)), seen.map(|p| p.map(|k| k as f64)));
            for corner in corners {
                let (y, x) = back.as_ref().unwrap().source(corner[0], corner[1]);
                pulls.extend([y - corner[0], x - corner[1]]);
            }
        }
        assert!(pulls.iter().all(|by| by.abs() < pull + TOLERANCE));
        // A uniform number from -p to p has variance p^2 / 3, and its square has variance 4 p^4 / 45.
        let ((mean, variance), n) = (moments(&pulls), pulls.len() as f64);
        assert!(mean.abs() < ERRORS * pull / (3.0 * n).sqrt(), "{mean}");
        assert!((variance - pull * pull / 3.0).abs() < ERRORS * pull * pull * (4.0 / 45.0 / n).sqrt(), "{variance}");
    }

    /// Returns the weight of each pixel of a line in the smoothed value at a place.
    fn weighed(place: usize, weights: &[f64]) -> Vec<f64> {
        let (mut line, radius) = (vec![0.0; SIDE], (weights.len() / 2) as isize);
        for (k, weight) in weights.iter().enumerate() {
            line[Border::Reflect.index(place as isize + k as isize - radius, SIDE)] += weight;
        }
        line
    }

    #[test]
    fn crumples_have_the_covariance_of_smoothed_noise() {
        let middle = SIDE / 2;
        for (scale, step) in cases() {
            let (reach, sigma, pull) = ELASTIC.at(scale, step);
            let (mut here, mut beside) = (Vec::new(), Vec::new());
            for time in 0..TIMES {
                // The shear is drawn first and undone; draws that move places near the middle outside the image are
                // skipped.
                let pulled = Affine::draw(SIDE, SIDE, pull * unit(scale), &mut draw(time));
                let rim = [-NEAR, NEAR].map(|by| middle as f64 + by);
                let within = |(y, x): (f64, f64)| [y, x].iter().all(|at| (0.0..=(SIDE - 1) as f64).contains(at));
                if !rim.iter().all(|&y| rim.iter().all(|&x| within(pulled.source(y, x + APART as f64)))) {
                    continue;
                }
                let (warped, back) = (elastic(&places(SIDE), scale, step, &mut draw(time)), undone(&pulled));
                let crumple = |j: usize, found: &mut Vec<f64>| {
                    let [y, x] = place_at(&warped, middle, j);
                    let (y, x) = back.source(y, x);
                    found.extend([y - middle as f64, x - j as f64]);
                };
                crumple(middle, &mut here);
                crumple(middle + APART, &mut beside);
            }
            // Uniform noise from -a to a has variance a^2 / 3; smoothing multiplies it by the sum of the squared
            // weights.
            let weights = gaussian(sigma * unit(scale), TRUNCATE);
            let power = |a: usize, b: usize| -> f64 {
                weighed(a, &weights).iter().zip(weighed(b, &weights)).map(|(a, b)| a * b).sum()
            };
            let noise = (reach * unit(scale)).powi(2) / 3.0 * power(middle, middle);
            let (variance, other) = (noise * power(middle, middle), noise * power(middle + APART, middle + APART));
            let covariance = noise * power(middle, middle + APART);
            let (n, found) = (here.len() as f64, moments(&here));
            let products = here.iter().zip(&beside).map(|(a, b)| a * b).sum::<f64>() / n;
            let case = format!("{scale:?} {step} of {n}: {found:?} {products}, expected {variance} {covariance}");
            let within = |found: f64, expected: f64, error: f64| {
                (found - expected).abs() <= ERRORS * error / n.sqrt() + TOLERANCE
            };
            assert!(n > 300.0, "{case}");
            assert!(within(found.0, 0.0, variance.sqrt()), "{case}");
            // The standard error of a Gaussian's variance; sums of uniform numbers have thinner tails.
            assert!(within(found.1, variance, variance * 2.0_f64.sqrt()), "{case}");
            assert!(within(products, covariance, (variance * other + covariance * covariance).sqrt()), "{case}");
        }
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

//! Gaussian blur and defocus blur.

use jointly_core::stream::Stream;

use super::super::border::Border;
use super::super::filter::{blur, correlate, gaussian_of};
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};

/// Standard deviation in pixels.
const GAUSSIAN: Constants<f64> = Constants { small: [0.4, 0.6, 0.7, 0.8, 1.0], large: [1.0, 2.0, 3.0, 4.0, 6.0] };
/// The disk's radius, and the standard deviation of the Gaussian that softens its rim, in pixels.
const DEFOCUS: Constants<(f64, f64)> = Constants {
    small: [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1.0, 0.2), (1.5, 0.1)],
    large: [(3.0, 0.1), (4.0, 0.5), (6.0, 0.5), (8.0, 0.5), (10.0, 0.5)],
};
/// The radius above which a disk is softened over two pixels to either side, up to it over one.
const WIDE: f64 = 8.0;

/// Convolves with a Gaussian cut at 4 standard deviations; the edge's pixels are repeated beyond it.
pub(in super::super) fn gaussian(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let sigma = GAUSSIAN.at(scale, step);
    image.map_planes(|plane| blur(plane, sigma))
}

/// Convolves with a disk whose rim is softened; the image is mirrored about its outermost pixels.
pub(in super::super) fn defocus(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let (radius, alias) = DEFOCUS.at(scale, step);
    let kernel = disk(radius, alias);
    image.map_planes(|plane| correlate(plane, &kernel, Border::Mirror))
}

/// Returns a kernel of sum 1: a disk of the pixels within `radius`, convolved with a Gaussian of standard deviation
/// `alias`.
///
/// The published kernel for a radius of 8 truncates the softened rim beyond 17 x 17 pixels; this one is large enough
/// for it.
fn disk(radius: f64, alias: f64) -> Plane {
    let soft = gaussian_of(if radius <= WIDE { 1 } else { 2 }, alias);
    let reach = radius as isize;
    let rim = (soft.len() / 2) as isize;
    let side = (2 * (reach + rim) + 1) as usize;
    let inside = |y: isize, x: isize| (y * y + x * x) as f64 <= radius * radius;
    let mut kernel = Plane::new(side, side, vec![0.0; side * side]);
    for y in -reach..=reach {
        for x in (-reach..=reach).filter(|&x| inside(y, x)) {
            for (u, down) in soft.iter().enumerate() {
                for (v, across) in soft.iter().enumerate() {
                    let (i, j) = ((y + reach) as usize + u, (x + reach) as usize + v);
                    kernel.set(i, j, kernel.at(i, j) + down * across);
                }
            }
        }
    }
    let sum: f64 = kernel.values().iter().sum();
    kernel.map(|weight| weight / sum)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, grey, impulse};
    use super::*;

    const TOLERANCE: f64 = 1e-9;
    const SIDE: usize = 81;

    /// Returns the sum, centroid and variance along each axis of the response to a single white pixel in the middle.
    fn response(image: &Pixels) -> (f64, [f64; 2], [f64; 2]) {
        let (plane, middle) = (image.plane(0), (SIDE / 2) as f64);
        let sum: f64 = plane.values().iter().sum();
        let (mut mean, mut square) = ([0.0; 2], [0.0; 2]);
        for i in 0..SIDE {
            for j in 0..SIDE {
                for (axis, place) in [i, j].into_iter().enumerate() {
                    let from = place as f64 - middle;
                    mean[axis] += from * plane.at(i, j) / sum;
                    square[axis] += from * from * plane.at(i, j) / sum;
                }
            }
        }
        (sum, mean, square)
    }

    #[test]
    fn a_gaussian_blur_spreads_by_its_variance() {
        for (scale, step, blurred) in corrupted(&impulse(SIDE), gaussian) {
            let (sum, mean, square) = response(&blurred);
            let sigma = GAUSSIAN.at(scale, step);
            assert!((sum - 1.0).abs() < TOLERANCE);
            for axis in 0..2 {
                assert!(mean[axis].abs() < TOLERANCE);
                // Below one pixel, sums over whole pixels are narrower than the integral.
                if sigma >= 0.8 {
                    assert!((square[axis] / (sigma * sigma) - 1.0).abs() < 1e-2, "{sigma} {square:?}");
                }
            }
        }
    }

    #[test]
    fn a_gaussian_blur_damps_waves_as_its_spectrum_says() {
        // A wave of angular frequency w keeps exp(-w^2 sigma^2 / 2) of its height, away from the edge.
        let frequency = 0.3_f64;
        let plane = Plane::from_fn(SIDE, SIDE, |_, j| 0.5 + 0.4 * libm::cos(frequency * (j as f64 - 40.0)));
        let image = Pixels::clipped(impulse(SIDE).shape(), plane.values().to_vec());
        for (scale, step, blurred) in corrupted(&image, gaussian) {
            let sigma = GAUSSIAN.at(scale, step);
            if (0.8..=3.0).contains(&sigma) {
                let kept = (blurred.plane(0).at(40, 40) - 0.5) / 0.4;
                let expected = libm::exp(-frequency * frequency * sigma * sigma / 2.0);
                assert!((kept - expected).abs() < 1e-3, "{sigma} {kept} {expected}");
            }
        }
    }

    #[test]
    fn a_lens_spreads_a_point_over_its_disk() {
        for (scale, step, blurred) in corrupted(&impulse(SIDE), defocus) {
            let (radius, alias) = DEFOCUS.at(scale, step);
            let (sum, mean, square) = response(&blurred);
            assert!((sum - 1.0).abs() < TOLERANCE);
            assert!(mean.iter().all(|m| m.abs() < TOLERANCE));
            // A disk of radius r has variance r^2 / 4 along an axis; softening adds the Gaussian's variance.
            if radius >= 3.0 {
                let expected = radius * radius / 4.0 + alias * alias;
                assert!(square.iter().all(|s| (s / expected - 1.0).abs() < 0.05), "{radius} {square:?}");
            }
            let plane = blurred.plane(0);
            let reach = radius as usize + 3;
            assert_eq!(plane.at(SIDE / 2, SIDE / 2 + reach), 0.0);
        }
    }

    #[test]
    fn a_constant_image_stays_constant() {
        for blurs in [gaussian, defocus] {
            for (_, _, blurred) in corrupted(&grey(19, 23, 0.3), blurs) {
                assert!(blurred.values().iter().all(|x| (x - 0.3).abs() < TOLERANCE));
            }
        }
    }
}

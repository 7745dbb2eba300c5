//! Motion blur: blurs along a line, like a moving camera.

use jointly_core::stream::Stream;

use super::super::border::Border;
use super::super::draw::between;
use super::super::filter::normalized;
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};

/// Half the number of averaged pixels, and the standard deviation of their weights in pixels.
const MOTION: Constants<(usize, f64)> = Constants {
    small: [(6, 1.0), (6, 1.5), (6, 2.0), (8, 2.0), (9, 2.5)],
    large: [(10, 3.0), (15, 5.0), (15, 8.0), (15, 12.0), (20, 15.0)],
};
/// The steepest direction of blur, in degrees.
const STEEPEST: f64 = 45.0;

/// Blurs along a line whose direction is uniform within 45 degrees of the horizontal.
pub(in super::super) fn motion(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (radius, sigma) = MOTION.at(scale, step);
    let degrees = between(-STEEPEST, STEEPEST, stream);
    image.map_planes(|plane| along(plane, radius, sigma, degrees))
}

/// Computes the mean of the pixels that lie 0 to 2 `radius` pixels away in one direction, weighted by half a Gaussian.
///
/// # Formula
/// `y(p) = sum_k w_k x(p + round(k (sin a, cos a)))` with `w_k` in proportion to `exp(-k^2 / (2 sigma^2))`, rows
/// counted downwards; the edge's pixels are repeated beyond it.
///
/// Source: `MotionBlurImage` of ImageMagick, which the published code calls. The blur is one-sided: it also moves the
/// image.
pub(super) fn along(plane: &Plane, radius: usize, sigma: f64, degrees: f64) -> Plane {
    let length = 2 * radius + 1;
    let weights = normalized((0..length).map(|k| libm::exp(-((k * k) as f64) / (2.0 * sigma * sigma))).collect());
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let (height, width) = (plane.height(), plane.width());
    let mut sums = Plane::new(height, width, vec![0.0; height * width]);
    for (k, weight) in weights.iter().enumerate() {
        // Halves round down, as in ImageMagick.
        let away = |share: f64| (k as f64 * share - 0.5).ceil() as isize;
        let (down, right) = (away(sin), away(cos));
        for i in 0..height {
            let row = Border::Edge.index(i as isize + down, height);
            for j in 0..width {
                let col = Border::Edge.index(j as isize + right, width);
                sums.set(i, j, sums.at(i, j) + weight * plane.at(row, col));
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{ERRORS, corrupted, draw, grey, impulse, moments};
    use super::*;

    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn a_point_becomes_half_a_gaussian_along_the_line() {
        let plane = impulse(101).plane(0);
        for degrees in [0.0, 30.0, -45.0, -90.0] {
            let (sigma, radius) = (8.0, 30);
            let streak = along(&plane, radius, sigma, degrees);
            assert!((streak.values().iter().sum::<f64>() - 1.0).abs() < TOLERANCE);
            let (sin, cos) = libm::sincos(degrees.to_radians());
            let (mut far, mut off) = (0.0, 0.0_f64);
            for i in 0..101 {
                for j in 0..101 {
                    // A pixel's light reaches the pixels that see it along the direction of blur.
                    let (y, x) = (50.0 - i as f64, 50.0 - j as f64);
                    far += (y * sin + x * cos) * streak.at(i, j);
                    if streak.at(i, j) > 0.0 {
                        off = off.max((y * cos - x * sin).abs());
                    }
                }
            }
            // The mean of half a Gaussian is sigma sqrt(2 / pi), less half a step for the sum's first term.
            let mean = sigma * (2.0 / std::f64::consts::PI).sqrt();
            assert!((far - mean).abs() < 0.5, "{degrees} {far} {mean}");
            assert!(off < 1.0, "{degrees}: a pixel {off} off the line");
        }
    }

    #[test]
    fn directions_are_uniform() {
        const TIMES: u64 = 300;
        let (image, middle) = (impulse(101), 50.0);
        let degrees = |time: u64| {
            let plane = motion(&image, Scale::Large, 4, &mut draw(time)).plane(0);
            let (mut down, mut right) = (0.0, 0.0);
            for (place, light) in plane.values().iter().enumerate() {
                down += light * (middle - (place / 101) as f64);
                right += light * (middle - (place % 101) as f64);
            }
            libm::atan2(down, right).to_degrees()
        };
        let found: Vec<f64> = (0..TIMES).map(degrees).collect();
        // Rounding to pixels changes the direction by about a degree.
        assert!(found.iter().all(|degrees| degrees.abs() < STEEPEST + 2.0));
        let ((mean, variance), n) = (moments(&found), TIMES as f64);
        let expected = STEEPEST * STEEPEST / 3.0;
        assert!(mean.abs() < ERRORS * (expected / n).sqrt(), "{mean}");
        assert!((variance - expected).abs() < ERRORS * expected * (0.8 / n).sqrt(), "{variance} {expected}");
    }

    #[test]
    fn light_is_kept_and_spreads_no_farther_than_the_line() {
        for (scale, step, streak) in corrupted(&impulse(101), motion) {
            let (radius, _) = MOTION.at(scale, step);
            let plane = streak.plane(0);
            assert!((plane.values().iter().sum::<f64>() - 1.0).abs() < TOLERANCE);
            let lit = plane.values().iter().filter(|&&x| x > 0.0).count();
            assert!(lit > radius && lit <= 2 * radius + 1, "{lit}");
        }
    }

    #[test]
    fn a_constant_image_stays_constant() {
        for (_, _, streak) in corrupted(&grey(19, 23, 0.3), motion) {
            assert!(streak.values().iter().all(|x| (x - 0.3).abs() < TOLERANCE));
        }
    }
}

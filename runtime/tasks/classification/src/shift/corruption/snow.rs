//! Snow: flakes that fall across the image, and the pale light of snowfall.

use jointly_core::stream::Stream;

use super::super::draw::between;
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};
use super::color::luma_of;
use super::motion::along;
use super::zoom::enlarge;

/// The constants of a snowfall.
#[derive(Clone, Copy)]
struct Snowfall {
    /// Mean and standard deviation of the noise that flakes are made from.
    mean: f64,
    deviation: f64,
    /// The factor by which flakes are enlarged.
    zoom: f64,
    /// The brightness below which noise is no flake.
    threshold: f64,
    /// Half the number of pixels, and the standard deviation of the weights, of the flakes' motion blur.
    radius: usize,
    sigma: f64,
    /// The weight of the image's own colours.
    kept: f64,
}

const fn fall(c: (f64, f64, f64, f64, usize, f64, f64)) -> Snowfall {
    Snowfall { mean: c.0, deviation: c.1, zoom: c.2, threshold: c.3, radius: c.4, sigma: c.5, kept: c.6 }
}

const SNOW: Constants<Snowfall> = Constants {
    small: [
        fall((0.1, 0.2, 1.0, 0.6, 8, 3.0, 0.95)),
        fall((0.1, 0.2, 1.0, 0.5, 10, 4.0, 0.9)),
        fall((0.15, 0.3, 1.75, 0.55, 10, 4.0, 0.9)),
        fall((0.25, 0.3, 2.25, 0.6, 12, 6.0, 0.85)),
        fall((0.3, 0.3, 1.25, 0.65, 14, 12.0, 0.8)),
    ],
    large: [
        fall((0.1, 0.3, 3.0, 0.5, 10, 4.0, 0.8)),
        fall((0.2, 0.3, 2.0, 0.5, 12, 4.0, 0.7)),
        fall((0.55, 0.3, 4.0, 0.9, 12, 8.0, 0.7)),
        fall((0.55, 0.3, 4.5, 0.85, 12, 8.0, 0.65)),
        fall((0.55, 0.3, 2.5, 0.85, 12, 12.0, 0.55)),
    ],
};
/// The range of directions of fall, in degrees.
const FALL: [f64; 2] = [-135.0, -45.0];

/// Computes `k x + (1 - k) max(x, 1.5 grey + 0.5)`, plus flakes, plus the same flakes rotated by half a turn, clipped.
///
/// Flakes are Gaussian noise, enlarged, set to 0 below a threshold and blurred along their direction of fall.
pub(in super::super) fn snow(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let fall = SNOW.at(scale, step);
    let flakes = flakes(image.shape().height(), image.shape().width(), &fall, stream);
    let last = flakes.values().len() - 1;
    image.map_pixels(|place, pixel| {
        let white = flakes.values()[place] + flakes.values()[last - place];
        let pale = luma_of(pixel) * 1.5 + 0.5;
        for x in pixel {
            *x = fall.kept * *x + (1.0 - fall.kept) * x.max(pale) + white;
        }
    })
}

fn flakes(height: usize, width: usize, fall: &Snowfall, stream: &mut Stream) -> Plane {
    let noise = Plane::from_fn(height, width, |_, _| fall.mean + fall.deviation * stream.normal());
    let direction = between(FALL[0], FALL[1], stream);
    let flakes = enlarge(&noise, fall.zoom).map(|x| if x < fall.threshold { 0.0 } else { x.min(1.0) });
    along(&flakes, fall.radius, fall.sigma, direction)
}

#[cfg(test)]
mod tests {
    use jointly_core::estimate::probit::probit;

    use super::super::super::fixture::{ERRORS, corrupted, grey, moments, photo, shape};
    use super::*;

    #[test]
    fn flakes_are_as_many_as_the_tail_of_their_noise() {
        // Without enlargement, the mean of thresholded noise is an integral of the normal density, and a blur preserves
        // means. Flakes are added twice, over black that has turned grey.
        let (side, steps) = (400, 100_000);
        let mut seen = 0;
        for (scale, step, snowy) in corrupted(&grey(side, side, 0.0), snow) {
            let fall = SNOW.at(scale, step);
            if fall.zoom > 1.0 {
                continue;
            }
            let flake = |k: i32| {
                let x = fall.mean + fall.deviation * probit((f64::from(k) + 0.5) / f64::from(steps));
                if x < fall.threshold { 0.0 } else { x.min(1.0) }
            };
            let expected = (0..steps).map(flake).sum::<f64>() / f64::from(steps);
            let found = (moments(snowy.values()).0 - 0.5 * (1.0 - fall.kept)) / 2.0;
            // A flake's second moment is below its mean, because a flake is at most 1.
            let error = (expected / (side * side) as f64).sqrt();
            assert!((found - expected).abs() < ERRORS * error, "{scale:?} {step}: {found} {expected}");
            seen += 1;
        }
        assert_eq!(seen, 2);
    }

    #[test]
    fn snow_only_brightens_and_falls_down() {
        let image = photo(shape(40, 40, 3), 0);
        for (_, _, snowy) in corrupted(&image, snow) {
            assert!(image.values().iter().zip(snowy.values()).all(|(a, b)| b + 1e-12 >= *a));
        }
        // Flakes are streaks: vertical neighbours are more alike than horizontal ones.
        for (scale, step, snowy) in corrupted(&grey(100, 100, 0.0), snow) {
            let plane = snowy.plane(0);
            let rough = |down: usize, right: usize| -> f64 {
                let places = (0..99).flat_map(|i| (0..99).map(move |j| (i, j)));
                places.map(|(i, j)| (plane.at(i, j) - plane.at(i + down, j + right)).abs()).sum()
            };
            assert!(rough(1, 0) < rough(0, 1), "{scale:?} {step}");
        }
    }
}

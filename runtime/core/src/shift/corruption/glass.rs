//! The view through frosted glass: pixels exchanged with their neighbours between two blurs.

use super::super::draw::below;
use super::super::filter::blur;
use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};
use crate::stream::Stream;

/// Standard deviation of the blurs in pixels, farthest exchange in pixels, and rounds of exchange.
const GLASS: Constants<(f64, usize, usize)> = Constants {
    small: [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)],
    large: [(0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2)],
};

/// Blurred; each pixel at least d from the edge, from the lower right to the upper left, exchanged with one of those
/// from d above and left to d - 1 below and right of it; and blurred again.
///
/// In the published code the exchange of a colour image's pixels overwrites the first before the second is read, so
/// that it copies one over the other; here they are exchanged, as the paper says.
pub(in super::super) fn glass(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (sigma, reach, rounds) = GLASS.at(scale, step);
    let blurred = image.map_planes(|plane| blur(plane, sigma));
    exchange(&blurred, reach, rounds, stream).map_planes(|plane| blur(plane, sigma))
}

fn exchange(image: &Pixels, reach: usize, rounds: usize, stream: &mut Stream) -> Pixels {
    let (height, width) = (image.shape().height(), image.shape().width());
    let channels = image.shape().channels();
    // From the last to the first; none where the image is too small for an exchange.
    let inner = |side: usize| (reach + 1..=side.saturating_sub(reach)).rev();
    let mut values = image.values().to_vec();
    for _ in 0..rounds {
        for i in inner(height) {
            for j in inner(width) {
                let mut near = |place: usize| place + below(2 * reach as u64, stream) as usize - reach;
                let (other_j, other_i) = (near(j), near(i));
                for channel in 0..channels {
                    let at = |i: usize, j: usize| (i * width + j) * channels + channel;
                    values.swap(at(i, j), at(other_i, other_j));
                }
            }
        }
    }
    Pixels::clipped(image.shape(), values)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, grey, impulse, photo, shape};
    use super::*;
    use crate::stream::stream;

    #[test]
    fn an_exchange_is_a_permutation_of_pixels() {
        for (height, width, channels) in [(1, 1, 1), (2, 3, 3), (9, 8, 3), (32, 32, 1)] {
            let image = photo(shape(height, width, channels), 0);
            for (reach, rounds) in [(1, 1), (1, 2), (4, 2)] {
                let mixed = exchange(&image, reach, rounds, &mut stream(0, "test", "glass", 0));
                let sorted = |image: &Pixels| {
                    let mut pixels: Vec<Vec<f64>> = image.values().chunks(channels).map(<[f64]>::to_vec).collect();
                    pixels.sort_by(|a, b| a[0].total_cmp(&b[0]));
                    pixels
                };
                assert_eq!(sorted(&mixed), sorted(&image));
                assert_eq!(mixed == image, height.min(width) <= 2 * reach, "{height} {width} {reach}");
            }
        }
    }

    #[test]
    fn light_is_kept_and_stays_near() {
        for (scale, step, blurred) in corrupted(&impulse(101), glass) {
            let (sigma, _, _) = GLASS.at(scale, step);
            let plane = blurred.plane(0);
            assert!((plane.values().iter().sum::<f64>() - 1.0).abs() < 1e-9);
            // A pixel may be carried along by the exchanges of its neighbours, but not out of sight.
            let far = (0..101 * 101).filter(|p| (p / 101_usize).abs_diff(50).max((p % 101_usize).abs_diff(50)) > 45);
            assert!(far.map(|p| plane.values()[p]).sum::<f64>() < 1e-6, "{sigma}");
        }
    }

    #[test]
    fn a_constant_image_stays_constant() {
        for (_, _, blurred) in corrupted(&grey(19, 23, 0.3), glass) {
            assert!(blurred.values().iter().all(|x| (x - 0.3).abs() < 1e-9));
        }
    }
}

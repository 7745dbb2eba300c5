//! Frosted glass: replaces pixels by their neighbours between two blurs.

use jointly_core::pick::below;
use jointly_core::stream::Stream;

use super::super::filter::blur;
use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};

/// The blurs' standard deviation in pixels, the largest distance of the copied pixels, and the number of rounds.
const GLASS: Constants<(f64, usize, usize)> = Constants {
    small: [(0.05, 1, 1), (0.25, 1, 1), (0.4, 1, 1), (0.25, 1, 2), (0.4, 1, 2)],
    large: [(0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2)],
};

/// Blurs the image; replaces each pixel at least d from the edge, from the lower right to the upper left, by a random
/// pixel between d above and left of it and d - 1 below and right of it; and blurs the result again.
///
/// The paper describes shuffling. In its code the exchange of two pixels overwrites the first before it is read, so
/// that CIFAR-10-C and ImageNet-C contain copies, and this function copies too: true exchanges would carry pixels from
/// row to row, far beyond d, and scatter them more than the constants were chosen for.
pub(in super::super) fn glass(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (sigma, reach, rounds) = GLASS.at(scale, step);
    let blurred = image.map_planes(|plane| blur(plane, sigma));
    scatter(&blurred, reach, rounds, stream).map_planes(|plane| blur(plane, sigma))
}

fn scatter(image: &Pixels, reach: usize, rounds: usize, stream: &mut Stream) -> Pixels {
    let (height, width) = (image.shape().height(), image.shape().width());
    let channels = image.shape().channels();
    // Goes from the last place to the first; there are none if the image is too small.
    let inner = |side: usize| (reach + 1..=side.saturating_sub(reach)).rev();
    let mut values = image.values().to_vec();
    for _ in 0..rounds {
        for i in inner(height) {
            for j in inner(width) {
                let mut near = |place: usize| place + below(2 * reach, stream) - reach;
                let (other_j, other_i) = (near(j), near(i));
                for channel in 0..channels {
                    let at = |i: usize, j: usize| (i * width + j) * channels + channel;
                    values[at(i, j)] = values[at(other_i, other_j)];
                }
            }
        }
    }
    Pixels::clipped(image.shape(), values)
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::super::super::fixture::{ERRORS, cases, corrupted, draw, grey, moments, photo, place_at, places, shape};
    use super::*;

    #[test]
    fn every_neighbour_is_as_likely() {
        // Red encodes the row of a pixel's origin, and blue the column.
        let side = 102_usize;
        let values = (0..side * side).flat_map(|p| [(p / side) as f64 / 255.0, 0.0, (p % side) as f64 / 255.0]);
        let image = Pixels::new(shape(side, side, 3), values.collect()).unwrap();
        for (reach, rounds) in [(1, 1), (1, 2), (3, 1)] {
            let mixed = scatter(&image, reach, rounds, &mut stream(0, "test", "glass", 0)).to_bytes();
            let away = |place: usize| {
                let (i, j) = (place / side, place % side);
                let from = |channel: usize| i32::from(mixed[place * 3 + channel]);
                (from(0) - i as i32, from(2) - j as i32)
            };
            let inner = |k: usize| k > reach && k <= side - reach;
            let places: Vec<usize> = (0..side * side).filter(|p| inner(p / side) && inner(p % side)).collect();
            assert!((0..side * side).all(|p| away(p) == (0, 0) || places.contains(&p)));
            let share = |count: usize| count as f64 / places.len() as f64;
            let count = |offset: (i32, i32)| places.iter().filter(|&&p| away(p) == offset).count();
            if reach == 1 {
                // Pixels above and left are still unchanged: one round moves by 0 or 1 each way, two rounds by the sum
                // of two such moves.
                let law = if rounds == 1 { vec![0.5, 0.5] } else { vec![0.25, 0.5, 0.25] };
                for (up, p) in law.iter().enumerate() {
                    for (left, q) in law.iter().enumerate() {
                        // Five standard errors; in a second round, neighbours share the results of the first.
                        let error = 5.0 * (p * q * 2.0 / places.len() as f64).sqrt();
                        assert!((share(count((-(up as i32), -(left as i32)))) - p * q).abs() < error);
                    }
                }
            } else {
                // Pixels below and to the right are copied already; at least a quarter come directly from above left.
                let near = |k: i32| (-(reach as i32)..reach as i32).contains(&k);
                assert!(share(places.iter().filter(|&&p| near(away(p).0) && near(away(p).1)).count()) > 0.5);
            }
        }
    }

    #[test]
    fn pixels_come_from_as_far_above_and_left_as_their_copies_do() {
        // A round copies from -1/2 away on average and, with probability q, from pixels that it has already copied:
        // those below, and those to the right in the same row. So a pixel comes from -1/2 / (1 - q) away in total, and
        // each round adds the same again.
        const SIDE: usize = 60;
        const TIMES: u64 = 100;
        let middle = 22..38;
        for (scale, step) in cases() {
            let (_, reach, rounds) = GLASS.at(scale, step);
            let copied = ((reach - 1) * (2 * reach + 1)) as f64 / (4 * reach * reach) as f64;
            let expected = -0.5 / (1.0 - copied) * rounds as f64;
            let away = |time: u64| {
                let moved = glass(&places(SIDE), scale, step, &mut draw(time));
                let pixels = middle.clone().flat_map(|i| middle.clone().map(move |j| (i, j)));
                let offsets: Vec<f64> = pixels
                    .flat_map(|(i, j)| {
                        let [y, x] = place_at(&moved, i, j);
                        [y - i as f64, x - j as f64]
                    })
                    .collect();
                moments(&offsets).0
            };
            let (mean, variance) = moments(&(0..TIMES).map(away).collect::<Vec<f64>>());
            let error = (variance / TIMES as f64).sqrt();
            assert!((mean - expected).abs() < ERRORS * error, "{scale:?} {step}: {mean} {expected} {error}");
        }
    }

    #[test]
    fn images_too_small_are_only_blurred() {
        for (height, width, reach) in [(1, 1, 1), (2, 3, 1), (9, 8, 4)] {
            let image = photo(shape(height, width, 3), 0);
            assert_eq!(scatter(&image, reach, 2, &mut stream(0, "test", "glass", 1)), image);
        }
    }

    #[test]
    fn a_constant_image_stays_constant() {
        for (_, _, blurred) in corrupted(&grey(19, 23, 0.3), glass) {
            assert!(blurred.values().iter().all(|x| (x - 0.3).abs() < 1e-9));
        }
    }
}

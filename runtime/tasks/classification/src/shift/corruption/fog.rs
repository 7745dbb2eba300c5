//! Fog: lays bright clouds over the image.

use jointly_core::stream::Stream;

use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};
use super::plasma::plasma;

/// The thickness of the fog, and the rate at which its detail decays.
const FOG: Constants<(f64, f64)> = Constants {
    small: [(0.2, 3.0), (0.5, 3.0), (0.75, 2.5), (1.0, 2.0), (1.5, 1.75)],
    large: [(1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4)],
};

/// Computes `(x + c f) m / (m + c)`, with f the fog at the pixel, from 0 to 1, and m the image's largest value: the
/// brightest pixel keeps its brightness at f = 1, and a black image stays black.
pub(in super::super) fn fog(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (thickness, decay) = FOG.at(scale, step);
    let clouds = plasma(image.shape().height(), image.shape().width(), decay, stream);
    let most = image.values().iter().fold(0.0_f64, |most, &x| most.max(x));
    image.map_pixels(|place, pixel| {
        for x in pixel {
            *x = (*x + thickness * clouds.values()[place]) * most / (most + thickness);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{ERRORS, corrupted, grey, moments, photo, shape};
    use super::super::super::pixels::Pixels;
    use super::*;

    #[test]
    fn fog_is_a_mean_of_the_image_and_clouds_that_all_channels_share() {
        let values = photo(shape(32, 32, 1), 0).values().iter().flat_map(|&x| [x, x, 1.0]).collect();
        let image = Pixels::new(shape(32, 32, 3), values).unwrap();
        for (scale, step, foggy) in corrupted(&image, fog) {
            let (thickness, _) = FOG.at(scale, step);
            for (before, after) in image.values().chunks(3).zip(foggy.values().chunks(3)) {
                assert_eq!(after[0], after[1]);
                // The image's largest value is 1, so contrast falls by the factor 1 / (1 + c).
                let contrast = (after[2] - after[0]) * (1.0 + thickness);
                assert!((contrast - (before[2] - before[0])).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn clouds_lose_detail_as_their_decay_says() {
        // The middle of four neighbours is their mean plus a uniform number, smaller by decay^2 than that of the middle
        // of a square twice as large: decay^4 in variance, whatever the scale of the clouds.
        const SIDE: usize = 128;
        for (scale, step, foggy) in corrupted(&grey(SIDE, SIDE, 0.5), fog) {
            let (_, decay) = FOG.at(scale, step);
            let plane = foggy.plane(0);
            let detail = |far: usize| {
                let middles =
                    (far..SIDE).step_by(2 * far).flat_map(|i| (far..SIDE).step_by(2 * far).map(move |j| (i, j)));
                let swing = |(i, j): (usize, usize)| {
                    let (below, right) = ((i + far) % SIDE, (j + far) % SIDE);
                    let corners = [(i - far, j - far), (below, j - far), (i - far, right), (below, right)];
                    plane.at(i, j) - corners.iter().map(|&(i, j)| plane.at(i, j)).sum::<f64>() / 4.0
                };
                let swings: Vec<f64> = middles.map(swing).collect();
                (moments(&swings).1, swings.len() as f64)
            };
            let ((fine, many), (coarse, few)) = (detail(1), detail(2));
            // The square of a uniform number has a variance of 4/5 of its squared mean.
            let error = (0.8 / many + 0.8 / few).sqrt();
            let found = coarse / fine / decay.powi(4);
            assert!((found - 1.0).abs() < ERRORS * error, "{scale:?} {step}: {found}");
        }
    }

    #[test]
    fn black_stays_black() {
        for (_, _, foggy) in corrupted(&grey(5, 4, 0.0), fog) {
            assert_eq!(foggy, grey(5, 4, 0.0));
        }
    }
}

//! Low contrast: moves every value towards its channel's mean.

use jointly_core::stream::Stream;

use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};

/// The share of the distance from the mean that is kept.
const CONTRAST: Constants<f64> = Constants { small: [0.75, 0.5, 0.4, 0.3, 0.15], large: [0.4, 0.3, 0.2, 0.1, 0.05] };

/// Computes `(x - mean) c + mean`, with the channel's mean over the image.
pub(in super::super) fn contrast(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let kept = CONTRAST.at(scale, step);
    image.map_planes(|plane| {
        let mean = plane.values().iter().sum::<f64>() / plane.values().len() as f64;
        plane.map(|x| (x - mean) * kept + mean)
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, moments, photo, shape};
    use super::*;

    #[test]
    fn the_mean_stays_and_the_deviation_shrinks() {
        let image = photo(shape(20, 30, 3), 0);
        for (scale, step, flat) in corrupted(&image, contrast) {
            let kept = CONTRAST.at(scale, step);
            for channel in 0..3 {
                let before = moments(image.plane(channel).values());
                let after = moments(flat.plane(channel).values());
                assert!((before.0 - after.0).abs() < 1e-12);
                assert!((before.1 * kept * kept - after.1).abs() < 1e-12);
            }
        }
    }
}

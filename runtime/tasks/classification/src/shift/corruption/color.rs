//! Brightness and saturation, in the HSV colour space.

use jointly_core::stream::Stream;

use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};

/// The amount added to the value of a colour.
const BRIGHTNESS: Constants<f64> = Constants { small: [0.05, 0.1, 0.15, 0.2, 0.3], large: [0.1, 0.2, 0.3, 0.4, 0.5] };
/// The factor of the saturation, and the amount added after it.
const SATURATE: Constants<(f64, f64)> = Constants {
    small: [(0.3, 0.0), (0.1, 0.0), (1.5, 0.0), (2.0, 0.1), (2.5, 0.2)],
    large: [(0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2)],
};
/// The weights of red, green and blue in grey (ITU-R BT.601).
pub(super) const LUMA: [f64; 3] = [0.299, 0.587, 0.114];

/// Returns the grey of a colour.
pub(super) fn luma(color: [f64; 3]) -> f64 {
    color.iter().zip(LUMA).map(|(x, w)| x * w).sum()
}

/// Returns the grey of a pixel with one channel or three.
pub(super) fn luma_of(pixel: &[f64]) -> f64 {
    match *pixel {
        [red, green, blue] => luma([red, green, blue]),
        _ => pixel[0],
    }
}

/// Converts a colour for an image with `channels` channels: on a grey image, its grey three times.
pub(super) fn tinted(color: [f64; 3], channels: usize) -> [f64; 3] {
    if channels == 1 { [luma(color); 3] } else { color }
}

/// Raises the largest channel by c, at most to 1, and the others in proportion, so that only the value of the colour
/// changes.
///
/// Black becomes grey; a grey image becomes `min(x + c, 1)`.
pub(in super::super) fn brightness(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let added = BRIGHTNESS.at(scale, step);
    image.map_pixels(|_, pixel| {
        let value = pixel.iter().fold(0.0_f64, |most, &x| most.max(x));
        let brighter = (value + added).min(1.0);
        for x in pixel {
            *x = if value > 0.0 { *x / value * brighter } else { brighter };
        }
    })
}

/// Changes the saturation s of a colour to `a s + b`, clamped to [0, 1]; hue and value stay.
///
/// By the usual convention, the hue of a grey pixel of a colour image is red: where b is not 0, grey turns reddish. A
/// grey image has no hue to saturate and stays unchanged.
pub(in super::super) fn saturate(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let (factor, added) = SATURATE.at(scale, step);
    image.map_pixels(|_, pixel| {
        let [red, green, blue] = *pixel else { return };
        let (value, least) = (red.max(green).max(blue), red.min(green).min(blue));
        if value == 0.0 {
            return;
        }
        let saturation = ((value - least) / value * factor + added).clamp(0.0, 1.0);
        // The distance of each channel below the value, as a share of the largest distance, encodes the hue.
        let below =
            if value > least { [red, green, blue].map(|x| (value - x) / (value - least)) } else { [0.0, 1.0, 1.0] };
        for (x, below) in pixel.iter_mut().zip(below) {
            *x = value * (1.0 - saturation * below);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, grey, photo, shape};
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    /// Returns hue (as a share of the circle), saturation and value by the textbook formula.
    fn hsv(pixel: &[f64]) -> [f64; 3] {
        let (r, g, b) = (pixel[0], pixel[1], pixel[2]);
        let (most, least) = (r.max(g).max(b), r.min(g).min(b));
        let span = most - least;
        let sixth = if span == 0.0 {
            0.0
        } else if most == r {
            ((g - b) / span).rem_euclid(6.0)
        } else if most == g {
            (b - r) / span + 2.0
        } else {
            (r - g) / span + 4.0
        };
        [sixth / 6.0, if most == 0.0 { 0.0 } else { span / most }, most]
    }

    #[test]
    fn brightness_changes_the_value_alone() {
        let image = photo(shape(20, 20, 3), 0);
        for (scale, step, bright) in corrupted(&image, brightness) {
            for (before, after) in image.values().chunks(3).zip(bright.values().chunks(3)) {
                let (before, after) = (hsv(before), hsv(after));
                assert!((before[0] - after[0]).abs() < 1e-9 && (before[1] - after[1]).abs() < 1e-9);
                assert!((after[2] - (before[2] + BRIGHTNESS.at(scale, step)).min(1.0)).abs() < TOLERANCE);
            }
        }
    }

    #[test]
    fn grey_and_black_brighten_evenly() {
        for (scale, step, bright) in corrupted(&grey(2, 3, 0.6), brightness) {
            let expected = (0.6 + BRIGHTNESS.at(scale, step)).min(1.0);
            assert!(bright.values().iter().all(|x| (x - expected).abs() < TOLERANCE));
        }
        let black = Pixels::new(shape(1, 1, 3), vec![0.0; 3]).unwrap();
        for (scale, step, bright) in corrupted(&black, brightness) {
            assert_eq!(bright.values(), [BRIGHTNESS.at(scale, step); 3]);
        }
    }

    #[test]
    fn saturation_changes_alone() {
        let image = photo(shape(20, 20, 3), 1);
        for (scale, step, saturated) in corrupted(&image, saturate) {
            let (factor, added) = SATURATE.at(scale, step);
            for (before, after) in image.values().chunks(3).zip(saturated.values().chunks(3)) {
                let (before, after) = (hsv(before), hsv(after));
                assert!((before[0] - after[0]).abs() < 1e-9 && (before[2] - after[2]).abs() < TOLERANCE);
                assert!((after[1] - (before[1] * factor + added).clamp(0.0, 1.0)).abs() < TOLERANCE);
            }
        }
    }

    #[test]
    fn grey_has_no_saturation() {
        let image = photo(shape(4, 5, 1), 2);
        assert!(corrupted(&image, saturate).iter().all(|(_, _, same)| *same == image));
        let image = Pixels::new(shape(1, 1, 3), vec![0.5; 3]).unwrap();
        for (scale, step, reddish) in corrupted(&image, saturate) {
            let low = 0.5 * (1.0 - SATURATE.at(scale, step).1);
            assert_eq!(reddish.values(), [0.5, low, low]);
        }
    }
}

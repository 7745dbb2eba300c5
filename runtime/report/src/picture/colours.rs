//! A diverging colour scale for probabilities, from blue over near-white to orange, and images in it.
//!
//! Perceived lightness changes evenly and symmetrically, so that readers who cannot tell red from green can order the
//! colours, and one half is the lightest.

use std::fmt::Write as _;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::picture::png::{self, Rgb};

/// The number of levels of the scale.
const LEVELS: usize = 256;
/// The ends of the scale and its middle: lightness, green to red, blue to yellow, in Oklab (Ottosson, 2020).
const ZERO: [f64; 3] = [0.48, -0.045, -0.13];
const HALF: [f64; 3] = [0.97, 0.0, 0.004];
const ONE: [f64; 3] = [0.48, 0.095, 0.09];

/// Returns the colour of a probability.
pub(crate) fn colour(probability: f64) -> String {
    let [red, green, blue] = rgb(probability);
    let mut text = String::from("#");
    for part in [red, green, blue] {
        let _ = write!(text, "{part:02x}");
    }
    text
}

/// Returns a square image of probabilities, row by row from the upper left, as a data URI.
pub(crate) fn image(probabilities: &[f32], cells: usize) -> Result<String> {
    image_of(probabilities, cells, cells)
}

/// Returns an image of the scale itself, from one down to zero.
pub(crate) fn scale() -> Result<String> {
    let column: Vec<f32> = (0..LEVELS).rev().map(|level| level as f32 / (LEVELS - 1) as f32).collect();
    image_of(&column, 1, LEVELS)
}

fn image_of(probabilities: &[f32], width: usize, height: usize) -> Result<String> {
    let level = |p: &f32| (f64::from(*p).clamp(0.0, 1.0) * (LEVELS - 1) as f64 + 0.5) as u8;
    let pixels: Vec<u8> = probabilities.iter().map(level).collect();
    let palette: Vec<Rgb> = (0..LEVELS).map(|level| rgb(level as f64 / (LEVELS - 1) as f64)).collect();
    let bytes = png::encode(&pixels, (width as u32, height as u32), &palette)?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
}

fn rgb(probability: f64) -> Rgb {
    let (end, part) = if probability < 0.5 { (ZERO, 1.0 - 2.0 * probability) } else { (ONE, 2.0 * probability - 1.0) };
    let mix = |i: usize| HALF[i] + (end[i] - HALF[i]) * part;
    oklab([mix(0), mix(1), mix(2)])
}

/// Converts Oklab to sRGB.
fn oklab([lightness, a, b]: [f64; 3]) -> Rgb {
    let cube = |x: f64| x * x * x;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548 * b);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
    ];
    linear.map(|x| {
        let x = x.clamp(0.0, 1.0);
        let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * libm::pow(x, 1.0 / 2.4) - 0.055 };
        (encoded * 255.0 + 0.5) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::{colour, image, oklab, rgb};

    /// Returns the relative luminance of a colour, as defined for sRGB.
    fn luminance(probability: f64) -> f64 {
        let weights = [0.2126, 0.7152, 0.0722];
        let linear = |x: u8| {
            let x = f64::from(x) / 255.0;
            if x <= 0.040_45 { x / 12.92 } else { libm::pow((x + 0.055) / 1.055, 2.4) }
        };
        rgb(probability).iter().zip(weights).map(|(x, weight)| linear(*x) * weight).sum()
    }

    #[test]
    fn known_colours_come_out() {
        assert_eq!(oklab([1.0, 0.0, 0.0]), [255, 255, 255]);
        assert_eq!(oklab([0.0, 0.0, 0.0]), [0, 0, 0]);
        // Red, from the author's own table: L 0.628, a 0.225, b 0.126.
        let red = oklab([0.627_955, 0.224_863, 0.125_846]);
        assert!(red[0] >= 254 && red[1] <= 1 && red[2] <= 1, "{red:?}");
    }

    #[test]
    fn the_scale_is_lightest_at_a_half_and_darkens_on_both_sides() {
        for level in 0..10 {
            let (p, next) = (f64::from(level) / 20.0, f64::from(level + 1) / 20.0);
            assert!(luminance(p) < luminance(next), "{p}");
            assert!(luminance(1.0 - p) < luminance(1.0 - next), "{p}");
        }
    }

    #[test]
    fn the_ends_differ_in_red_and_in_blue() {
        let ([r0, _, b0], [r1, _, b1]) = (rgb(0.0), rgb(1.0));
        assert!(b0 > r0 && r1 > b1, "{} {}", colour(0.0), colour(1.0));
    }

    #[test]
    fn an_image_is_small() {
        let uri = image(&vec![0.5; 120 * 120], 120).unwrap();
        assert!(uri.starts_with("data:image/png;base64,iVBOR") && uri.len() < 4000, "{}", uri.len());
    }
}

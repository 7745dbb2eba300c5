//! Spatter: drops of water or mud on the lens.

use jointly_core::stream::Stream;

use super::super::border::Border;
use super::super::filter::{blur, box_of_three, correlate};
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};
use super::color::tinted;

/// The constants of a spatter.
#[derive(Clone, Copy)]
struct Drops {
    /// Mean and standard deviation of the noise that drops are made from, and the standard deviation of the Gaussian
    /// that smooths it.
    mean: f64,
    deviation: f64,
    sigma: f64,
    /// The least value of smoothed noise that is a drop.
    threshold: f64,
    /// The brightness of water, or the standard deviation in pixels of the blur of mud.
    strength: f64,
    liquid: Liquid,
}

#[derive(Clone, Copy, PartialEq)]
enum Liquid {
    Water,
    Mud,
}

const fn water(c: (f64, f64, f64, f64, f64)) -> Drops {
    Drops { mean: c.0, deviation: c.1, sigma: c.2, threshold: c.3, strength: c.4, liquid: Liquid::Water }
}

const fn mud(c: (f64, f64, f64, f64, f64)) -> Drops {
    Drops { liquid: Liquid::Mud, ..water(c) }
}

const SPATTER: Constants<Drops> = Constants {
    small: [
        water((0.62, 0.1, 0.7, 0.7, 0.5)),
        water((0.65, 0.1, 0.8, 0.7, 0.5)),
        water((0.65, 0.3, 1.0, 0.69, 0.5)),
        mud((0.65, 0.1, 0.7, 0.69, 0.6)),
        mud((0.65, 0.1, 0.5, 0.68, 0.6)),
    ],
    large: [
        water((0.65, 0.3, 4.0, 0.69, 0.6)),
        water((0.65, 0.3, 3.0, 0.68, 0.6)),
        water((0.65, 0.3, 2.0, 0.68, 0.5)),
        mud((0.65, 0.3, 1.0, 0.65, 1.5)),
        mud((0.67, 0.4, 1.0, 0.65, 1.5)),
    ],
};
/// The colour of water, pale turquoise.
const WATER: [f64; 3] = [175.0 / 255.0, 238.0 / 255.0, 238.0 / 255.0];
/// The colour of mud, brown.
const MUD: [f64; 3] = [63.0 / 255.0, 42.0 / 255.0, 20.0 / 255.0];
/// The least coverage of smoothed mud; less counts as none.
const THIN: f64 = 0.8;
/// The largest distance from the rim at which a drop is still curved, in pixels.
const CURVED: f64 = 20.0;
/// The kernel that lights a drop from the upper left.
const RELIEF: [f64; 9] = [-2.0, -1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 1.0, 2.0];

/// Adds water to the image, or lays mud over it; on a grey image in the grey of its colour.
///
/// Smoothed noise that reaches the threshold is liquid. Water shines by a relief of the distance to its rim. The
/// published code finds the rim by an edge detector; here it is the border of the liquid. Mud covers the pixels over
/// which it is smoothed.
pub(in super::super) fn spatter(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let drops = SPATTER.at(scale, step);
    let (height, width) = (image.shape().height(), image.shape().width());
    let noise = Plane::from_fn(height, width, |_, _| drops.mean + drops.deviation * stream.normal());
    let liquid = blur(&noise, drops.sigma).map(|x| if x < drops.threshold { 0.0 } else { x.min(1.0) });
    let (layer, color) = match drops.liquid {
        Liquid::Water => (shine(&liquid, drops.strength), WATER),
        Liquid::Mud => (cover(&liquid, drops.strength), MUD),
    };
    image.map_pixels(|place, pixel| {
        let (share, color) = (layer.values()[place], tinted(color, pixel.len()));
        let kept = if drops.liquid == Liquid::Mud { 1.0 - share } else { 1.0 };
        for (x, color) in pixel.iter_mut().zip(color) {
            *x = *x * kept + color * share;
        }
    })
}

/// Returns the share of each pixel that mud covers.
fn cover(liquid: &Plane, sigma: f64) -> Plane {
    let mud = liquid.map(|x| f64::from(u8::from(x > 0.0)));
    blur(&mud, sigma).map(|x| if x < THIN { 0.0 } else { x.min(1.0) })
}

/// Returns the light that water adds to each pixel, from 0 to `strength`.
fn shine(liquid: &Plane, strength: f64) -> Plane {
    let byte = |x: f64| x.clamp(0.0, 255.0).floor();
    let rounded = |x: f64| x.round().clamp(0.0, 255.0);
    let height = equalized(&box_of_three(&to_rim(liquid)).map(rounded));
    let relief = correlate(&height, &Plane::new(3, 3, RELIEF.to_vec()), Border::Mirror).map(byte);
    let relief = box_of_three(&relief);
    let light = Plane::from_fn(liquid.height(), liquid.width(), |i, j| liquid.at(i, j) * relief.at(i, j));
    let most = light.max();
    if most > 0.0 { light.map(|x| x / most * strength) } else { light }
}

/// Returns the distance of each pixel to the nearest rim pixel, in pixels, at most [`CURVED`]; a rim pixel is liquid
/// with a dry neighbour.
fn to_rim(liquid: &Plane) -> Plane {
    let (height, width) = (liquid.height(), liquid.width());
    let wet = |i: usize, j: usize| liquid.at(i, j) > 0.0;
    let rim = |i: usize, j: usize| {
        let near = [(i.saturating_sub(1), j), (i + 1, j), (i, j.saturating_sub(1)), (i, j + 1)];
        wet(i, j) && near.iter().any(|&(a, b)| !wet(a.min(height - 1), b.min(width - 1)))
    };
    // The distance along each column first, then the least sum of squares along each row, which is exact.
    let mut down = Plane::new(height, width, vec![CURVED; height * width]);
    for j in 0..width {
        let mut nearest = CURVED;
        for i in 0..height {
            nearest = if rim(i, j) { 0.0 } else { (nearest + 1.0).min(CURVED) };
            down.set(i, j, nearest);
        }
        nearest = CURVED;
        for i in (0..height).rev() {
            nearest = if rim(i, j) { 0.0 } else { (nearest + 1.0).min(CURVED) };
            down.set(i, j, nearest.min(down.at(i, j)));
        }
    }
    let reach = CURVED as usize;
    Plane::from_fn(height, width, |i, j| {
        let columns = j.saturating_sub(reach)..(j + reach + 1).min(width);
        let squares = columns.map(|k| down.at(i, k) * down.at(i, k) + (k.abs_diff(j) * k.abs_diff(j)) as f64);
        squares.fold(CURVED * CURVED, f64::min).sqrt()
    })
}

/// Equalises the histogram of integers from 0 to 255; a constant plane is unchanged.
fn equalized(plane: &Plane) -> Plane {
    let mut counts = [0_usize; 256];
    for &x in plane.values() {
        counts[x as usize] += 1;
    }
    let first = counts.iter().position(|&count| count > 0).map_or(0, |least| counts[least]);
    let others = plane.values().len() - first;
    if others == 0 {
        return plane.clone();
    }
    let mut sum = 0;
    let spread = counts.map(|count| {
        sum += count;
        (sum.saturating_sub(first) as f64 / others as f64 * 255.0).round()
    });
    plane.map(|x| spread[x as usize])
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::super::super::filter::gaussian;
    use super::super::super::fixture::{ERRORS, cases, corrupted, draw, grey, photo, shape};
    use super::*;

    /// The side of images whose drops are counted, the tolerance for rounding, and the least share of water that
    /// shines.
    const SIDE: usize = 160;
    const TOLERANCE: f64 = 1e-9;
    const MOST: f64 = 0.5;

    #[test]
    fn distances_to_a_rim_are_those_of_brute_force() {
        let mut source = stream(0, "test", "spatter", 0);
        let noise = Plane::from_fn(40, 31, |_, _| source.normal());
        let liquid = blur(&noise, 2.5).map(|x| if x > 0.13 { x } else { 0.0 });
        let distances = to_rim(&liquid);
        let wet = |i: i32, j: i32| liquid.at(i.clamp(0, 39) as usize, j.clamp(0, 30) as usize) > 0.0;
        let rim = |i: i32, j: i32| {
            wet(i, j) && [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)].iter().any(|&(a, b)| !wet(a, b))
        };
        let rims: Vec<(i32, i32)> =
            (0..40).flat_map(|i| (0..31).map(move |j| (i, j))).filter(|&(i, j)| rim(i, j)).collect();
        assert!(rims.len() > 10);
        for i in 0..40 {
            for j in 0..31 {
                let square = rims.iter().map(|&(a, b)| (a - i).pow(2) + (b - j).pow(2)).min().unwrap();
                let expected = f64::from(square).sqrt().min(CURVED);
                assert!((distances.at(i as usize, j as usize) - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn equalized_values_are_spread() {
        let plane = Plane::new(1, 6, vec![3.0, 3.0, 7.0, 7.0, 9.0, 200.0]);
        assert_eq!(equalized(&plane).values(), [0.0, 0.0, 128.0, 128.0, 191.0, 255.0]);
        let flat = Plane::new(1, 2, vec![4.0, 4.0]);
        assert_eq!(equalized(&flat), flat);
    }

    #[test]
    fn water_shines_and_mud_covers() {
        let image = photo(shape(60, 50, 3), 0);
        for (scale, step, wet) in corrupted(&image, spatter) {
            let drops = SPATTER.at(scale, step);
            let pairs = image.values().chunks(3).zip(wet.values().chunks(3));
            let touched = pairs.clone().filter(|(a, b)| a != b).count();
            assert!(touched > 0 && touched < 3000, "{scale:?} {step}: {touched}");
            for (before, after) in pairs {
                for channel in 0..3 {
                    let (before, after) = (before[channel], after[channel]);
                    match drops.liquid {
                        Liquid::Water => {
                            assert!(
                                after + 1e-12 >= before && after <= before + drops.strength * WATER[channel] + 1e-12
                            );
                        }
                        // Between the original value and mud, and most of the way to mud.
                        Liquid::Mud if after != before => {
                            assert!(
                                (after - MUD[channel]).abs() <= (1.0 - THIN) * (before - MUD[channel]).abs() + 1e-12
                            );
                        }
                        Liquid::Mud => {}
                    }
                }
            }
        }
    }

    /// Blurs with a Gaussian by its definition: every pixel within 4 standard deviations, with the edge repeated beyond
    /// it.
    fn blurred(plane: &Plane, sigma: f64) -> Plane {
        let radius = (4.0 * sigma + 0.5) as isize;
        let near = || (-radius..=radius).flat_map(|y| (-radius..=radius).map(move |x| (y, x)));
        let weight = |y: isize, x: isize| libm::exp(-((y * y + x * x) as f64) / (2.0 * sigma * sigma));
        let all: f64 = near().map(|(y, x)| weight(y, x)).sum();
        let inside = |place: isize| place.clamp(0, SIDE as isize - 1) as usize;
        Plane::from_fn(SIDE, SIDE, |i, j| {
            let value = |(y, x)| weight(y, x) * plane.at(inside(i as isize + y), inside(j as isize + x));
            near().map(value).sum::<f64>() / all
        })
    }

    /// Returns the places of a corruption's liquid: its noise, drawn from the same stream, smoothed and compared with
    /// the threshold.
    fn wet(drops: &Drops) -> Plane {
        let mut source = draw(0);
        let noise = Plane::from_fn(SIDE, SIDE, |_, _| drops.mean + drops.deviation * source.normal());
        blurred(&noise, drops.sigma).map(|x| f64::from(u8::from(x >= drops.threshold)))
    }

    #[test]
    fn drops_cover_the_tail_of_smoothed_noise() {
        let black = Pixels::new(shape(SIDE, SIDE, 3), vec![0.0; 3 * SIDE * SIDE]).unwrap();
        let white = Pixels::new(shape(SIDE, SIDE, 3), vec![1.0; 3 * SIDE * SIDE]).unwrap();
        for (scale, step) in cases() {
            let drops = SPATTER.at(scale, step);
            let (wet, pixels) = (wet(&drops), (SIDE * SIDE) as f64);
            // Smoothed by weights w, independent noise of deviation s has deviation s |w|. The share of pixels above
            // the threshold is a Gaussian tail, and is no more correlated than the noise, whose correlations sum to
            // 1 / |w|^2.
            let power: f64 = gaussian(drops.sigma, 4.0).iter().map(|w| w * w).sum();
            let tail = (drops.threshold - drops.mean) / (drops.deviation * power);
            let expected = libm::erfc(tail / std::f64::consts::SQRT_2) / 2.0;
            let error = (expected * (1.0 - expected) / pixels).sqrt() / power;
            let share = wet.values().iter().sum::<f64>() / pixels;
            assert!((share - expected).abs() < ERRORS * error, "{scale:?} {step}: {share} {expected} {error}");

            let image = if drops.liquid == Liquid::Water { &black } else { &white };
            let spattered = spatter(image, scale, step, &mut draw(0));
            let smeared = blurred(&wet, drops.strength);
            let (mut most, mut lit) = (0.0_f64, 0.0);
            for (place, pixel) in spattered.values().chunks(3).enumerate() {
                // The pixel is a multiple of the liquid's colour.
                let [share, others @ ..] = [0, 1, 2].map(|channel| match drops.liquid {
                    Liquid::Water => pixel[channel] / WATER[channel],
                    Liquid::Mud => (1.0 - pixel[channel]) / (1.0 - MUD[channel]),
                });
                assert!(others.iter().all(|other| (other - share).abs() < TOLERANCE), "{scale:?} {step}: {pixel:?}");
                let smeared = smeared.values()[place];
                match drops.liquid {
                    Liquid::Water => assert!(share == 0.0 || wet.values()[place] == 1.0, "{scale:?} {step}: {place}"),
                    Liquid::Mud if smeared < THIN - TOLERANCE => assert_eq!(share, 0.0),
                    Liquid::Mud => assert!((share - smeared).abs() < TOLERANCE || (smeared - THIN).abs() < TOLERANCE),
                }
                most = most.max(share);
                lit += f64::from(u8::from(share > 0.0));
            }
            if drops.liquid == Liquid::Water {
                // The brightest drop has the severity's brightness, and most of the water shines.
                assert!((most - drops.strength).abs() < TOLERANCE, "{scale:?} {step}: {most}");
                assert!(lit > MOST * share * pixels, "{scale:?} {step}: {} of {share}", lit / pixels);
            }
        }
    }

    #[test]
    fn a_pixel_alone_is_spattered_or_not() {
        for (_, _, wet) in corrupted(&grey(1, 1, 0.5), spatter) {
            assert!((0.0..=1.0).contains(&wet.values()[0]));
        }
    }
}

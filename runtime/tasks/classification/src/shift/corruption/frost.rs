//! Frost: ice crystals on a pane in front of the camera.

use jointly_core::stream::Stream;

use super::super::draw::between;
use super::super::filter::blur;
use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};
use super::color::tinted;
use super::plasma::plasma;

/// The weight of the image, and the weight of the frost added to it.
const FROST: Constants<(f64, f64)> = Constants {
    small: [(1.0, 0.2), (1.0, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)],
    large: [(1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)],
};
/// The colour of ice, slightly blue.
const ICE: [f64; 3] = [0.88, 0.95, 1.0];
/// The number of ferns of ice that grow from the edges of a pane.
const FERNS: usize = 12;
/// The angle between a stem of ice and its branches, in radians: ice crystals have six arms.
const ANGLE: f64 = std::f64::consts::FRAC_PI_3;
/// The decay of detail of the clouds between crystals.
const CLOUD_DECAY: f64 = 1.6;

/// Computes `a x + b frost`, clipped.
///
/// The published code adds crops of six photographs of frost; here each pane is drawn at random: ferns of ice that
/// branch at 60 degrees, over clouds. The weights a and b are those of the published code.
pub(in super::super) fn frost(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let (kept, added) = FROST.at(scale, step);
    let pane = pane(image.shape().height(), image.shape().width(), stream);
    image.map_pixels(|place, pixel| {
        let ice = tinted(ICE, pixel.len());
        for (x, ice) in pixel.iter_mut().zip(ice) {
            *x = kept * *x + added * ice * pane.values()[place];
        }
    })
}

/// Draws the brightness of a frosted pane, from 0 to 1.
fn pane(height: usize, width: usize, stream: &mut Stream) -> Plane {
    let clouds = plasma(height, width, CLOUD_DECAY, stream);
    let mut ice = Ice::new(height, width);
    for _ in 0..FERNS {
        ice.fern(stream);
    }
    let haze = blur(&ice.crystals, ice.gap);
    Plane::from_fn(height, width, |i, j| {
        let between = 0.05 + 0.35 * clouds.at(i, j) + 0.5 * haze.at(i, j);
        between.max(ice.crystals.at(i, j) * (0.75 + 0.25 * clouds.at(i, j))).min(1.0)
    })
}

/// The crystals on a pane while they are drawn.
struct Ice {
    crystals: Plane,
    /// The longer side, in pixels.
    side: f64,
    /// The distance between two branches of a stem, in pixels.
    gap: f64,
    /// Half the width of a needle, in pixels.
    thickness: f64,
}

/// A straight needle of ice: its start, direction (radians), length and brightness.
#[derive(Clone, Copy)]
struct Needle {
    start: [f64; 2],
    direction: f64,
    length: f64,
    brightness: f64,
}

impl Needle {
    fn point(&self, along: f64) -> [f64; 2] {
        let (sin, cos) = libm::sincos(self.direction);
        [self.start[0] + along * sin, self.start[1] + along * cos]
    }
}

impl Ice {
    fn new(height: usize, width: usize) -> Self {
        let side = height.max(width) as f64;
        let crystals = Plane::new(height, width, vec![0.0; height * width]);
        Self { crystals, side, gap: 1.8 + side / 60.0, thickness: 0.5 + side / 300.0 }
    }

    /// Draws a stem from the edge towards the middle, its branches, and their branches.
    fn fern(&mut self, stream: &mut Stream) {
        let (height, width) = (self.crystals.height() as f64, self.crystals.width() as f64);
        let along = stream.uniform();
        let start = match (4.0 * stream.uniform()) as u8 {
            0 => [0.0, along * width],
            1 => [height, along * width],
            2 => [along * height, 0.0],
            _ => [along * height, width],
        };
        let goal = [height * between(0.25, 0.75, stream), width * between(0.25, 0.75, stream)];
        let stem = Needle {
            start,
            direction: libm::atan2(goal[0] - start[0], goal[1] - start[1]),
            length: self.side * between(0.45, 1.0, stream),
            brightness: between(0.75, 1.0, stream),
        };
        self.needle(&stem);
        self.branches(&stem, 0.5, 2, stream);
    }

    /// Draws needles to both sides of a stem; the length of each is a share of the rest of the stem.
    fn branches(&mut self, stem: &Needle, share: f64, depth: u32, stream: &mut Stream) {
        let mut along = self.gap * (0.5 + stream.uniform());
        while along < stem.length {
            for side in [-1.0, 1.0] {
                let branch = Needle {
                    start: stem.point(along),
                    direction: stem.direction + side * (ANGLE + between(-0.08, 0.08, stream)),
                    length: (stem.length - along) * share * between(0.5, 1.0, stream),
                    brightness: stem.brightness * between(0.75, 1.0, stream),
                };
                if branch.length >= 1.0 {
                    self.needle(&branch);
                    if depth > 1 && branch.length > 2.0 * self.gap {
                        self.branches(&branch, 0.4, depth - 1, stream);
                    }
                }
            }
            along += self.gap * between(0.7, 1.3, stream);
        }
    }

    /// Brightens the pixels within the width of a needle, which tapers.
    fn needle(&mut self, needle: &Needle) {
        let end = needle.point(needle.length);
        let reach = self.thickness + 1.0;
        let (height, width) = (self.crystals.height(), self.crystals.width());
        let range = |a: f64, b: f64, side: usize| {
            let first = (a.min(b) - reach).max(0.0) as usize;
            first..((a.max(b) + reach).max(0.0).ceil() as usize).min(side)
        };
        let (sin, cos) = libm::sincos(needle.direction);
        for i in range(needle.start[0], end[0], height) {
            for j in range(needle.start[1], end[1], width) {
                let (y, x) = (i as f64 + 0.5 - needle.start[0], j as f64 + 0.5 - needle.start[1]);
                let along = (y * sin + x * cos).clamp(0.0, needle.length);
                let off = ((y - along * sin) * (y - along * sin) + (x - along * cos) * (x - along * cos)).sqrt();
                let thickness = self.thickness * (1.0 - 0.5 * along / needle.length);
                let bright = needle.brightness * (thickness + 0.5 - off).clamp(0.0, 1.0);
                if bright > self.crystals.at(i, j) {
                    self.crystals.set(i, j, bright);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::super::super::fixture::{ODD_SIZES, corrupted, grey, moments};
    use super::super::color::luma;
    use super::*;

    #[test]
    fn panes_are_bright_and_uneven_at_any_size() {
        for (height, width) in ODD_SIZES.into_iter().chain([(28, 28), (224, 224)]) {
            let pane = pane(height, width, &mut stream(0, "test", "pane", 0));
            assert!(pane.values().iter().all(|x| (0.0..=1.0).contains(x)));
        }
        for side in [28, 224] {
            let (mut mean, mut variance) = (0.0, 0.0);
            for index in 0..10 {
                let pane = pane(side, side, &mut stream(0, "test", "pane", index));
                let found = moments(pane.values());
                (mean, variance) = (mean + found.0 / 10.0, variance + found.1 / 10.0);
            }
            // The pane is about half-bright, as photographs of frost are, with a visible contrast.
            assert!((0.35..0.75).contains(&mean), "{side}: {mean}");
            assert!((0.02..0.15).contains(&variance), "{side}: {variance}");
        }
    }

    #[test]
    fn frost_is_added_to_what_is_left() {
        let (dark, light) = (grey(28, 28, 0.0), grey(28, 28, 0.2));
        let dark = corrupted(&dark, frost);
        for ((scale, step, dark), (_, _, light)) in dark.iter().zip(corrupted(&light, frost)) {
            let (kept, added) = FROST.at(*scale, *step);
            for (a, b) in dark.values().iter().zip(light.values()) {
                assert!((b - a - kept * 0.2).abs() < 1e-9 || *b == 1.0);
                assert!(*a <= added * luma(ICE) + 1e-9);
            }
        }
    }
}

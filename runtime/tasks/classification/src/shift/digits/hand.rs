//! How one character is written: its size, slant and turn, and the pen's width.

use jointly_core::image_shape::ImageShape;
use jointly_core::stream::Stream;

use super::super::draw::between;
use super::super::pixels::Pixels;
use super::path::distance;
use super::side::{LEAST_SIDE, MOST_SIDE, SIDE};

/// How tall a character is, in pixels, and how wide, as a share of that.
const HEIGHT: [f64; 2] = [16.0, 21.0];
const WIDTH: [f64; 2] = [0.5, 0.9];
/// Half the width of the pen's line, in pixels.
const PEN: [f64; 2] = [0.7, 1.7];
/// How dark the ink is.
const INK: [f64; 2] = [0.8, 1.0];
/// Mean and standard deviation of the slant, as pixels to the right a pixel up; most people slant to the right.
const SLANT: [f64; 2] = [0.12, 0.2];
/// Standard deviation of the turn, in degrees.
const TURN: f64 = 6.0;
/// Standard deviation of the place of the middle, in pixels.
const PLACE: f64 = 1.0;
/// Standard deviation of control points, as a share of the character's size.
const JITTER: f64 = 0.035;

/// A way of writing a character.
pub(super) struct Hand {
    height: f64,
    width: f64,
    pen: f64,
    ink: f64,
    slant: f64,
    /// Sine and cosine.
    turn: (f64, f64),
    middle: [f64; 2],
}

impl Hand {
    /// A hand at random. Normal numbers are cut at 2 standard deviations, so that a character stays in the image and
    /// upright.
    pub(super) fn draw(stream: &mut Stream) -> Self {
        let height = between(HEIGHT[0], HEIGHT[1], stream);
        let width = height * between(WIDTH[0], WIDTH[1], stream);
        let pen = between(PEN[0], PEN[1], stream);
        let ink = between(INK[0], INK[1], stream);
        let slant = SLANT[0] + SLANT[1] * stream.truncated_normal();
        let turn = libm::sincos((TURN * stream.truncated_normal()).to_radians());
        let middle = [(); 2].map(|()| SIDE as f64 / 2.0 + PLACE * stream.truncated_normal());
        Self { height, width, pen, ink, slant, turn, middle }
    }

    /// The image of strokes, which are polylines in a unit square, on so many rows and columns.
    ///
    /// # Panics
    /// When the side is not from [`LEAST_SIDE`] to [`MOST_SIDE`].
    pub(super) fn ink(&self, strokes: &[Vec<[f64; 2]>], side: usize) -> Pixels {
        assert!((LEAST_SIDE..=MOST_SIDE).contains(&side), "digits are drawn on {LEAST_SIDE} to {MOST_SIDE} rows");
        let lines: Vec<Vec<[f64; 2]>> =
            strokes.iter().map(|stroke| stroke.iter().map(|&point| self.place(point)).collect()).collect();
        // A pixel's side, in pixels of an image of the usual size.
        let unit = SIDE as f64 / side as f64;
        let shade = |place: usize| {
            let middle = [((place / side) as f64 + 0.5) * unit, ((place % side) as f64 + 0.5) * unit];
            let far = lines.iter().map(|line| distance(middle, line)).fold(f64::INFINITY, f64::min);
            // A pixel half under the line is half dark.
            self.ink * ((self.pen + 0.5 * unit - far) / unit).clamp(0.0, 1.0)
        };
        let shape = ImageShape::new(side, side, 1).expect("a side of digits is one of images");
        Pixels::clipped(shape, (0..side * side).map(shade).collect())
    }

    /// Where in the image a point of the unit square lies.
    fn place(&self, [row, col]: [f64; 2]) -> [f64; 2] {
        let y = (row - 0.5) * self.height;
        let x = (col - 0.5) * self.width - self.slant * y;
        let (sin, cos) = self.turn;
        [self.middle[0] + y * cos + x * sin, self.middle[1] + x * cos - y * sin]
    }
}

/// A control point as this time the hand hits it, as row and column of a unit square.
pub(super) fn jitter((x, y): (f64, f64), stream: &mut Stream) -> [f64; 2] {
    [y, x].map(|place| place + JITTER * stream.truncated_normal())
}

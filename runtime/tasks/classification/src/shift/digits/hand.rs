//! The handwriting of one character: its size, slant, rotation and pen width.

use jointly_core::image_shape::ImageShape;
use jointly_core::stream::Stream;

use super::super::draw::between;
use super::super::pixels::Pixels;
use super::path::distance;
use super::side::{LEAST_SIDE, MOST_SIDE, SIDE};

/// The height of a character, in pixels, and its width, as a share of the height.
const HEIGHT: [f64; 2] = [16.0, 21.0];
const WIDTH: [f64; 2] = [0.5, 0.9];
/// Half the width of the pen's line, in pixels.
const PEN: [f64; 2] = [0.7, 1.7];
/// The darkness of the ink.
const INK: [f64; 2] = [0.8, 1.0];
/// Mean and standard deviation of the slant, in pixels to the right per pixel up; most people slant to the right.
const SLANT: [f64; 2] = [0.12, 0.2];
/// Standard deviation of the rotation, in degrees.
const TURN: f64 = 6.0;
/// Standard deviation of the position of the middle, in pixels.
const PLACE: f64 = 1.0;
/// Standard deviation of control points, as a share of the character's size.
const JITTER: f64 = 0.035;

/// The parameters of one character's handwriting.
pub(super) struct Hand {
    height: f64,
    width: f64,
    pen: f64,
    ink: f64,
    slant: f64,
    /// Sine and cosine of the rotation.
    turn: (f64, f64),
    middle: [f64; 2],
}

impl Hand {
    /// Draws a random handwriting. Gaussian numbers are truncated at 2 standard deviations, so that a character stays
    /// upright and within the image.
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

    /// Draws strokes, which are polylines in a unit square, on `side` rows and columns.
    ///
    /// # Panics
    /// When the side is not from [`LEAST_SIDE`] to [`MOST_SIDE`].
    pub(super) fn ink(&self, strokes: &[Vec<[f64; 2]>], side: usize) -> Pixels {
        assert!((LEAST_SIDE..=MOST_SIDE).contains(&side), "digits are drawn on {LEAST_SIDE} to {MOST_SIDE} rows");
        let lines: Vec<Vec<[f64; 2]>> =
            strokes.iter().map(|stroke| stroke.iter().map(|&point| self.place(point)).collect()).collect();
        // A pixel's side, in pixels of an image of the default size.
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

    /// Returns the image coordinates of a point of the unit square.
    fn place(&self, [row, col]: [f64; 2]) -> [f64; 2] {
        let y = (row - 0.5) * self.height;
        let x = (col - 0.5) * self.width - self.slant * y;
        let (sin, cos) = self.turn;
        [self.middle[0] + y * cos + x * sin, self.middle[1] + x * cos - y * sin]
    }
}

/// Returns a control point with random jitter, as row and column of a unit square.
pub(super) fn jitter((x, y): (f64, f64), stream: &mut Stream) -> [f64; 2] {
    [y, x].map(|place| place + JITTER * stream.truncated_normal())
}

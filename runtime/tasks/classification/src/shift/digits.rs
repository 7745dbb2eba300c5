//! Digits drawn by the host, so that images can shift without any file: 28 x 28 grey pixels of handwriting, and letters
//! and scribbles that are not digits.
//!
//! A glyph consists of a few strokes through control points in a unit square. Every image moves the points slightly,
//! stretches, slants and rotates the glyph, and draws it with its own pen width; a pixel's ink falls with its distance
//! from the stroke. There are ten equally likely classes, each in several handwritings.

mod glyphs;
mod hand;
mod path;
mod side;

use jointly_core::pick::below;
use jointly_core::stream::Stream;

use super::pixels::Pixels;

use hand::{Hand, jitter};
pub use side::{LEAST_SIDE, MOST_SIDE, SIDE};

/// The classes: the digits 0 to 9.
pub const CLASSES: u32 = 10;

/// The least and greatest numbers of strokes of a scribble, and of points of a stroke.
const SCRIBBLE_STROKES: [usize; 2] = [2, 3];
const SCRIBBLE_POINTS: [usize; 2] = [3, 5];
/// The least size of a scribble that is stretched to a character's size.
const LEAST_SIZE: f64 = 1e-3;

/// Draws a digit of a uniformly random class, and returns it with its class.
pub fn digit(stream: &mut Stream) -> (Pixels, u32) {
    digit_at(SIDE, stream)
}

/// Draws a digit on `side` rows and columns, with the same lines at every resolution, and returns it with its class.
///
/// # Panics
/// When the side is not from [`LEAST_SIDE`] to [`MOST_SIDE`].
pub fn digit_at(side: usize, stream: &mut Stream) -> (Pixels, u32) {
    let class = below(CLASSES as usize, stream) as u32;
    (write(pick(glyphs::DIGITS[class as usize], stream), side, stream), class)
}

/// Draws a digit of a class.
///
/// # Panics
/// When `class` is not below [`CLASSES`].
pub fn digit_of(class: u32, stream: &mut Stream) -> Pixels {
    write(pick(glyphs::DIGITS[class as usize], stream), SIDE, stream)
}

/// Draws an image that is not a digit, with the same pens as digits: a letter or a scribble, equally likely.
pub fn outsider(stream: &mut Stream) -> Pixels {
    outsider_at(SIDE, stream)
}

/// Draws an image that is not a digit on `side` rows and columns.
///
/// # Panics
/// When the side is not from [`LEAST_SIDE`] to [`MOST_SIDE`].
pub fn outsider_at(side: usize, stream: &mut Stream) -> Pixels {
    if below(2, stream) == 0 { letter(side, stream) } else { scribble(side, stream) }
}

/// Draws a capital letter that resembles no digit.
fn letter(side: usize, stream: &mut Stream) -> Pixels {
    write(pick(&glyphs::LETTERS, stream), side, stream)
}

/// Draws a few curves through random points, as large as a character.
fn scribble(side: usize, stream: &mut Stream) -> Pixels {
    let number = |[least, most]: [usize; 2], stream: &mut Stream| least + below(most - least + 1, stream);
    let hand = Hand::draw(stream);
    let mut strokes: Vec<Vec<[f64; 2]>> = (0..number(SCRIBBLE_STROKES, stream))
        .map(|_| (0..number(SCRIBBLE_POINTS, stream)).map(|_| [stream.uniform(), stream.uniform()]).collect())
        .collect();
    for axis in 0..2 {
        let ends = strokes.iter().flatten().map(|point| point[axis]);
        let (least, most) = ends.fold((1.0_f64, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
        // Points that nearly coincide are not stretched.
        let size = if most - least > LEAST_SIZE { most - least } else { 1.0 };
        for point in strokes.iter_mut().flatten() {
            point[axis] = (point[axis] - least) / size;
        }
    }
    hand.ink(&strokes.iter().map(|points| path::curve(points, false)).collect::<Vec<_>>(), side)
}

fn pick<T>(choices: &'static [T], stream: &mut Stream) -> &'static T {
    &choices[below(choices.len(), stream)]
}

fn write(glyph: &glyphs::Glyph, side: usize, stream: &mut Stream) -> Pixels {
    let hand = Hand::draw(stream);
    let strokes: Vec<Vec<[f64; 2]>> = glyph
        .iter()
        .map(|stroke| {
            let points: Vec<[f64; 2]> = stroke.points().iter().map(|&point| jitter(point, stream)).collect();
            stroke.through(&points)
        })
        .collect();
    hand.ink(&strokes, side)
}

#[cfg(test)]
mod tests;

//! Images for the tests of shifts.

use jointly_core::image_shape::ImageShape;
use jointly_core::stream::{Stream, stream};

use super::pixels::Pixels;
use super::scale::Scale;
use super::scale::Step;

pub(super) const SCALES: [Scale; 2] = [Scale::Small, Scale::Large];
/// Image sizes that are edge cases, each used in grey and in colour.
pub(super) const ODD_SIZES: [(usize, usize); 8] = [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2), (7, 5), (1, 30), (17, 33)];

pub(super) fn shape(height: usize, width: usize, channels: usize) -> ImageShape {
    ImageShape::new(height, width, channels).unwrap()
}

pub(super) fn grey(height: usize, width: usize, value: f64) -> Pixels {
    let shape = shape(height, width, 1);
    Pixels::new(shape, vec![value; shape.values()]).unwrap()
}

/// Returns an image of independent uniform values.
pub(super) fn photo(shape: ImageShape, index: u64) -> Pixels {
    let mut source = stream(0, "test", "photo", index);
    Pixels::new(shape, (0..shape.values()).map(|_| source.uniform()).collect()).unwrap()
}

/// Returns a grey square image of a soft round spot, 0 at the edge.
pub(super) fn smooth(side: usize) -> Pixels {
    let middle = (side - 1) as f64 / 2.0;
    let value = |i: usize, j: usize| {
        let (y, x) = (i as f64 - middle, j as f64 - middle - 2.0);
        libm::exp(-(y * y + 0.6 * x * x) / (0.06 * middle * middle))
    };
    let values = (0..side * side).map(|place| value(place / side, place % side)).collect();
    Pixels::new(shape(side, side, 1), values).unwrap()
}

/// Returns a single white pixel on black.
pub(super) fn impulse(side: usize) -> Pixels {
    let mut values = vec![0.0; side * side];
    values[side / 2 * side + side / 2] = 1.0;
    Pixels::new(shape(side, side, 1), values).unwrap()
}

/// Returns the largest absolute difference of two images' values.
pub(super) fn apart(a: &Pixels, b: &Pixels) -> f64 {
    assert_eq!(a.shape(), b.shape());
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Returns the root mean square difference of two images.
pub(super) fn distance(a: &Pixels, b: &Pixels) -> f64 {
    assert_eq!(a.shape(), b.shape());
    let squares: f64 = a.values().iter().zip(b.values()).map(|(a, b)| (a - b) * (a - b)).sum();
    (squares / a.values().len() as f64).sqrt()
}

/// Returns an image whose colours encode pixel coordinates: red the row, as a share of the side, and green the column.
pub(super) fn places(side: usize) -> Pixels {
    let share = |place: usize| place as f64 / side as f64;
    let values = (0..side * side).flat_map(|place| [share(place / side), share(place % side), 0.0]).collect();
    Pixels::new(shape(side, side, 3), values).unwrap()
}

/// Returns the row and column that the colours of a pixel encode, in an image of [`places`] that was moved.
pub(super) fn place_at(moved: &Pixels, i: usize, j: usize) -> [f64; 2] {
    let side = moved.shape().width();
    let start = (i * side + j) * 3;
    [moved.values()[start] * side as f64, moved.values()[start + 1] * side as f64]
}

/// The number of standard errors by which an estimate may be off.
pub(super) const ERRORS: f64 = 5.0;

/// Returns mean and variance.
pub(super) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n)
}

/// Returns the corrupted image at every scale and severity.
pub(super) fn corrupted(
    image: &Pixels,
    corruption: fn(&Pixels, Scale, Step, &mut Stream) -> Pixels,
) -> Vec<(Scale, Step, Pixels)> {
    let corrupt = |(scale, step)| (scale, step, corruption(image, scale, step, &mut draw(0)));
    cases().map(corrupt).collect()
}

/// Returns every scale and severity.
pub(super) fn cases() -> impl Iterator<Item = (Scale, Step)> {
    SCALES.into_iter().flat_map(|scale| (0..5).map(move |step| (scale, step)))
}

/// Returns the stream of the corruption with this index; [`corrupted`] uses index 0.
pub(super) fn draw(index: u64) -> Stream {
    stream(0, "test", "corrupt", index)
}

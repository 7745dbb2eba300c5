//! Coarse pixels: shrinks the image and enlarges it again.

use jointly_core::stream::Stream;

use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};

/// The side of the smaller image, as a share.
const PIXELATE: Constants<f64> = Constants { small: [0.95, 0.9, 0.85, 0.75, 0.65], large: [0.6, 0.5, 0.4, 0.3, 0.25] };

/// Replaces each pixel by the mean of the pixels whose centres lie within its cell.
///
/// # Formula
/// A side of n pixels is split into `max(1, floor(c n))` equal cells; a pixel's value is the mean over the cell that
/// contains its own centre.
///
/// Source: Pillow's box filter both ways, as in the published code.
pub(in super::super) fn pixelate(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let share = PIXELATE.at(scale, step);
    image.map_planes(|plane| {
        let (height, width) = (plane.height(), plane.width());
        let cells = |side: usize| ((side as f64 * share) as usize).max(1);
        let (down, across) = (cells(height), cells(width));
        let (mut sums, mut counts) = (vec![0.0; down * across], vec![0_u32; down * across]);
        let cell = |i: usize, j: usize| index(i, height, down) * across + index(j, width, across);
        for i in 0..height {
            for j in 0..width {
                sums[cell(i, j)] += plane.at(i, j);
                counts[cell(i, j)] += 1;
            }
        }
        Plane::from_fn(height, width, |i, j| sums[cell(i, j)] / f64::from(counts[cell(i, j)]))
    })
}

/// Returns the cell that contains the centre of pixel `i`, computed in integers, so that no centre is rounded across a
/// border.
fn index(i: usize, side: usize, cells: usize) -> usize {
    (2 * i + 1) * cells / (2 * side)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, grey, moments, photo, shape};
    use super::*;

    #[test]
    fn every_cell_has_a_pixel() {
        for side in [1, 2, 3, 28, 32, 224] {
            for cells in 1..=side {
                let mut seen: Vec<usize> = (0..side).map(|i| index(i, side, cells)).collect();
                assert!(seen.is_sorted());
                seen.dedup();
                assert_eq!(seen, (0..cells).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn cells_are_constant_and_keep_the_mean() {
        let image = photo(shape(32, 32, 1), 0);
        for (scale, step, coarse) in corrupted(&image, pixelate) {
            let cells = (32.0 * PIXELATE.at(scale, step)) as usize;
            let mut values = coarse.values().to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            assert_eq!(values.len(), cells * cells);
            assert!((moments(coarse.values()).0 - moments(image.values()).0).abs() < 1e-12);
        }
        for (_, _, coarse) in corrupted(&grey(3, 7, 0.3), pixelate) {
            assert!(coarse.values().iter().all(|x| (x - 0.3).abs() < 1e-12));
        }
    }

    #[test]
    fn half_the_side_is_the_mean_of_four() {
        let image = photo(shape(100, 100, 1), 1);
        let (_, _, coarse) = &corrupted(&image, pixelate)[6];
        let (fine, coarse) = (image.plane(0), coarse.plane(0));
        let mean = (fine.at(4, 6) + fine.at(4, 7) + fine.at(5, 6) + fine.at(5, 7)) / 4.0;
        assert!((coarse.at(5, 6) - mean).abs() < 1e-12);
    }
}

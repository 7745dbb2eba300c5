//! Zoom blur: blurs towards the edges, like a camera that rushes at its object.

use jointly_core::stream::Stream;

use super::super::pixels::Pixels;
use super::super::plane::Plane;
use super::super::scale::{Constants, Scale, Step};

/// The number of zoom factors, which start from 1, and their spacing.
const ZOOM: Constants<(usize, f64)> = Constants {
    small: [(7, 0.01), (12, 0.01), (16, 0.01), (21, 0.01), (26, 0.01)],
    large: [(12, 0.01), (16, 0.01), (11, 0.02), (13, 0.02), (11, 0.03)],
};

/// Computes the mean of the image and of its middle enlarged by factors from 1 upwards.
pub(in super::super) fn zoom(image: &Pixels, scale: Scale, step: Step, _: &mut Stream) -> Pixels {
    let (zooms, apart) = ZOOM.at(scale, step);
    image.map_planes(|plane| {
        let mut sum = plane.clone();
        for k in 0..zooms {
            let enlarged = enlarge(plane, 1.0 + k as f64 * apart);
            for (sum, value) in sum.values_mut().iter_mut().zip(enlarged.values()) {
                *sum += value;
            }
        }
        sum.map(|x| x / (zooms + 1) as f64)
    })
}

/// Enlarges the middle of the plane to the plane's size by bilinear interpolation; `factor` is at least 1.
///
/// Each side is cut to `ceil(side / factor)` pixels, and the excess after enlarging is trimmed, separately for each
/// side (the published code assumes square images).
pub(super) fn enlarge(plane: &Plane, factor: f64) -> Plane {
    let (height, width) = (plane.height(), plane.width());
    let (down, across) = (Axis::new(height, factor), Axis::new(width, factor));
    // Computed once for a column instead of for each of its pixels.
    let columns: Vec<Between> = (0..width).map(|j| across.between(j)).collect();
    let mut values = Vec::with_capacity(height * width);
    for i in 0..height {
        let rows = down.between(i);
        values.extend(columns.iter().map(|columns| {
            let along = |row: usize| {
                plane.at(row, columns.low) * (1.0 - columns.share) + plane.at(row, columns.high) * columns.share
            };
            along(rows.low) * (1.0 - rows.share) + along(rows.high) * rows.share
        }));
    }
    Plane::new(height, width, values)
}

/// Two neighbours on an axis, and the share of the way from the first to the second.
struct Between {
    low: usize,
    high: usize,
    share: f64,
}

/// Maps the pixels of an enlarged axis to their source: the first pixel of the cut maps to the first of the enlarged
/// axis, and the last to the last.
struct Axis {
    /// The last pixel.
    last: usize,
    start: f64,
    trimmed: f64,
    stretch: f64,
}

impl Axis {
    fn new(side: usize, factor: f64) -> Self {
        let kept = ((side as f64 / factor).ceil() as usize).clamp(1, side);
        let enlarged = ((kept as f64 * factor).round() as usize).max(side);
        let stretch = if enlarged > 1 { (kept - 1) as f64 / (enlarged - 1) as f64 } else { 0.0 };
        Self { last: side - 1, start: ((side - kept) / 2) as f64, trimmed: ((enlarged - side) / 2) as f64, stretch }
    }

    fn between(&self, i: usize) -> Between {
        let place = self.start + (i as f64 + self.trimmed) * self.stretch;
        let low = (place as usize).min(self.last);
        Between { low, high: (low + 1).min(self.last), share: place - low as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{corrupted, distance, grey, photo, shape, smooth};
    use super::*;

    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn a_zoom_of_one_is_the_identity() {
        for (height, width) in [(1, 1), (2, 3), (28, 28), (33, 7)] {
            let plane = photo(shape(height, width, 1), 0).plane(0);
            let same = enlarge(&plane, 1.0);
            assert!(plane.values().iter().zip(same.values()).all(|(a, b)| (a - b).abs() < TOLERANCE));
        }
    }

    #[test]
    fn a_ramp_becomes_a_flatter_ramp() {
        // Bilinear interpolation keeps lines straight: slopes are divided by the zoom, up to rounding to a pixel.
        let plane = Plane::from_fn(101, 101, |_, j| j as f64 / 100.0);
        let wide = enlarge(&plane, 1.25);
        let slope = (wide.at(50, 90) - wide.at(50, 10)) / 80.0;
        assert!((slope * 100.0 - 1.0 / 1.25).abs() < 0.01, "{slope}");
        assert!((wide.at(50, 50) - 0.5).abs() < 0.01);
    }

    #[test]
    fn a_ramp_is_flattened_by_the_mean_of_the_zooms() {
        let side = 201;
        let values = (0..side * side).map(|place| (place % side) as f64 / 200.0).collect();
        for (scale, step, flat) in corrupted(&Pixels::new(shape(side, side, 1), values).unwrap(), zoom) {
            let (zooms, apart) = ZOOM.at(scale, step);
            let sum: f64 = 1.0 + (0..zooms).map(|k| 1.0 / (1.0 + k as f64 * apart)).sum::<f64>();
            let slope = (flat.plane(0).at(100, 180) - flat.plane(0).at(100, 20)) / 160.0 * 200.0;
            // Each zoom is rounded to a whole pixel of the cut.
            assert!((slope - sum / (zooms + 1) as f64).abs() < 0.01, "{scale:?} {step}: {slope}");
        }
    }

    #[test]
    fn the_middle_stays_and_the_edge_blurs() {
        let image = photo(shape(64, 64, 1), 1);
        for (_, _, blurred) in corrupted(&image, zoom) {
            let near = |from: usize, to: usize| {
                let (a, b) = (image.plane(0), blurred.plane(0));
                let places = (from..to).flat_map(|i| (from..to).map(move |j| (i, j)));
                let squares: Vec<f64> = places.map(|(i, j)| (a.at(i, j) - b.at(i, j)).powi(2)).collect();
                squares.iter().sum::<f64>() / squares.len() as f64
            };
            assert!(near(29, 35) < near(0, 64));
        }
        for (_, _, blurred) in corrupted(&grey(19, 23, 0.3), zoom) {
            assert!(blurred.values().iter().all(|x| (x - 0.3).abs() < TOLERANCE));
        }
    }

    #[test]
    fn severity_zooms_farther() {
        let image = smooth(61);
        let far: Vec<f64> = corrupted(&image, zoom).iter().map(|(_, _, blurred)| distance(&image, blurred)).collect();
        assert!(far[..5].is_sorted() && far[5..].is_sorted(), "{far:?}");
    }
}

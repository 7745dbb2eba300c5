//! Rotation about the centre and cyclic translation, the paper's shifts of MNIST.

use super::pixels::Pixels;
use super::plane::Plane;
use super::spline::Spline;

/// Rotates the image counter-clockwise by `degrees` about its centre and keeps its size.
///
/// # Formula
/// The pixel at (y, x) from the centre is the cubic spline through the image at
/// `(y cos a + x sin a, x cos a - y sin a)`, and 0 where that lies beyond the middle of the outermost pixels. A spline
/// overshoots at sharp edges, to about -0.2 and 1.2 beside a stroke; values beyond 0 and 1 are clipped, because a pixel
/// cannot show them and other shifts accept only images.
///
/// Source: Ovadia et al. (2019), appendix B; `scipy.ndimage.rotate` of order 3 and mode `constant`, with `reshape` off.
/// (The paper's code lets the image grow, cuts out its middle, and does not clip. If the grown side is even, as for 28
/// pixels at all the paper's angles, the result is the same; if it is odd, the paper's image is half a pixel off its
/// centre.)
pub(super) fn rotate(image: &Pixels, degrees: f64) -> Pixels {
    let (sin, cos) = sin_cos(degrees);
    image.map_planes(|plane| {
        let (height, width) = (plane.height(), plane.width());
        let (bottom, right) = ((height - 1) as f64, (width - 1) as f64);
        let spline = Spline::through(plane);
        Plane::from_fn(height, width, |i, j| {
            let (y, x) = (i as f64 - bottom / 2.0, j as f64 - right / 2.0);
            let row = y * cos + x * sin + bottom / 2.0;
            let col = x * cos - y * sin + right / 2.0;
            if (0.0..=bottom).contains(&row) && (0.0..=right).contains(&col) { spline.at(row, col) } else { 0.0 }
        })
    })
}

/// Exact at quarter turns, where a rounding error would push the outermost pixels out of the image.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    let quarter = (turned / 90.0).floor();
    let (sin, cos) = libm::sincos((turned - 90.0 * quarter).to_radians());
    match quarter as u8 % 4 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Moves the image to the right by `pixels` columns; columns that leave reenter at the left.
///
/// Source: Ovadia et al. (2019), appendix B.
pub(super) fn translate(image: &Pixels, pixels: i64) -> Pixels {
    let width = image.shape().width() as i64;
    image.map_planes(|plane| {
        let from = |j: usize| (j as i64 - pixels % width).rem_euclid(width) as usize;
        Plane::from_fn(plane.height(), plane.width(), |i, j| plane.at(i, from(j)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{apart, photo, shape, smooth};
    use super::*;

    const TOLERANCE: f64 = 1e-6;

    #[test]
    fn no_rotation_is_the_identity() {
        for (height, width, channels) in [(1, 1, 1), (2, 3, 3), (28, 28, 1), (33, 20, 3)] {
            let image = photo(shape(height, width, channels), 0);
            for degrees in [0.0, 360.0, -720.0] {
                assert!(apart(&rotate(&image, degrees), &image) < TOLERANCE);
            }
        }
    }

    #[test]
    fn a_quarter_turn_moves_each_pixel_counter_clockwise() {
        let image = photo(shape(5, 5, 1), 1);
        let turned = rotate(&image, 90.0).plane(0);
        let plane = image.plane(0);
        for i in 0..5 {
            for j in 0..5 {
                // The right edge is now at the top.
                assert!((turned.at(4 - j, i) - plane.at(i, j)).abs() < TOLERANCE);
            }
        }
    }

    #[test]
    fn turns_add_up() {
        let image = photo(shape(28, 28, 3), 2);
        let half = rotate(&image, 180.0);
        assert!(apart(&rotate(&rotate(&image, 90.0), 90.0), &half) < TOLERANCE);
        assert!(apart(&rotate(&half, 180.0), &image) < TOLERANCE);
        assert!(apart(&rotate(&image, -90.0), &rotate(&image, 270.0)) < TOLERANCE);
        // A smooth image, 0 towards its edge, survives resampling: three rotations by thirty degrees are one by ninety.
        let image = smooth(41);
        let thrice = rotate(&rotate(&rotate(&image, 30.0), 30.0), 30.0);
        assert!(apart(&thrice, &rotate(&image, 90.0)) < 1e-3, "{}", apart(&thrice, &rotate(&image, 90.0)));
    }

    #[test]
    fn a_wave_turns_as_it_should() {
        // A plane wave is smooth everywhere, so the answer is known inside the circle that stays in the image.
        let wave = |y: f64, x: f64| 0.5 + 0.4 * libm::cos(0.5 * y + 0.3 * x);
        let middle = 20.0;
        let of = |turn: &dyn Fn(f64, f64) -> (f64, f64)| {
            let plane = Plane::from_fn(41, 41, |i, j| {
                let (y, x) = turn(i as f64 - middle, j as f64 - middle);
                wave(y, x)
            });
            Pixels::new(shape(41, 41, 1), plane.values().to_vec()).unwrap()
        };
        let (sin, cos) = libm::sincos(37.0_f64.to_radians());
        let turned = rotate(&of(&|y, x| (y, x)), 37.0).plane(0);
        let expected = of(&|y, x| (y * cos + x * sin, x * cos - y * sin)).plane(0);
        for i in 10..31 {
            for j in 10..31 {
                assert!((turned.at(i, j) - expected.at(i, j)).abs() < 1e-3, "{i} {j}");
            }
        }
    }

    #[test]
    fn what_comes_from_outside_is_black() {
        let white = Pixels::new(shape(28, 28, 1), vec![1.0; 784]).unwrap();
        let turned = rotate(&white, 45.0).plane(0);
        assert_eq!(turned.at(0, 0), 0.0);
        assert!((turned.at(14, 14) - 1.0).abs() < TOLERANCE);
    }

    #[test]
    fn translation_is_a_permutation() {
        for (height, width, channels) in [(1, 1, 1), (2, 3, 3), (28, 28, 1)] {
            let image = photo(shape(height, width, channels), 3);
            for pixels in [0, 1, 2, 14, 28, -1, 1000, i64::MIN, i64::MAX] {
                let moved = translate(&image, pixels);
                let mut sorted = [image.values().to_vec(), moved.values().to_vec()];
                for values in &mut sorted {
                    values.sort_by(f64::total_cmp);
                }
                assert_eq!(sorted[0], sorted[1]);
            }
            assert_eq!(translate(&image, width as i64), image);
        }
        let image = photo(shape(28, 28, 1), 3);
        assert_eq!(translate(&translate(&image, 5), -5), image);
        assert_eq!(translate(&image, 2).plane(0).at(3, 2), image.plane(0).at(3, 0));
    }
}

//! Clouds: a random height map with detail at every scale.

use jointly_core::stream::Stream;

use super::super::draw::between;
use super::super::plane::Plane;

/// Draws a map from 0 to 1 by the diamond-square algorithm on a torus, and returns its upper left corner.
///
/// # Formula
/// On a square whose side is the least power of 2 that covers the plane, at least 2, the middle of each square of known
/// points, and then of each diamond, is the mean of the four points around it plus a uniform number from -a to a; a is
/// divided by `decay^2` whenever the squares are halved. (The published code does the same: it divides a number by
/// `decay` and uses its square as a.) The map is then rescaled to fill 0 to 1.
pub(super) fn plasma(height: usize, width: usize, decay: f64, stream: &mut Stream) -> Plane {
    let side = height.max(width).next_power_of_two().max(2);
    let mut map = Plane::new(side, side, vec![0.0; side * side]);
    let (mut step, mut swing) = (side, 1.0);
    while step >= 2 {
        let half = step / 2;
        let mut set = |i: usize, j: usize, near: [(usize, usize); 4]| {
            let sum: f64 = near.iter().map(|&(i, j)| map.at(i % side, j % side)).sum();
            map.set(i, j, sum / 4.0 + between(-swing, swing, stream));
        };
        for i in (0..side).step_by(step) {
            for j in (0..side).step_by(step) {
                set(i + half, j + half, [(i, j), (i + step, j), (i, j + step), (i + step, j + step)]);
            }
        }
        // Places above and to the left wrap around the torus.
        for i in (0..side).step_by(half) {
            let first = if (i / half).is_multiple_of(2) { half } else { 0 };
            for j in (first..side).step_by(step) {
                set(i, j, [(i + side - half, j), (i + half, j), (i, j + side - half), (i, j + half)]);
            }
        }
        step = half;
        swing /= decay * decay;
    }
    let (least, most) = (map.min(), map.max());
    let range = if most > least { most - least } else { 1.0 };
    Plane::from_fn(height, width, |i, j| ((map.at(i, j) - least) / range).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    #[test]
    fn clouds_fill_zero_to_one() {
        for (height, width) in [(1, 1), (2, 2), (3, 2), (32, 32), (64, 64)] {
            let map = plasma(height, width, 2.0, &mut stream(0, "test", "plasma", 0));
            assert!(map.values().iter().all(|x| (0.0..=1.0).contains(x)));
            if height == width && height >= 2 {
                assert_eq!((map.min(), map.max()), (0.0, 1.0));
            }
        }
    }

    #[test]
    fn a_faster_decay_is_smoother() {
        let roughness = |decay: f64| {
            (0..20)
                .map(|index| {
                    let map = plasma(64, 64, decay, &mut stream(0, "test", "plasma", index));
                    let steps = (0..64).flat_map(|i| (1..64).map(move |j| (i, j)));
                    steps.map(|(i, j)| (map.at(i, j) - map.at(i, j - 1)).abs()).sum::<f64>()
                })
                .sum::<f64>()
        };
        let rough: Vec<f64> = [1.4, 2.0, 3.0].map(roughness).to_vec();
        assert!(rough[0] > 1.5 * rough[1] && rough[1] > 1.1 * rough[2], "{rough:?}");
    }
}

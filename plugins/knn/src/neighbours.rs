//! Exact nearest-neighbour search over many points, by comparing all of them a vector at a time.

use jointly_nets::simd::{LANES, Lanes};

/// The number of vectors of points that are compared together, whose sums are independent.
const GROUP: usize = 4;

/// The number of features that are added before the sums are compared with the furthest neighbour so far.
const STRETCH: usize = 32;

/// A neighbour that the search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neighbour {
    pub(crate) squared_distance: f32,
    pub(crate) index: usize,
}

/// Points, laid out so that a vector holds one feature of several points.
#[derive(Debug)]
pub(crate) struct Neighbours {
    points: usize,
    dim: usize,
    /// Feature j of the points of group g is at `g * dim + j`; the last group is padded with points at infinity.
    groups: Vec<[Lanes; GROUP]>,
}

impl Neighbours {
    /// Stores `points` points, where feature j of point i is `value(i, j)`.
    ///
    /// Allocates memory for the numbers once, in addition to the storage that `value` reads: 266 MiB for the 88,800
    /// images of 784 pixels in EMNIST letters. With the caller's copy that is half of an agent's default memory.
    pub(crate) fn new(points: usize, dim: usize, value: impl Fn(usize, usize) -> f32) -> Self {
        let mut groups = Vec::with_capacity(points.div_ceil(GROUP * LANES) * dim);
        for first in (0..points).step_by(GROUP * LANES) {
            for j in 0..dim {
                let feature = |point: usize| if point < points { value(point, j) } else { f32::INFINITY };
                groups.push(std::array::from_fn(|v| {
                    Lanes::from_array(std::array::from_fn(|lane| feature(first + v * LANES + lane)))
                }));
            }
        }
        Self { points, dim, groups }
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Finds the `k` points nearest to the input, or all if there are fewer, the nearest first; of two at the same
    /// distance, the earlier one comes first.
    ///
    /// # Formula
    ///
    /// The squared distance sum_j (x_j - z_j)^2 is summed in single precision, feature by feature. Such a sum never
    /// decreases, so the search leaves a group as soon as all its sums have reached the furthest neighbour's.
    pub(crate) fn nearest(&self, input: &[f32], k: usize, found: &mut Vec<Neighbour>) {
        found.clear();
        let k = k.min(self.points);
        let mut furthest = f32::INFINITY;
        for (g, group) in self.groups.chunks_exact(self.dim).enumerate() {
            let Some(sums) = squared_distances(group, input, furthest) else { continue };
            for (v, sums) in sums.iter().enumerate() {
                for (lane, squared_distance) in sums.to_array().into_iter().enumerate() {
                    let index = (g * GROUP + v) * LANES + lane;
                    let full = found.len() == k;
                    if index >= self.points || (full && squared_distance >= furthest) {
                        continue;
                    }
                    if full {
                        found.pop();
                    }
                    let at = found.partition_point(|earlier| earlier.squared_distance <= squared_distance);
                    found.insert(at, Neighbour { squared_distance, index });
                    if found.len() == k {
                        furthest = found[k - 1].squared_distance;
                    }
                }
            }
        }
    }
}

/// Computes the squared distances of a group's points; returns `None` if none is below `furthest`.
fn squared_distances(group: &[[Lanes; GROUP]], input: &[f32], furthest: f32) -> Option<[Lanes; GROUP]> {
    let mut sums = [Lanes::splat(0.0); GROUP];
    for (group, input) in group.chunks(STRETCH).zip(input.chunks(STRETCH)) {
        for (features, value) in group.iter().zip(input) {
            let value = Lanes::splat(*value);
            for (sum, feature) in sums.iter_mut().zip(features) {
                let difference = *feature - value;
                *sum = difference.mul_add(difference, *sum);
            }
        }
        if furthest < f32::INFINITY && !sums.iter().any(|sum| sum.to_array().iter().any(|sum| *sum < furthest)) {
            return None;
        }
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn brute_force(inputs: &[i8], dim: usize, input: &[i8], k: usize) -> Vec<Neighbour> {
        let squared = |point: &[i8]| point.iter().zip(input).map(|(x, z)| (i32::from(*x) - i32::from(*z)).pow(2)).sum();
        let mut all: Vec<(i32, usize)> = inputs.chunks(dim).map(squared).zip(0..).collect();
        all.sort_unstable();
        all.into_iter().take(k).map(|(d, index)| Neighbour { squared_distance: d as f32, index }).collect()
    }

    prop_compose! {
        /// Generates whole numbers, whose distances are exact and often equal.
        fn case()(points in 1usize..200, dim in prop::sample::select(vec![1usize, 2, 3, 40, 70]))(
            inputs in prop::collection::vec(-2i8..3, points * dim),
            input in prop::collection::vec(-2i8..3, dim),
            k in 1usize..12,
        ) -> (Vec<i8>, Vec<i8>, usize) {
            (inputs, input, k)
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_sort_of_all((inputs, input, k) in case()) {
            let dim = input.len();
            let floats = |values: &[i8]| values.iter().map(|value| f32::from(*value)).collect::<Vec<f32>>();
            let points = floats(&inputs);
            let neighbours = Neighbours::new(points.len() / dim, dim, |i, j| points[i * dim + j]);
            prop_assert_eq!(neighbours.groups.capacity(), neighbours.groups.len());
            let mut found = Vec::new();
            neighbours.nearest(&floats(&input), k, &mut found);
            prop_assert_eq!(found, brute_force(&inputs, dim, &input, k));
        }
    }
}

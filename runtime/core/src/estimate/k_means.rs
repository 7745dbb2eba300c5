//! Clusters of functions by their probits, which serve as cells of the partition estimate: k-means.

use crate::Seed;
use std::cmp::Ordering;

use super::MAX_PLANES;
use crate::stream::{Stream, stream};
use crate::tau_samples::tau_sample_index;

/// Number of partial sums of a distance, a multiple of the vector width of every CPU.
const LANES: usize = 16;
/// Number of coordinates after which the computation of a distance may stop.
const BLOCK: usize = 4 * LANES;
/// The most rounds of Lloyd's algorithm; most tau-samples need fewer than ten.
pub(crate) const MAX_ROUNDS: usize = 30;

/// Clusters of the draws of one tau-sample.
///
/// # Formula
/// Functions are points with tau K coordinates: their probits, tau x K row-major, clipped or finite as in the
/// [partition](super::Partition), weighted by the number of draws that name them. Each gets the number of its cluster,
/// from 0. At most C = 2^planes centres are chosen among them as in k-means++, the first by weight and each next by
/// weight times squared distance from the nearest centre so far; the choice ends when that is 0 for all points. Then,
/// in rounds of Lloyd's algorithm, each point is assigned to the nearest centre (the lowest among equals) and each
/// centre moves to the weighted mean of its points, until no point moves or after 30 rounds; centres without points are
/// dropped. A round takes O(M C K tau) operations, whereas [`Planes`](super::Planes) take O(M planes K tau) in total.
///
/// Points are sorted and equal points merged first, so that neither the order of the draws nor their repetition changes
/// a bit. The paper partitions draws by hyperplanes; clusters are an addition of this project, and docs/estimators.md
/// compares the two. Arthur and Vassilvitskii, "k-means++: The Advantages of Careful Seeding" (2007); Lloyd, "Least
/// squares quantization in PCM" (1982).
#[derive(Clone, Debug)]
pub struct KMeans {
    /// The number of probits, tau times K.
    len: usize,
    /// The largest number of clusters.
    most: usize,
    source: Stream,
    /// The probits of each function, padded with zeros to whole lanes.
    probits: Vec<f32>,
}

impl KMeans {
    /// Prepares the clusters of tau-sample `n` of `problem`: at most 2^`planes`, the number of cells of `planes`
    /// hyperplanes.
    ///
    /// # Panics
    /// When `planes` exceeds [`MAX_PLANES`].
    pub fn new(seed: Seed, problem: &str, tau: u32, n: u32, num_classes: usize, planes: u32) -> Self {
        assert!(planes <= MAX_PLANES, "at most {MAX_PLANES} planes");
        let source = stream(seed, "k-means", problem, tau_sample_index(tau, n));
        Self { len: tau as usize * num_classes, most: 1 << planes, source, probits: Vec::new() }
    }

    /// Returns an upper bound on the bytes for clustering `functions` functions of `probs` probits into 2^`planes`
    /// clusters.
    pub(super) fn bytes(probs: u64, planes: u32, functions: u64) -> u64 {
        let row = probs.saturating_add(LANES as u64 - 1);
        let centres = functions.min(1_u64.checked_shl(planes).unwrap_or(u64::MAX));
        // A growing list may take twice the space of its elements. A point has its place in the order, its weight, its
        // centre and its distance; a centre is stored in single precision and as a sum in double precision.
        let points = functions.saturating_mul(row.saturating_mul(8).saturating_add(64));
        points.saturating_add(centres.saturating_mul(row.saturating_mul(12).saturating_add(8)))
    }

    /// Returns the number of probits of a function, tau times K.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a function and returns the buffer for its probits.
    pub(super) fn add(&mut self) -> &mut [f32] {
        let start = self.probits.len();
        self.probits.resize(start + self.len.next_multiple_of(LANES), 0.0);
        &mut self.probits[start..start + self.len]
    }

    /// Returns the cluster of each function, in the order in which they were added; `counts[m]` draws name function m.
    pub(super) fn cells(&self, counts: &[u64]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| compare(self.row(a), self.row(b)));
        let same = |&a: &u32, &b: &u32| compare(self.row(a), self.row(b)).is_eq();
        let points: Vec<&[u32]> = order.chunk_by(same).collect();
        let weights = points.iter().map(|functions| functions.iter().map(|&m| counts[m as usize]).sum::<u64>() as f64);
        let mut source = self.source.clone();
        let rows: Vec<&[f32]> = points.iter().map(|functions| self.row(functions[0])).collect();
        let nearest = cluster(&rows, &weights.collect::<Vec<_>>(), self.most, &mut source);
        let mut cells = vec![0; counts.len()];
        for (functions, nearest) in points.iter().zip(nearest) {
            for &m in *functions {
                cells[m as usize] = nearest;
            }
        }
        cells
    }

    fn row(&self, m: u32) -> &[f32] {
        let stride = self.len.next_multiple_of(LANES);
        &self.probits[m as usize * stride..][..stride]
    }
}

/// Compares points by their bits; any total order of the bits would do.
fn compare(a: &[f32], b: &[f32]) -> Ordering {
    let unequal = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    unequal.unwrap_or(Ordering::Equal)
}

/// Returns the cluster of each point, with at most `most` clusters.
fn cluster(points: &[&[f32]], weights: &[f64], most: usize, source: &mut Stream) -> Vec<u32> {
    let (mut nearest, mut centres) = start(points, weights, most, source);
    for _ in 0..MAX_ROUNDS {
        let means = means(points, weights, &mut nearest, centres);
        let mut moved = false;
        for (point, nearest) in points.iter().zip(&mut nearest) {
            let found = nearest_centre(point, &means, *nearest);
            moved |= found != *nearest;
            *nearest = found;
        }
        if !moved {
            break;
        }
        centres = means.len() / points[0].len();
    }
    nearest
}

/// Chooses centres by k-means++; returns the nearest centre of each point, and the number of centres.
fn start(points: &[&[f32]], weights: &[f64], most: usize, source: &mut Stream) -> (Vec<u32>, usize) {
    let mut nearest = vec![0; points.len()];
    let mut distances = vec![f32::INFINITY; points.len()];
    let mut shares = weights.to_vec();
    for centre in 0..most {
        let total: f64 = shares.iter().sum();
        if total == 0.0 {
            return (nearest, centre);
        }
        let chosen = points[choose(&shares, source.uniform() * total)];
        for (i, point) in points.iter().enumerate() {
            let distance = distance(point, chosen, distances[i]);
            if distance < distances[i] {
                (nearest[i], distances[i]) = (centre as u32, distance);
            }
            shares[i] = weights[i] * f64::from(distances[i]);
        }
    }
    (nearest, most)
}

/// Returns the first place where the cumulative sum of shares exceeds the target; never a place whose share is 0.
fn choose(shares: &[f64], target: f64) -> usize {
    let mut cumulative = 0.0;
    let found = shares.iter().position(|share| {
        cumulative += share;
        target < cumulative
    });
    // Rounding may raise the target to the total itself.
    found.or_else(|| shares.iter().rposition(|&share| share > 0.0)).expect("a point has a share")
}

/// Returns the weighted means of the clusters that have points, and renumbers the clusters.
fn means(points: &[&[f32]], weights: &[f64], nearest: &mut [u32], centres: usize) -> Vec<f32> {
    let stride = points[0].len();
    let mut held = vec![0.0; centres];
    for (&centre, weight) in nearest.iter().zip(weights) {
        held[centre as usize] += weight;
    }
    let mut numbers = vec![0; centres];
    let live = numbers.iter_mut().zip(&held).filter(|(_, held)| **held > 0.0);
    for (place, (number, _)) in (0..).zip(live) {
        *number = place;
    }
    held.retain(|&held| held > 0.0);
    let mut sums = vec![0.0_f64; held.len() * stride];
    for ((point, weight), centre) in points.iter().zip(weights).zip(nearest) {
        *centre = numbers[*centre as usize];
        for (sum, &x) in sums[*centre as usize * stride..][..stride].iter_mut().zip(*point) {
            *sum += weight * f64::from(x);
        }
    }
    let mean = |(sums, held): (&[f64], f64)| sums.iter().map(move |sum| (sum / held) as f32).collect::<Vec<_>>();
    sums.chunks_exact(stride).zip(held).flat_map(mean).collect()
}

/// Returns the nearest centre, the lowest among equals. The search begins at `likely`, which affects only its time.
fn nearest_centre(point: &[f32], centres: &[f32], likely: u32) -> u32 {
    let stride = point.len();
    let mut best = (distance(point, &centres[likely as usize * stride..][..stride], f32::INFINITY), likely);
    for (centre, row) in (0..).zip(centres.chunks_exact(stride)) {
        let distance = distance(point, row, best.0);
        if distance < best.0 || distance == best.0 && centre < best.1 {
            best = (distance, centre);
        }
    }
    best.1
}

/// Returns the squared distance, or a partial sum of it as soon as that exceeds the limit, because sums of squares only
/// grow.
#[inline]
fn distance(a: &[f32], b: &[f32], limit: f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let mut sum = 0.0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                let gap = a[lane] - b[lane];
                sums[lane] += gap * gap;
            }
        }
        sum = total(sums);
        if sum > limit {
            return sum;
        }
    }
    sum
}

/// Adds one half of the lanes to the other, down to one lane.
#[inline]
fn total(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the clusters of functions given by their probits.
    fn cells(functions: &[Vec<f32>], counts: &[u64], planes: u32, seed: Seed) -> Vec<u32> {
        let mut clusters = KMeans::new(seed, "test", functions[0].len() as u32 / 2, 0, 2, planes);
        for function in functions {
            clusters.add().copy_from_slice(function);
        }
        clusters.cells(counts)
    }

    /// Computes squared distances in the obvious way.
    fn plain(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum()
    }

    #[test]
    fn groups_that_lie_apart_are_found() {
        let mut source = stream(0, "test", "groups", 0);
        let group = |m: usize| (m * 7) % 4;
        let functions: Vec<Vec<f32>> =
            (0..40).map(|m| (0..20).map(|_| (group(m) as f64 * 10.0 + source.normal()) as f32).collect()).collect();
        let cells = cells(&functions, &[1; 40], 2, 0.into());
        for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))) {
            assert_eq!(cells[a] == cells[b], group(a) == group(b), "{a} and {b}");
        }
    }

    #[test]
    fn with_a_cell_for_each_distinct_point_each_has_its_own() {
        let functions: Vec<Vec<f32>> = (0..6_u8).map(|m| vec![f32::from(m / 2); 2]).collect();
        let cells = cells(&functions, &[1; 6], 5, 3.into());
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
            assert_eq!(cells[a] == cells[b], a / 2 == b / 2);
        }
    }

    fn functions() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<u64>)> {
        // Few distinct values, so that points repeat and distances tie.
        let function = prop::collection::vec((-2_i8..3).prop_map(f32::from), 4);
        prop::collection::vec((function, 1_u64..4), 1..25).prop_map(|functions| functions.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn every_point_is_nearest_to_the_mean_of_its_own_cluster((functions, counts) in functions(), seed: u64) {
            let cells = cells(&functions, &counts, 2, seed.into());
            let clusters = 1 + *cells.iter().max().unwrap() as usize;
            prop_assert!(clusters <= 4 && (0..clusters as u32).all(|cluster| cells.contains(&cluster)));
            let mean = |cluster: usize| -> Vec<f32> {
                let members = || (0..cells.len()).filter(|&m| cells[m] as usize == cluster);
                let weight: f64 = members().map(|m| counts[m] as f64).sum();
                (0..4).map(|i| (members().map(|m| counts[m] as f64 * f64::from(functions[m][i])).sum::<f64>() / weight) as f32).collect()
            };
            let means: Vec<_> = (0..clusters).map(mean).collect();
            for (function, &cell) in functions.iter().zip(&cells) {
                let own = plain(function, &means[cell as usize]);
                let least = means.iter().map(|mean| plain(function, mean)).fold(f64::INFINITY, f64::min);
                prop_assert!(own <= least + 1e-5, "{} and {}", own, least);
            }
        }

        #[test]
        fn order_and_repetition_do_not_matter((functions, counts) in functions(), seed: u64) {
            let once = cells(&functions, &counts, 2, seed.into());
            let repeated = |m: usize| std::iter::repeat_n(m, counts[m] as usize);
            let all: Vec<usize> = (0..functions.len()).rev().flat_map(repeated).collect();
            let rows: Vec<Vec<f32>> = all.iter().map(|&m| functions[m].clone()).collect();
            let expected: Vec<u32> = all.iter().map(|&m| once[m]).collect();
            prop_assert_eq!(cells(&rows, &vec![1; rows.len()], 2, seed.into()), expected);
        }

        #[test]
        fn a_distance_is_given_up_only_beyond_the_limit(
            a in prop::collection::vec(-5.0_f32..5.0, 192), b in prop::collection::vec(-5.0_f32..5.0, 192), share in 0.0_f32..2.0,
        ) {
            let whole = distance(&a, &b, f32::INFINITY);
            prop_assert!((f64::from(whole) / plain(&a, &b) - 1.0).abs() < 1e-5);
            let limited = distance(&a, &b, whole * share);
            prop_assert!(limited == whole || limited > whole * share && limited <= whole);
        }
    }
}

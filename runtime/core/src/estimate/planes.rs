//! Random hyperplanes that partition functions by their probits.

use super::MAX_PLANES;
use crate::Seed;
use crate::stream::stream;
use crate::tau_samples::tau_sample_index;

/// Number of partial sums of a projection, a multiple of the vector width of every CPU.
const LANES: usize = 16;

/// Hyperplanes in the space of a tau-sample's probits, the same for every agent.
#[derive(Clone, Debug)]
pub struct Planes {
    /// The number of probits, tau times K.
    len: usize,
    /// One normal vector for each plane, padded with zeros to whole lanes.
    normals: Vec<f32>,
    offsets: Vec<f32>,
}

impl Planes {
    /// Draws the planes of tau-sample `n` of `problem`: normal vectors plane by plane, then the offsets, all N(0, 1).
    ///
    /// # Panics
    /// When `count` exceeds [`MAX_PLANES`].
    pub fn sample(seed: Seed, problem: &str, tau: u32, n: u32, num_classes: usize, count: u32) -> Self {
        assert!(count <= MAX_PLANES, "at most {MAX_PLANES} planes");
        let len = tau as usize * num_classes;
        let mut source = stream(seed, "planes", problem, tau_sample_index(tau, n));
        let mut normals = vec![0.0; padded(len) * count as usize];
        if len > 0 {
            for normal in normals.chunks_exact_mut(padded(len)) {
                normal[..len].fill_with(|| source.normal() as f32);
            }
        }
        let offsets = (0..count).map(|_| source.normal() as f32).collect();
        Self { len, normals, offsets }
    }

    /// Returns the number of probits of a function, tau times K.
    #[expect(clippy::len_without_is_empty, reason = "a tau-sample has inputs")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of planes.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Returns the normal vector and offset of plane `i`.
    pub fn plane(&self, i: usize) -> (&[f32], f32) {
        let start = i * padded(self.len);
        (&self.normals[start..start + self.len], self.offsets[i])
    }

    /// Returns a scratch buffer for the probits of one function, filled with zeros.
    pub(super) fn probits(&self) -> Vec<f32> {
        vec![0.0; padded(self.len)]
    }

    /// Returns the cell of a function: bit i is set when its probits lie on the positive side of plane i.
    ///
    /// The products are added in a fixed number of lanes and those in a fixed order, so that the cell is the same on
    /// every CPU.
    pub(super) fn cell(&self, probits: &[f32]) -> u32 {
        debug_assert_eq!(probits.len(), padded(self.len));
        let mut cell = 0;
        for (i, &offset) in self.offsets.iter().enumerate() {
            let normal = &self.normals[i * probits.len()..(i + 1) * probits.len()];
            cell |= u32::from(dot(normal, probits) + offset >= 0.0) << i;
        }
        cell
    }
}

/// Returns the dot product. Whole lanes are multiplied as fixed-size arrays, so that the loop needs no checks.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    // Adds one half of the lanes to the other, down to one lane.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES)
}

//! Algorithm 4: functions parted into cells by random hyperplanes, and averaged within each cell.

use std::collections::BTreeMap;

use super::exact_sum::{ExactSum, add_clipped, clipped_value};
use super::likelihood::log_sum_exp;
use super::planes::Planes;
use super::probit;

/// What the reference implementation adds to the sum and to the count of a cell.
const SMOOTHING: f64 = 1e-6;

/// Random-partition estimate of one tau-sample's joint log-likelihood under an agent's belief.
///
/// # Formula
/// Function m has probabilities `p_{m,t,k}` and probits `l_m` = (`Phi^-1(p_{m,t,k})`), t-major, then k. Planes with
/// normals A (d x K tau) and offsets b put it in the cell 1(A `l_m` + b >= 0) of {0, 1}^d. A cell that holds n of the M
/// draws has weight q = n / M and mean probability `c_t` = (1/n) sum of `p_{m,t,y_t}` over them, and the estimate is
///
///   log sum over cells of q (product over t of `c_t`), in nats; -inf where each product is 0.
///
/// Osband et al., "The Neural Testbed", algorithm 4. A probability of 0 has no finite probit: that of the smallest
/// positive `f32`, about -14.2, stands in for it, and 14.2 for that of a probability of 1.
///
/// With `clip`, as in the reference implementation, probits are clipped to [-5, 5] and the probabilities recomputed
/// from them, that is clamped to [Phi(-5), Phi(5)], and `c_t` = (sum + 1e-6) / (n + 1e-6).
///
/// Sums within cells are exact and a function's cell depends on that function alone: neither the order of the draws nor
/// asking for equal functions just once changes a bit.
#[derive(Clone, Debug)]
pub struct Partition {
    planes: Planes,
    clip: bool,
    /// Where each label's probability lies among a function's probabilities.
    label_positions: Vec<usize>,
    cells: BTreeMap<u32, Cell>,
    probits: Vec<f32>,
    label_probs: Vec<f32>,
}

/// The draws of one cell: only cells that hold some are kept.
#[derive(Clone, Debug)]
struct Cell {
    draws: u64,
    sums: Sums,
}

/// Sums of each label's probability.
#[derive(Clone, Debug)]
enum Sums {
    Clipped(Vec<u64>),
    Exact(Vec<ExactSum>),
}

impl Partition {
    /// An estimate with no draws yet, for the labels of one tau-sample.
    ///
    /// # Panics
    /// When the planes are not those of `labels.len()` rows of `num_classes`, or a label is not below `num_classes`.
    pub fn new(planes: Planes, labels: &[u32], num_classes: usize, clip: bool) -> Self {
        assert_eq!(planes.len(), labels.len() * num_classes, "planes through the probits of these rows");
        assert!(labels.iter().all(|&label| (label as usize) < num_classes), "labels are classes");
        let label_positions = labels.iter().enumerate().map(|(t, &label)| t * num_classes + label as usize).collect();
        let probits = planes.probits();
        Self { planes, clip, label_positions, cells: BTreeMap::new(), probits, label_probs: vec![0.0; labels.len()] }
    }

    /// Bytes that an estimate takes at most where a function has `probs` probabilities, once every cell that can hold a function does.
    pub(crate) fn bytes(tau: u32, probs: u64, planes: u32, functions: u64, clip: bool) -> u64 {
        let cells = functions.min(1_u64.checked_shl(planes).unwrap_or(u64::MAX));
        let sum = if clip { size_of::<u64>() } else { size_of::<ExactSum>() };
        let tau = u64::from(tau);
        // A cell's own overhead in the tree is a few words.
        let cells = cells.saturating_mul(tau * sum as u64 + 64);
        let normals = (u64::from(planes) + 1).saturating_mul(probs.saturating_add(16)).saturating_mul(4);
        cells.saturating_add(normals).saturating_add(tau * 12)
    }

    /// Adds a function that `count` draws name; `probs` is tau x K row-major.
    ///
    /// # Panics
    /// When `probs` has another shape than the tau-sample.
    pub fn add(&mut self, probs: &[f32], count: u64) {
        assert_eq!(probs.len(), self.planes.len(), "a function's probabilities at every row of the tau-sample");
        if self.planes.count() > 0 {
            let probits = &mut self.probits[..probs.len()];
            if self.clip { probit::clipped(probs, probits) } else { probit::finite(probs, probits) }
        }
        for (p, &position) in self.label_probs.iter_mut().zip(&self.label_positions) {
            *p = probs[position];
        }
        let tau = self.label_probs.len();
        let clip = self.clip;
        let cell = self.cells.entry(self.planes.cell(&self.probits)).or_insert_with(|| Cell::new(tau, clip));
        cell.add(&mut self.label_probs, count);
    }

    /// The estimate; NaN without draws.
    pub fn finish(&self) -> f64 {
        if self.cells.is_empty() {
            return f64::NAN;
        }
        let draws = self.cells.values().map(|cell| cell.draws).sum::<u64>() as f64;
        let terms: Vec<_> =
            self.cells.values().map(|cell| (cell.log_likelihood(), cell.draws as f64 / draws)).collect();
        log_sum_exp(terms.iter().copied())
    }
}

impl Cell {
    fn new(tau: usize, clip: bool) -> Self {
        let sums = if clip { Sums::Clipped(vec![0; tau]) } else { Sums::Exact(vec![ExactSum::default(); tau]) };
        Self { draws: 0, sums }
    }

    fn add(&mut self, label_probs: &mut [f32], count: u64) {
        self.draws += count;
        match &mut self.sums {
            Sums::Clipped(sums) => {
                probit::clamp(label_probs);
                add_clipped(sums, label_probs, count);
            }
            Sums::Exact(sums) => {
                for (sum, &p) in sums.iter_mut().zip(&*label_probs) {
                    sum.add(p, count);
                }
            }
        }
    }

    /// log of the product over t of the cell's mean probability of the label.
    fn log_likelihood(&self) -> f64 {
        let draws = self.draws as f64;
        match &self.sums {
            Sums::Clipped(sums) => {
                log_product(sums.iter().map(|&sum| (clipped_value(sum) + SMOOTHING) / (draws + SMOOTHING)))
            }
            Sums::Exact(sums) => log_product(sums.iter().map(|sum| sum.value() / draws)),
        }
    }
}

/// Added up in order, as [`joint_log_likelihood`](super::joint_log_likelihood) does.
fn log_product(probs: impl Iterator<Item = f64>) -> f64 {
    probs.fold(0.0, |sum, p| sum + libm::log(p))
}

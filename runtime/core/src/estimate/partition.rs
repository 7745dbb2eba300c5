//! Algorithm 4: functions are partitioned into cells and averaged within each cell.

use super::exact_sum::{ExactSum, add_clipped, clipped_value};
use super::joint_estimate::JointEstimate;
use super::k_means::KMeans;
use super::likelihood::{log_sum_exp, relative, relative_variance};
use super::partitioning::Partitioning;
use super::planes::Planes;
use super::probit;

/// The number that the reference implementation adds to the sum and to the count of a cell.
const SMOOTHING: f64 = 1e-6;
/// Number of partial sums of a function's ratios.
const LANES: usize = 8;

/// Random-partition estimate of one tau-sample's joint log-likelihood under an agent's posterior.
///
/// # Formula
/// Function m has probabilities `p_{m,t,k}` and probits `l_m` = (`Phi^-1(p_{m,t,k})`), t-major, then k. Planes with
/// normals A (d x K tau) and offsets b put it into the cell 1(A `l_m` + b >= 0) of {0, 1}^d; or cells are
/// [clusters](KMeans) of the `l_m`. A cell with n of the M draws has weight q = n / M and mean probability `c_t` =
/// (1/n) sum of `p_{m,t,y_t}` over them, and the estimate is
///
///   log sum over cells of q (product over t of `c_t`), in nats; -inf if each product is 0.
///
/// Osband et al., "The Neural Testbed", algorithm 4. A probability of 0 has no finite probit: that of the smallest
/// positive `f32`, about -14.2, replaces it, and 14.2 replaces that of a probability of 1.
///
/// With `clip`, as in the reference implementation, probits are clipped to [-5, 5] and the probabilities recomputed
/// from them, that is clamped to [Phi(-5), Phi(5)], and `c_t` = (sum + 1e-6) / (n + 1e-6).
///
/// A function in a cell of n draws has the [weight](JointEstimate::weights)
///
/// (product over t of `c_t`) / (the estimated likelihood) [1 + n / (n + s) sum over t of (`p_{m,t,y_t}` / `c_t` - 1)],
///
/// where s is 1e-6 with `clip`, else 0. It is the derivative of the logarithm of the estimate with respect to the
/// weights of the draws: a draw adds to the weight of its cell and changes the means of its cell.
///
/// Sums within cells are exact, so that neither the order of the draws nor their repetition changes a bit.
#[derive(Clone, Debug)]
pub struct Partition {
    cells: Cells,
    clip: bool,
    /// The index of each label's probability among a function's probabilities.
    label_positions: Vec<usize>,
    /// Scratch buffer for the probits of one function.
    probits: Vec<f32>,
    functions: Vec<Function>,
    /// The probability of each label under each function, function by function.
    label_probs: Vec<f32>,
}

/// The method that assigns functions to cells.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Random hyperplanes, as in algorithm 4.
    Planes(Planes),
    /// Clusters of the functions themselves.
    KMeans(Box<KMeans>),
}

impl Cells {
    /// Returns the number of probits of a function, tau times K.
    fn len(&self) -> usize {
        match self {
            Self::Planes(planes) => planes.len(),
            Self::KMeans(clusters) => clusters.len(),
        }
    }
}

impl From<Planes> for Cells {
    fn from(planes: Planes) -> Self {
        Self::Planes(planes)
    }
}

impl From<KMeans> for Cells {
    fn from(clusters: KMeans) -> Self {
        Self::KMeans(Box::new(clusters))
    }
}

/// A function that some draws name.
#[derive(Clone, Copy, Debug)]
struct Function {
    /// The cell. With clusters it is known only when all functions have been added.
    cell: u32,
    count: u64,
}

impl Partition {
    /// Makes an estimate without draws, for the labels of one tau-sample.
    ///
    /// # Panics
    /// When the cells are not for `labels.len()` times `num_classes` probits, or a label is not below `num_classes`.
    pub fn new(cells: impl Into<Cells>, labels: &[u32], num_classes: usize, clip: bool) -> Self {
        let cells = cells.into();
        assert_eq!(cells.len(), labels.len() * num_classes, "cells of the probits of these rows");
        assert!(labels.iter().all(|&label| (label as usize) < num_classes), "labels are classes");
        let label_positions = labels.iter().enumerate().map(|(t, &label)| t * num_classes + label as usize).collect();
        let probits = match &cells {
            Cells::Planes(planes) => planes.probits(),
            Cells::KMeans(_) => Vec::new(),
        };
        Self { cells, clip, label_positions, probits, functions: Vec::new(), label_probs: Vec::new() }
    }

    /// Returns an upper bound on the bytes of an estimate if a function has `probs` probabilities.
    pub fn bytes(tau: u32, probs: u64, partitioning: Partitioning, planes: u32, functions: u64) -> u64 {
        let tau = u64::from(tau);
        // In addition to its labels' probabilities, a function has its place in the order of cells and its weight, and
        // at most a cell of its own, whose likelihood is kept.
        let function = (tau * size_of::<f32>() as u64).saturating_add(size_of::<Function>() as u64 + 8 + 8 + 40);
        let cells = match partitioning {
            Partitioning::Planes => (u64::from(planes) + 1).saturating_mul(probs.saturating_add(16)).saturating_mul(4),
            Partitioning::KMeans => KMeans::bytes(probs, planes, functions),
            Partitioning::Jackknife => 0,
        };
        // The sums and means of one cell, and the positions of the labels.
        let cell = tau * (size_of::<ExactSum>() + 8 + 8) as u64;
        // A growing list may take twice the space of its elements.
        functions.saturating_mul(2).saturating_mul(function).saturating_add(cells).saturating_add(cell)
    }

    /// Adds a function that `count` draws name; `probs` is tau x K row-major.
    ///
    /// # Panics
    /// When `probs` has another shape than the tau-sample.
    pub fn add(&mut self, probs: &[f32], count: u64) {
        assert_eq!(probs.len(), self.cells.len(), "a function's probabilities at every row of the tau-sample");
        let room = match &mut self.cells {
            Cells::Planes(planes) if planes.count() == 0 => &mut [],
            Cells::Planes(_) => &mut self.probits[..probs.len()],
            Cells::KMeans(clusters) => clusters.add(),
        };
        // Without planes there is one cell, and no probits are needed.
        let needed = &probs[..room.len()];
        if self.clip {
            probit::clipped(needed, room);
        } else {
            probit::finite(needed, room);
        }
        let start = self.label_probs.len();
        self.label_probs.extend(self.label_positions.iter().map(|&position| probs[position]));
        if self.clip {
            probit::clamp(&mut self.label_probs[start..]);
        }
        let cell = match &self.cells {
            Cells::Planes(planes) => planes.cell(&self.probits),
            Cells::KMeans(_) => 0,
        };
        self.functions.push(Function { cell, count });
    }

    /// Returns the estimate.
    pub fn finish(mut self) -> JointEstimate {
        if self.functions.is_empty() {
            return JointEstimate { log_likelihood: f64::NAN, weights: Vec::new(), variance: f64::NAN };
        }
        if let Cells::KMeans(clusters) = &mut self.cells {
            let counts: Vec<u64> = self.functions.iter().map(|function| function.count).collect();
            for (function, cell) in self.functions.iter_mut().zip(clusters.cells(&counts)) {
                function.cell = cell;
            }
        }
        let draws = self.functions.iter().map(|function| function.count).sum::<u64>() as f64;
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        order.sort_by_key(|&m| self.functions[m].cell);
        let mut cell = Cell::new(self.label_positions.len(), self.clip);
        let mut weights = vec![0.0; order.len()];
        let mut cells = Vec::new();
        for members in order.chunk_by(|&a, &b| self.functions[a].cell == self.functions[b].cell) {
            cell.clear();
            for &m in members {
                cell.add(self.function(m), self.functions[m].count);
            }
            cells.push((cell.finish(), cell.draws as f64 / draws));
            for &m in members {
                weights[m] = cell.weight(self.function(m));
            }
        }
        let log_likelihood = log_sum_exp(cells.iter().copied());
        let members = order.chunk_by(|&a, &b| self.functions[a].cell == self.functions[b].cell);
        for (members, &(cell, _)) in members.zip(&cells) {
            let ratio = relative(cell, log_likelihood);
            for &m in members {
                weights[m] *= ratio;
            }
        }
        JointEstimate { log_likelihood, weights, variance: relative_variance(cells.into_iter(), log_likelihood) }
    }

    /// Returns the probabilities of the labels under function `m`.
    fn function(&self, m: usize) -> &[f32] {
        let tau = self.label_positions.len();
        &self.label_probs[m * tau..(m + 1) * tau]
    }
}

/// The draws of one cell.
struct Cell {
    draws: u64,
    sums: Sums,
    /// 1 / `c_t`; 0 if `c_t`, and with it the cell's likelihood, is 0.
    inverses: Vec<f64>,
}

/// Sums of each label's probability.
enum Sums {
    Clipped(Vec<u64>),
    Exact(Vec<ExactSum>),
}

impl Cell {
    fn new(tau: usize, clip: bool) -> Self {
        let sums = if clip { Sums::Clipped(vec![0; tau]) } else { Sums::Exact(vec![ExactSum::default(); tau]) };
        Self { draws: 0, sums, inverses: vec![0.0; tau] }
    }

    fn clear(&mut self) {
        self.draws = 0;
        match &mut self.sums {
            Sums::Clipped(sums) => sums.fill(0),
            Sums::Exact(sums) => sums.fill(ExactSum::default()),
        }
    }

    fn add(&mut self, label_probs: &[f32], count: u64) {
        self.draws += count;
        match &mut self.sums {
            Sums::Clipped(sums) => add_clipped(sums, label_probs, count),
            Sums::Exact(sums) => {
                for (sum, &p) in sums.iter_mut().zip(label_probs) {
                    sum.add(p, count);
                }
            }
        }
    }

    /// Returns the log of the product over t of the cell's mean probability of the label, added up in the same order as
    /// in [`joint_log_likelihood`](super::joint_log_likelihood).
    fn finish(&mut self) -> f64 {
        let draws = self.draws as f64;
        let mut log_likelihood = 0.0;
        for (t, inverse) in self.inverses.iter_mut().enumerate() {
            let mean = match &self.sums {
                Sums::Clipped(sums) => (clipped_value(sums[t]) + SMOOTHING) / (draws + SMOOTHING),
                Sums::Exact(sums) => sums[t].value() / draws,
            };
            *inverse = if mean > 0.0 { 1.0 / mean } else { 0.0 };
            log_likelihood += libm::log(mean);
        }
        log_likelihood
    }

    /// Returns the contribution of a function to the cell's share of the likelihood, divided by that share.
    fn weight(&self, label_probs: &[f32]) -> f64 {
        let draws = self.draws as f64;
        let smoothed = match self.sums {
            Sums::Clipped(_) => draws / (draws + SMOOTHING),
            Sums::Exact(_) => 1.0,
        };
        1.0 + smoothed * (ratios(label_probs, &self.inverses) - self.inverses.len() as f64)
    }
}

/// Sums p / c in a fixed number of lanes, which are added in a fixed order.
fn ratios(probs: &[f32], inverses: &[f64]) -> f64 {
    let (probs, rest) = probs.as_chunks::<LANES>();
    let (inverses, last) = inverses.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (probs, inverses) in probs.iter().zip(inverses) {
        for lane in 0..LANES {
            sums[lane] += f64::from(probs[lane]) * inverses[lane];
        }
    }
    let rest: f64 = rest.iter().zip(last).map(|(&p, inverse)| f64::from(p) * inverse).sum();
    sums.iter().sum::<f64>() + rest
}

//! Samples functions from the posterior of a Gaussian process. A draw names the same function in every call.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jointly_sdk::Rng;

use crate::features::Features;
use crate::kernel::{Kernel, cross};
use crate::product::{dot, times_transposed};
use crate::rows::Rows;
use crate::stream::Stream;

/// The number of sets of random features. A draw uses one set, so that the error of a set is not common to all draws.
pub const BANKS: usize = 16;

/// Bytes of draws that are kept between calls.
const ROOM: usize = 64 << 20;
/// Rows, and draws, that are processed together.
const BLOCK: usize = 128;

/// Functions sampled by Matheron's rule.
///
/// # Formula
///
/// f(x) = sum_m w_m phi_m(x) + sum_i k(x, c_i) v_i, with standard normal w: a function sampled from the prior by its
/// random features, plus an exact update by the data at the centres c (Wilson et al. 2020). Over draws, mean and
/// covariance are those of the posterior, except that the prior's covariance is the mean over the features of 16 banks
/// instead of over all possible features.
#[derive(Debug)]
pub struct Pathwise {
    banks: Vec<Box<dyn Features>>,
    seed: u64,
    kept: RefCell<BTreeMap<u64, Rc<Path>>>,
}

/// The weights and coefficients of a draw.
#[derive(Debug)]
struct Path {
    weights: Vec<f64>,
    coefficients: Vec<f64>,
}

/// Computes the coefficients v of a draw from its random numbers and its prior function's values at the centres.
pub type Update<'a> = dyn Fn(&mut Rng, Vec<f64>) -> Vec<f64> + 'a;

impl Pathwise {
    /// Prepares functions of a kernel, with `features` random features each.
    pub fn new(kernel: &dyn Kernel, features: usize, seed: u64) -> Self {
        let bank = |bank: usize| kernel.features(features, &mut Stream::Features.rng(seed, bank as u64));
        Self { banks: (0..BANKS).map(bank).collect(), seed, kept: RefCell::default() }
    }

    /// Returns the values of the draws at every input: element (m, t) is at `m * rows + t`.
    pub fn sample(
        &self,
        kernel: &dyn Kernel,
        centres: &Rows,
        inputs: &Rows,
        draws: &[u64],
        update: &Update,
    ) -> Vec<f64> {
        let mut out = Vec::with_capacity(draws.len() * inputs.rows());
        for draws in draws.chunks(BLOCK) {
            let paths = self.paths(centres, draws, update);
            let coefficients = Rows::from_fn(draws.len(), centres.rows(), |m, i| paths[m].coefficients[i]);
            let mut values = Rows::zeros(draws.len(), inputs.rows());
            for from in (0..inputs.rows()).step_by(BLOCK) {
                let inputs = inputs.slice(from, inputs.rows().min(from + BLOCK));
                let updates = times_transposed(&coefficients, &cross(kernel, &inputs, centres));
                for bank in 0..BANKS {
                    let members: Vec<usize> = (0..draws.len()).filter(|m| bank_of(draws[*m]) == bank).collect();
                    if members.is_empty() {
                        continue;
                    }
                    let features = self.features(bank, &inputs);
                    let weights = Rows::from_fn(members.len(), features.cols(), |i, j| paths[members[i]].weights[j]);
                    let priors = times_transposed(&weights, &features);
                    for (prior, m) in priors.iter().zip(members) {
                        let values = &mut values.row_mut(m)[from..];
                        for ((value, prior), update) in values.iter_mut().zip(prior).zip(updates.row(m)) {
                            *value = prior + update;
                        }
                    }
                }
            }
            out.extend(values.iter().flatten());
        }
        out
    }

    fn features(&self, bank: usize, inputs: &Rows) -> Rows {
        let mut out = Rows::zeros(inputs.rows(), self.banks[bank].len());
        for (i, input) in inputs.iter().enumerate() {
            self.banks[bank].at(input, out.row_mut(i));
        }
        out
    }

    /// Returns the paths of the draws. The first ones that fit are kept for later calls.
    fn paths(&self, centres: &Rows, draws: &[u64], update: &Update) -> Vec<Rc<Path>> {
        let mut kept = self.kept.borrow_mut();
        let mut made: BTreeMap<u64, Rc<Path>> = BTreeMap::new();
        for bank in 0..BANKS {
            let missing = |draw: &&u64| bank_of(**draw) == bank && !kept.contains_key(*draw);
            let missing: Vec<u64> = draws.iter().filter(missing).copied().collect();
            if missing.is_empty() {
                continue;
            }
            let features = self.features(bank, centres);
            for draw in missing {
                made.entry(draw).or_insert_with(|| {
                    let mut rng = Stream::Draw.rng(self.seed, draw);
                    let weights: Vec<f64> = (0..features.cols()).map(|_| f64::from(rng.normal())).collect();
                    let prior = features.iter().map(|row| dot(row, &weights)).collect();
                    let coefficients = update(&mut rng, prior);
                    Rc::new(Path { weights, coefficients })
                });
            }
        }
        let find = |draw: &u64| Rc::clone(made.get(draw).or_else(|| kept.get(draw)).expect("made or kept"));
        let paths: Vec<Rc<Path>> = draws.iter().map(find).collect();
        for (draw, path) in made {
            let bytes = (path.weights.len() + path.coefficients.len() + 16) * size_of::<f64>();
            if kept.len() < ROOM / bytes {
                kept.insert(draw, path);
            }
        }
        paths
    }
}

fn bank_of(draw: u64) -> usize {
    (draw % BANKS as u64) as usize
}

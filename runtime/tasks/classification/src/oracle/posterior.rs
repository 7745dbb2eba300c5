//! A sample of environments from the posterior, and its convergence diagnosis.

use std::convert::Infallible;
use std::fmt;

use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;

use super::agreement::Agreement;
use super::chain::Chain;
use crate::environment::{Environment, EnvironmentSpec};

/// The largest R-hat at which chains count as converged.
const MOST_R_HAT: f64 = 1.05;
/// The number of effective draws that suffices, however many functions are kept.
const ENOUGH_EFFECTIVE: f64 = 200.0;
/// The share of the kept functions that suffices as the number of effective draws, where it is less than
/// `ENOUGH_EFFECTIVE`.
const EFFECTIVE_SHARE: f64 = 0.2;

/// A sample of environments from the posterior: draw m is function m mod S of the S kept functions, interleaved over
/// the chains.
#[derive(Clone, Debug)]
pub struct Posterior {
    functions: Vec<Environment>,
    diagnosis: Diagnosis,
}

/// Convergence statistics of a sample.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// Number of chains.
    pub chains: usize,
    /// Number of functions kept.
    pub functions: usize,
    /// Number of rounds that the chains ran; the functions come from the last one.
    pub rounds: u32,
    /// The lowest mean acceptance probability among the chains; step sizes are adapted to 0.8.
    pub acceptance: f64,
    /// The smallest and largest step sizes among the chains, in radians.
    pub steps: (f64, f64),
    /// The agreement on the training labels' log-likelihood.
    pub log_likelihood: Agreement,
    /// The agreement on the difference of the first two logits at each probe.
    pub logits: Vec<Agreement>,
}

impl Posterior {
    /// Interleaves the chains, so that the first draws come evenly from all parts of all chains.
    pub(super) fn new(spec: &EnvironmentSpec, chains: &[Chain], probes: &Matrix, rounds: u32) -> Self {
        let order = spread(chains[0].draws.len());
        let interleaved = order.iter().flat_map(|&m| chains.iter().map(move |chain| &chain.draws[m]));
        let functions: Vec<_> = interleaved.map(|draw| Environment::of_parameters(spec, draw)).collect();
        let log_likelihoods: Vec<Vec<f64>> = chains.iter().map(|chain| chain.log_likelihoods.clone()).collect();
        let mut logits = vec![vec![vec![0.0; order.len()]; chains.len()]; probes.rows()];
        for (m, function) in functions.iter().enumerate() {
            let mut at_probe = logits.iter_mut();
            function.each_row(probes, |row| {
                let by_chain = at_probe.next().expect("one list a probe");
                by_chain[m % chains.len()][order[m / chains.len()]] = row[0] - row[1];
            });
        }
        let steps = chains.iter().map(Chain::step);
        let diagnosis = Diagnosis {
            chains: chains.len(),
            functions: functions.len(),
            rounds,
            acceptance: chains.iter().map(|chain| chain.acceptance).fold(1.0, f64::min),
            steps: (steps.clone().fold(f64::INFINITY, f64::min), steps.fold(0.0, f64::max)),
            log_likelihood: Agreement::of(&log_likelihoods),
            logits: logits.iter().map(|chains| Agreement::of(chains)).collect(),
        };
        Self { functions, diagnosis }
    }

    /// Returns the convergence statistics of the sample.
    pub fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }
}

/// Returns all indices below `count` in bit-reversed order, so that every prefix is spread evenly.
fn spread(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|place| place.reverse_bits());
    order
}

impl Diagnosis {
    /// Returns whether R-hat is at most 1.05 and the number of effective draws at least 200, or a fifth of the
    /// functions kept if that is less, for every quantity.
    pub fn converged(&self) -> bool {
        let worst = self.worst();
        let least = ENOUGH_EFFECTIVE.min(EFFECTIVE_SHARE * self.functions as f64);
        worst.r_hat <= MOST_R_HAT && worst.effective >= least
    }

    /// Returns the largest R-hat and the lowest effective number of draws over all quantities.
    pub fn worst(&self) -> Agreement {
        self.logits.iter().fold(self.log_likelihood, |worst, one| Agreement {
            r_hat: worst.r_hat.max(one.r_hat),
            effective: worst.effective.min(one.effective),
        })
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worst = self.worst();
        write!(
            f,
            "{} functions of {} chains after {} {}{}, acceptance at least {:.2}, steps {:.4} to {:.4}; R-hat at most \
             {:.3}, effective draws at least {:.0} (log-likelihood {:.3} and {:.0})",
            self.functions,
            self.chains,
            self.rounds,
            if self.rounds == 1 { "round" } else { "rounds" },
            if self.converged() { "" } else { ", not converged" },
            self.acceptance,
            self.steps.0,
            self.steps.1,
            worst.r_hat,
            worst.effective,
            self.log_likelihood.r_hat,
            self.log_likelihood.effective,
        )
    }
}

impl Model for Posterior {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        let functions = self.functions.len() as u64;
        Ok(draws.iter().map(|draw| draw % functions).collect())
    }

    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Infallible> {
        let functions = self.functions.len() as u64;
        let function = |draw: &u64| &self.functions[(draw % functions) as usize];
        Ok(draws.iter().flat_map(|draw| function(draw).class_probs(inputs.numbers())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn every_place_comes_once_and_beginnings_are_spread() {
        assert_eq!(spread(6), [0, 4, 2, 1, 5, 3]);
        let order = spread(1000);
        let mut first = order[..250].to_vec();
        first.sort_unstable();
        assert!(first.iter().enumerate().all(|(i, &place)| place == 4 * i));
    }
}

//! The oracle: a Bayesian agent that knows the prior distribution of environments and samples their posterior. Its
//! score is a lower bound.

mod agreement;
mod chain;
mod hamiltonian;
mod law;
mod likelihood;
mod order;
mod posterior;
mod settings;

use std::convert::Infallible;

pub use agreement::Agreement;
use chain::Chain;
use law::Law;
use likelihood::Likelihood;
pub use posterior::{Diagnosis, Posterior};
pub use settings::{SettingInfo, Settings};

use jointly_core::classifier::Classifier;
use jointly_core::dataset::Dataset;
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;
use jointly_core::stream::stream;
use jointly_core::task::Task;

use crate::environment::EnvironmentSpec;
use crate::problem::{Problem, Source};

/// The version of the draws; raised when the same settings give other draws.
pub const VERSION: u32 = 2;
/// Inputs at which the chains' predictions are compared.
const PROBES: usize = 8;

/// An agent that knows the prior distribution of the environment, but not the environment, and samples its posterior.
///
/// # Formula
/// Environments have the density p(theta) of their [spec](EnvironmentSpec). Given training data D, the posterior is
/// p(theta | D), proportional to p(theta) times the product over (x, y) in D of P(y | x, theta); the oracle's draws are
/// samples of it. The labels of a tau-sample come from theta as the data did, so that over problems the expected KL of
/// the posterior's joint predictions is the mutual information I(theta; y_1..tau | D, x_1..tau): no agent that sees D
/// alone has a lower expected KL. The metric is defined in Osband et al., "The Neural Testbed", section 3.
///
/// # Method
/// Runs several chains of Hamiltonian Monte Carlo over all of the network's parameters, each annealed from a draw of
/// the prior; [`Diagnosis`] reports how much of the error can be measured on one problem.
#[derive(Clone, Debug)]
pub struct Oracle {
    spec: EnvironmentSpec,
    settings: Settings,
}

impl Oracle {
    /// Creates an oracle for environments drawn from `spec`.
    pub fn new(spec: EnvironmentSpec, settings: Settings) -> Self {
        Self { spec, settings }
    }

    /// Creates an oracle for the distribution from which the problem's environment is drawn; None if that is unknown.
    pub fn of(problem: &Problem, settings: Settings) -> Option<Self> {
        let Source::Synthetic { environment, .. } = &problem.source else { return None };
        Some(Self::new(environment.clone(), settings))
    }

    /// Samples the posterior given the data. `progress` receives the fraction done of the rounds started, which falls
    /// when another round starts.
    ///
    /// Chains that have not [converged](Diagnosis::converged) continue for another round, up to the number of rounds in
    /// the settings. The draws kept so far then count as warm-up, and each draw takes twice the work of the previous
    /// round. With `rounds` 3 the total is at most about five times the work of one round. The draws alone decide
    /// whether the chains continue.
    ///
    /// # Panics
    /// When the data's inputs have another dimension than the environments of the spec, a label is not below their
    /// number of classes, or [`Environment::sample`](crate::Environment::sample) would panic on the spec.
    pub fn sample(&self, train: &Dataset, seed: u64, progress: &mut dyn FnMut(f64)) -> Posterior {
        let cols = self.spec.input_dim as usize;
        assert_eq!(train.inputs().numbers().cols(), cols, "the data's inputs have the environments' dimension");
        let classes = self.spec.num_classes;
        assert!(
            train.labels().iter().all(|&label| label < classes),
            "labels are below the environments' {classes} classes"
        );
        let law = Law::of(&self.spec);
        let mut likelihood = Likelihood::new(law.clone(), self.spec.temperature, train);
        let mut source = stream(seed, "oracle-probes", "", 0);
        let probes = Matrix::from_rows(cols, (0..PROBES * cols).map(|_| source.normal() as f32).collect());

        let Settings { chains: count, rounds, replicate, .. } = &self.settings;
        let per_chain = self.settings.per_chain();
        // Chains started and done, over the present and earlier rounds; a round weighs twice the previous one.
        let (mut begun, mut done, mut each) = (f64::from(*count), 0.0, 1.0);
        let mut chains = Vec::new();
        let mut round = 1;
        loop {
            for i in 0..*count as usize {
                if round == 1 {
                    let source = stream(seed, "oracle-chain", &replicate.to_string(), i as u64);
                    chains.push(Chain::warm_up(&law, &mut likelihood, &self.settings, source));
                } else {
                    chains[i].lengthen(&law, &mut likelihood, &self.settings);
                }
                chains[i].draw(&law, &mut likelihood, per_chain);
                done += each;
                progress(done / begun);
            }
            let posterior = Posterior::new(&self.spec, &chains, &probes, round);
            if round == *rounds || posterior.diagnosis().converged() {
                return posterior;
            }
            round += 1;
            each *= 2.0;
            begun += each * f64::from(*count);
        }
    }
}

impl Classifier for Oracle {
    type Model = Posterior;
    type Error = Infallible;

    fn train(
        &mut self,
        _task: &Task,
        train: &Dataset,
        _validation: Option<&Dataset>,
        _unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<Posterior, Infallible> {
        Ok(self.sample(train, seed, &mut |_| ()))
    }
}

#[cfg(test)]
mod tests;

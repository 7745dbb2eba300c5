//! Beliefs whose joint likelihood is known exactly.

use jointly_core::Stream;
use jointly_core::estimate::joint_log_likelihood;

/// The number of classes of every belief here.
pub(crate) const CLASSES: usize = 2;
/// The number of functions of [`Belief::Mixture`].
const FUNCTIONS: usize = 5;
/// The number of coins of [`Belief::Coins`].
const COINS: usize = 10;

/// A belief over functions from tau inputs to the probability of class 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Belief {
    /// Uniform over all 2^tau deterministic models: example 1 of the paper's appendix A.1. All labels have probability
    /// 2^-tau.
    Deterministic,
    /// One of five functions, each with probabilities uniform in [0.05, 0.95].
    Mixture,
    /// A coin whose probability is Beta(2, 2): h ones and t zeros in a given order have
    /// B(2 + h, 2 + t) / B(2, 2).
    Coin,
    /// Ten such coins, tossed in turn: the product of their probabilities.
    Coins,
}

/// A tau-sample's labels with their likelihood, and what is needed to sample functions there.
pub(crate) struct Question {
    belief: Belief,
    pub(crate) labels: Vec<u32>,
    /// The exact log-likelihood of the labels.
    pub(crate) log_likelihood: f64,
    /// The functions of a mixture, as probabilities of class 1.
    functions: Vec<Vec<f64>>,
}

impl Belief {
    pub(crate) const ALL: [Self; 4] = [Self::Deterministic, Self::Mixture, Self::Coin, Self::Coins];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::Mixture => "mixture of 5",
            Self::Coin => "coin",
            Self::Coins => "ten coins",
        }
    }

    /// Draws labels of `tau` inputs from the belief itself.
    pub(crate) fn question(self, tau: usize, source: &mut Stream) -> Question {
        let mut function = || (0..tau).map(|_| 0.05 + 0.9 * source.uniform()).collect();
        let functions = if self == Self::Mixture { (0..FUNCTIONS).map(|_| function()).collect() } else { Vec::new() };
        let mut question = Question { belief: self, labels: vec![0; tau], log_likelihood: 0.0, functions };
        let truth = question.function(source);
        question.labels = truth.iter().map(|p| u32::from(source.uniform() < *p)).collect();
        question.log_likelihood = question.truth();
        question
    }
}

impl Question {
    /// Samples a function from the belief: the probability of class 1 at each input.
    fn function(&self, source: &mut Stream) -> Vec<f64> {
        let tau = self.labels.len();
        match self.belief {
            Belief::Deterministic => (0..tau).map(|_| f64::from(u8::from(source.uniform() < 0.5))).collect(),
            Belief::Mixture => self.functions[(source.uniform() * FUNCTIONS as f64) as usize].clone(),
            Belief::Coin => vec![beta(source); tau],
            Belief::Coins => {
                let coins: Vec<f64> = (0..COINS).map(|_| beta(source)).collect();
                (0..tau).map(|t| coins[t % COINS]).collect()
            }
        }
    }

    /// Samples a function and returns its class probabilities at each input.
    pub(crate) fn draw(&self, source: &mut Stream) -> Vec<f32> {
        self.function(source).into_iter().flat_map(|p| [1.0 - p as f32, p as f32]).collect()
    }

    /// Samples a function and returns its joint log-likelihood of the labels.
    pub(crate) fn draw_log_likelihood(&self, source: &mut Stream) -> f64 {
        joint_log_likelihood(&self.draw(source), &self.labels, CLASSES)
    }

    fn truth(&self) -> f64 {
        match self.belief {
            Belief::Deterministic => -(self.labels.len() as f64) * std::f64::consts::LN_2,
            Belief::Mixture => {
                let product = |function: &Vec<f64>| -> f64 {
                    let probs =
                        function.iter().zip(&self.labels).map(|(p, &label)| if label == 1 { *p } else { 1.0 - p });
                    probs.product()
                };
                libm::log(self.functions.iter().map(product).sum::<f64>() / FUNCTIONS as f64)
            }
            Belief::Coin => log_exchangeable(self.labels.iter()),
            Belief::Coins => {
                (0..COINS).map(|coin| log_exchangeable(self.labels.iter().skip(coin).step_by(COINS))).sum()
            }
        }
    }
}

/// Draws from Beta(2, 2): the median of three uniform deviates.
fn beta(source: &mut Stream) -> f64 {
    let mut deviates = [source.uniform(), source.uniform(), source.uniform()];
    deviates.sort_unstable_by(f64::total_cmp);
    deviates[1]
}

/// Returns the log of B(2 + h, 2 + t) / B(2, 2), label by label: the next label is 1 with probability (2 + h) / (4 + h
/// + t).
fn log_exchangeable<'a>(labels: impl Iterator<Item = &'a u32>) -> f64 {
    let mut seen = [2.0, 2.0];
    let mut log_likelihood = 0.0;
    for &label in labels {
        log_likelihood += libm::log(seen[label as usize] / (seen[0] + seen[1]));
        seen[label as usize] += 1.0;
    }
    log_likelihood
}

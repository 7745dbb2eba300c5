//! The agent `swag`: a normal distribution fitted to the networks that gradient descent passes through.

mod descent;
mod moments;

use jointly_nets::drawn::Drawn;
use jointly_nets::inputs::{Auto, Fitted, Setup, Sort};
use jointly_nets::normals::Normals;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{Network, Penalty, Rows, Stream, each_draw, predict, sweeps};
use jointly_sdk::{
    Count, Dataset, Description, Failure, Fraction, InputClassifier, Inputs, NonNegative, Positive, Progress, Setting,
    SettingValue, Task,
};

use descent::{Descent, Sgd};
use moments::{Moments, Posterior};

/// A number of deviations: none, or enough to estimate a covariance.
#[derive(Clone, Copy, Debug)]
struct Rank(usize);

impl SettingValue for Rank {
    fn expected() -> String {
        "0, or a whole number above 1".into()
    }

    fn parse_value(text: &str) -> Option<Self> {
        text.trim().parse().ok().filter(|rank| *rank != 1).map(Self)
    }
}

jointly_nets::input_settings! {
    struct Settings(hidden: "50,50", batch_size: 100 or 32) {
        /// weight of the sum of squares of all parameters, over the number of examples; auto is 1 for plain numbers,
        /// 0 for other inputs
        l2: Auto<NonNegative> = "auto",
        /// multiply that weight by the input's dimension and the root of the temperature; auto is yes up to
        /// 100 inputs, no above
        adaptive: Auto<bool> = "auto",
        /// step size of Adam, which trains the network first
        learning_rate: Positive = "1e-3",
        /// constant step size of the gradient descent that follows
        swa_learning_rate: Positive = "1e-2",
        /// factor of the past steps in each step of that descent
        momentum: Fraction = "0.9",
        /// examples in a batch of that descent, drawn with replacement; auto is batch-size
        swa_batch_size: Auto<Count> = "auto",
        /// snapshots of the parameters during the descent
        snapshots: Count = "40",
        /// steps between two snapshots; auto is as many as make the descent as long as the training before it
        every: Auto<Count> = "auto",
        /// last snapshots whose deviations from the mean are kept as the low-rank part of the covariance; 0 for a
        /// diagonal covariance
        rank: Rank = "20",
        /// factor of the draws' deviation from the mean
        scale: NonNegative = "1",
    }
}

/// Arrays of parameters that training needs beside the deviations: the trained network, the one that moves, its gradient
/// and velocity, mean and variance, and the two moments of Adam.
const ARRAYS: usize = 8;

/// Stochastic weight averaging, Gaussian (SWAG), after Maddox et al. (2019).
///
/// The network is trained as `mlp` trains it. Then gradient descent with a constant step size goes on from there, and a
/// snapshot of the parameters is taken every few steps. A draw is one network from the normal distribution that has the
/// mean of the snapshots and a covariance of a diagonal and a low-rank part (`Posterior`), the same for all rows of all
/// calls.
///
/// The descent minimises the loss of the training before it. Its minibatches are drawn with replacement: the Neural
/// Testbed's batches of 100 contain all examples if there are 10 or 100, and without noise in the gradient the snapshots
/// would not differ. Embeddings and an LSTM stay as the training left them. Without examples all draws are the trained
/// network.
///
/// The paper keeps 20 deviations and takes a snapshot after each pass over the examples, for about as many passes as
/// before. The defaults are the paper's rank and scale, and were not chosen by scores: on the suite quick under master seed
/// 11, step sizes from 1e-3 to 0.1, batches of 10 or 100 and scales of 1 or 3 all have a KL divergence above that of `mlp`.
#[derive(Debug)]
pub struct Swag {
    /// The trained network, whose parameters a draw replaces.
    fitted: Fitted,
    posterior: Posterior,
    seed: u64,
    drawn: Drawn,
}

impl Settings {
    fn batch_size(&self, task: &Task) -> usize {
        self.swa_batch_size.or(self.batch_size.or(Sort::of(task).choose(100, 32)))
    }
}

impl Swag {
    /// Returns the network that a draw names.
    fn network(&self, draw: u64) -> Network {
        let mut network = self.fitted.network.clone();
        let make = |out: &mut [f32]| {
            let mut parameters = self.posterior.mean.clone();
            self.posterior.draw(&mut Normals::new(&mut Stream::Parameters.rng(self.seed, draw)), &mut parameters);
            out.copy_from_slice(floats(&parameters));
        };
        self.drawn.with(draw, make, |drawn| floats_mut(&mut network.parameters).copy_from_slice(drawn));
        network
    }
}

impl InputClassifier for Swag {
    fn describe() -> Description {
        let summary = "a normal distribution fitted to the networks that gradient descent passes through";
        Description {
            citation:
                "Maddox, Garipov, Izmailov, Vetrov and Wilson, A simple baseline for Bayesian uncertainty in deep \
                       learning, NeurIPS 2019"
                    .into(),
            tokens: true,
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("swa-learning-rate", &["1e-3", "3e-3", "1e-2", "3e-2", "0.1"]),
                sweeps::one("scale", &["0", "0.3", "1", "3"]),
                sweeps::one("rank", &["0", "2", "5", "20", "40"]),
                sweeps::one("snapshots", &["20", "40", "100"]),
                sweeps::l2_by_adaptive(),
            ],
            ..Description::new("swag", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let snapshots = *settings.snapshots;
        if snapshots < 2 {
            return Err(Failure::InvalidSetting("snapshots=1 has no covariance: give at least 2".into()));
        }
        let penalty = Penalty { l2: settings.l2.or(Sort::of(task).choose(1.0, 0.0)), adaptive: settings.adaptive.0 };
        let design = settings
            .design(task, *settings.learning_rate, penalty)?
            .with_uncertain_convolutions("swag has a posterior over them")?;
        let rank = settings.rank.0.min(snapshots);
        let setup = Setup::new(&design, task, data, rank.saturating_add(ARRAYS), seed)?;
        let every = settings.every.or((setup.steps() / snapshots).max(1));
        let mut progress = Progress::new(setup.steps().saturating_add(snapshots.saturating_mul(every)));
        let fitted = setup.fit(0, &mut progress)?;

        let mut network = fitted.network.clone();
        let mut moments = Moments::new(network.parameters.len(), rank);
        if setup.examples() == 0 {
            moments.add(&network.parameters);
        } else {
            // Rows without numbers count as having one, as in the training.
            let task = setup.plain().map_or(task, |(task, _)| task);
            let decay = 2.0 * penalty.factor(task, setup.examples());
            let sgd = Sgd::new(network.parameters.len(), *settings.swa_learning_rate, *settings.momentum, decay);
            let batches = Stream::Batches.rng(seed, 1);
            let mut descent = Descent::new(&fitted, data, settings.batch_size(task), sgd, batches);
            for snapshot in 0..snapshots {
                for _ in 0..every {
                    if !descent.step(&mut network)? {
                        return Err(Failure::Diverged(format!(
                            "the loss is not finite before snapshot {snapshot}: lower swa-learning-rate"
                        )));
                    }
                    progress.step();
                }
                moments.add(&network.parameters);
            }
        }
        let posterior = moments.posterior(*settings.scale)?;
        Ok(Self { drawn: Drawn::new(posterior.numbers()), fitted, posterior, seed })
    }

    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let read = self.fitted.read(inputs)?;
        let rows = Rows::of(&read);
        each_draw(draws, out, |draw, out| predict(&[&self.network(draw)], &rows, out))
    }
}

jointly_sdk::export!(input_classifier: Swag);

#[cfg(test)]
mod tests;

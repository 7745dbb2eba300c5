//! The agent `dropout`: a network of which every draw keeps other units.

mod masks;
mod sampling;
mod training;

use jointly_nets::examples::Examples;
use jointly_nets::{FirstBiases, Network, Stream, adaptive, predict};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Fraction, Matrix, NonNegative, Positive, Setting, Sweep, Task,
    Widths, settings, sweep,
};

use masks::{Masks, Rates};
use sampling::Shared;
use training::{Recipe, train};

settings! {
    struct Settings {
        /// probability that a hidden unit is dropped
        rate: Fraction = "0.1",
        /// drop inputs with the same probability
        input_dropout: bool = "no",
        /// weight of the sum of squares of all parameters: see adaptive
        length_scale: NonNegative = "1",
        /// that weight is length-scale times the input's dimension and the root of the temperature, over the number of
        /// examples; otherwise the square of length-scale times 1 - rate, over twice that number
        adaptive: bool = "yes",
        /// widths of the hidden layers
        hidden: Widths = "100,100",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

impl Settings {
    fn rates(&self) -> Rates {
        Rates { hidden: *self.rate, input: if self.input_dropout { *self.rate } else { 0.0 } }
    }

    /// The factor of the sum of squares in the loss.
    ///
    /// # Formula
    ///
    /// l d sqrt(temperature) / T where adaptive, otherwise l^2 (1 - p) / (2 T), with length scale l, rate p and T
    /// examples; none count as one.
    fn penalty(&self, task: &Task, examples: usize) -> f32 {
        let weight = if self.adaptive {
            *self.length_scale * adaptive::factor(task)
        } else {
            self.length_scale.powi(2) * (1.0 - *self.rate) / 2.0
        };
        weight / examples.max(1) as f32
    }
}

/// A network trained under dropout, which stays in force: a draw is one set of masks, the same for all inputs.
///
/// After Gal and Ghahramani (2016). Masks are on hidden units alone unless inputs are dropped too.
#[derive(Debug)]
pub struct Dropout {
    network: Network,
    widths: Vec<usize>,
    rates: Rates,
    /// Where draws have much in common.
    shared: Option<Shared>,
    seed: u64,
}

impl Dropout {
    fn masks(&self, draw: u64) -> Masks {
        Masks::draw(&self.widths, &self.rates, &mut Stream::Parameters.rng(self.seed, draw))
    }

    /// Class probabilities of the network that a draw's masks leave.
    fn plain_probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[&self.masks(draw).thin(&self.network, &self.widths, &self.rates)], inputs, out)
    }
}

impl Classifier for Dropout {
    fn describe() -> Description {
        Description {
            citation: "Gal and Ghahramani, Dropout as a Bayesian approximation: representing model uncertainty in deep \
                       learning, ICML 2016"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![rate_by_input_dropout(), length_scale_by_adaptive(), hidden()],
            ..Description::new("dropout", env!("CARGO_PKG_VERSION"), "a network of which every draw keeps other units")
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        let widths = [&[task.input_dim], &settings.hidden[..], &[task.num_classes]].concat();
        let rates = settings.rates();
        let recipe = Recipe {
            rates: rates.clone(),
            steps: *settings.steps,
            learning_rate: *settings.learning_rate,
            penalty: settings.penalty(task, data.labels.len()),
        };
        let mut examples = Examples::new(task, data, *settings.batch_size, seed)?.repeating();
        let network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 0));
        let network = train(network, &widths, &recipe, &mut examples, seed)?;
        let shares = widths.len() == 4 && rates.input == 0.0;
        let shared = shares.then(|| Shared::new(&network, &widths, &rates));
        Ok(Self { network, widths, rates, shared, seed })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        if self.rates.hidden == 0.0 { 0 } else { draw }
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let (cols, dim) = (inputs.cols(), self.widths[0]);
        if cols != dim {
            return Err(Failure::Internal(format!("inputs have {cols} columns; the task has {dim}")));
        }
        if out.is_empty() {
            return Ok(());
        }
        if let Some(shared) = &self.shared {
            let masks: Vec<Masks> = draws.iter().map(|draw| self.masks(*draw)).collect();
            shared.probs(inputs, &masks, out);
            return Ok(());
        }
        let block = out.len() / draws.len();
        for (draw, out) in draws.iter().zip(out.chunks_exact_mut(block)) {
            self.plain_probs(inputs, *draw, out)?;
        }
        Ok(())
    }
}

fn rate_by_input_dropout() -> Sweep {
    let rates = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
    let variants = ["yes", "no"].into_iter().flat_map(|input| rates.map(|p| vec![("rate", p), ("input-dropout", input)]));
    sweep("rate", variants)
}

fn length_scale_by_adaptive() -> Sweep {
    let scales = ["0.01", "0.1", "0.3", "1", "3", "10"];
    let variants = ["yes", "no"].into_iter();
    sweep("length-scale", variants.flat_map(|yes| scales.map(|l| vec![("length-scale", l), ("adaptive", yes)])))
}

fn hidden() -> Sweep {
    sweep("hidden", ["50-50", "100-100", "50-50-50", "100-100-100"].map(|widths| vec![("hidden", widths)]))
}

jointly_sdk::export!(classifier: Dropout);

//! The agent `epinet`: a network, and a small one beside it that says how the index moves its logits.

mod epinet;
mod prior;
mod training;

use jointly_nets::penalty::temperature;
use jointly_nets::stack::Stack;
use jointly_nets::{Network, Stream, predict_shifted};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Rng, Setting, Task, Widths,
    settings, sweep,
};

use epinet::{Shape, draw_index};
use prior::Prior;
use training::Recipe;

/// Rows that pass through the base network together.
const BLOCK: usize = 64;

settings! {
    struct Settings {
        /// dimension of the index
        index_dim: Count = "8",
        /// widths of the base network's hidden layers
        hidden: Widths = "50,50",
        /// widths of the epinet's hidden layers
        epinet_hidden: Widths = "15,15",
        /// weight of the sum of squares of all parameters, times (input dimension / number of examples)^0.7
        l2: NonNegative = "0.2",
        /// factor of the prior networks' logits, over the temperature
        prior_scale: NonNegative = "0.3",
        /// widths of the prior networks' hidden layers
        prior_hidden: Widths = "5,5",
        /// indices in a step
        indices: Count = "8",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// How the penalty shrinks as there are more examples for each dimension of the input.
const PENALTY_POWER: f32 = 0.7;

/// A base network with an epinet and an additive prior.
///
/// # Formula
///
/// The logits at input x and index z, standard normal, are mu(x) + eta([x, h(x), z]) z + prior(x, z): mu is the base network
/// and h its last hidden layer, eta a matrix of classes by dimensions of the index, and the prior the sum of z_i f_i(x)
/// over fixed random networks.
#[derive(Debug)]
pub struct Epinet {
    shape: Shape,
    base: Network,
    epinet: Network,
    prior: Prior,
    seed: u64,
}

/// What the draws share at some inputs.
#[derive(Debug)]
struct Shared {
    /// A row of features for each input.
    features: Vec<f32>,
    /// The base network's logits.
    logits: Vec<f32>,
    prior: prior::Outputs,
}

impl Epinet {
    /// Computes what does not depend on the draw.
    fn share(&self, inputs: &Matrix) -> Result<Shared, Failure> {
        let Shape { input_dim, classes, .. } = self.shape;
        if inputs.cols() != input_dim {
            let reason = format!("inputs have {} columns; the task has {input_dim}", inputs.cols());
            return Err(Failure::Internal(reason));
        }
        let mut base = Stack::of(self.base.clone(), &self.shape.base_widths(), BLOCK.min(inputs.rows()));
        let (mut features, mut logits) = (Vec::new(), Vec::new());
        for inputs in inputs.values().chunks(BLOCK * input_dim) {
            let rows = inputs.len() / input_dim;
            let inputs = inputs.chunks_exact(input_dim);
            base.inputs().zip(inputs.clone()).for_each(|(to, from)| to[..input_dim].copy_from_slice(from));
            base.forward(rows);
            for (input, hidden) in inputs.zip(base.features()) {
                features.extend_from_slice(input);
                features.extend_from_slice(&hidden[..self.shape.features() - input_dim]);
            }
            base.outputs().take(rows).for_each(|row| logits.extend_from_slice(&row[..classes]));
        }
        Ok(Shared { features, logits, prior: self.prior.outputs(inputs.values()) })
    }

    fn probs_at(&self, shared: &Shared, draw: u64, out: &mut [f32]) {
        let index = draw_index(self.shape.index_dim, &mut Rng::new(self.seed, draw));
        let network = self.shape.at_index(&self.epinet, &index);
        let shifts = shared.logits.iter().zip(shared.prior.at_index(&index)).map(|(base, prior)| base + prior);
        predict_shifted(&network, &shared.features, &shifts.collect::<Vec<f32>>(), out);
    }
}

impl Classifier for Epinet {
    fn describe() -> Description {
        let summary = "a network, and a small one that says how a random index moves its logits";
        let one =
            |name: &'static str, values: &[&'static str]| sweep(name, values.iter().map(|value| vec![(name, *value)]));
        Description {
            citation: "Osband, Wen, Asghari, Dwaracherla, Ibrahimi, Lu and Van Roy, Epistemic neural networks, 2021"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                one("index-dim", &["1", "2", "4", "8", "16"]),
                one("l2", &["0.05", "0.1", "0.2", "0.4", "1"]),
                one("prior-scale", &["0", "0.1", "0.3", "1", "3"]),
                one("epinet-hidden", &["none", "15-15", "50-50"]),
            ],
            ..Description::new("epinet", env!("CARGO_PKG_VERSION"), summary)
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
        let shape = Shape {
            input_dim: task.input_dim,
            classes: task.num_classes,
            hidden: settings.hidden.to_vec(),
            epinet_hidden: settings.epinet_hidden.to_vec(),
            index_dim: *settings.index_dim,
        };
        let examples = data.labels.len().max(1);
        let recipe = Recipe {
            indices: *settings.indices,
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: *settings.l2 * (task.input_dim as f32 / examples as f32).powf(PENALTY_POWER),
        };
        let prior_widths = [&[task.input_dim], &settings.prior_hidden[..], &[task.num_classes]].concat();
        let prior = Prior::new(&prior_widths, shape.index_dim, *settings.prior_scale / temperature(task), seed);
        let (base, epinet) = training::train(&shape, &prior, &recipe, task, data, seed)?;
        Ok(Self { shape, base, epinet, prior, seed: Stream::IndexOfDraw.seed(seed) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.probs_at(&self.share(inputs)?, draw, out);
        Ok(())
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        let shared = self.share(inputs)?;
        let block = out.len() / draws.len();
        draws.iter().zip(out.chunks_exact_mut(block)).for_each(|(draw, out)| self.probs_at(&shared, *draw, out));
        Ok(())
    }
}

jointly_sdk::export!(classifier: Epinet);

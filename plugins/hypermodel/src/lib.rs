//! The agent `hypermodel`: networks whose parameters are a linear function of a random index.

mod bootstrap;
mod hypernetwork;
mod prior;
mod sphere;
mod training;

use jointly_nets::penalty::temperature;
use jointly_nets::{Penalty, Stream, Weighting, predict};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Setting, Task, Widths, settings,
    sweep,
};

use hypernetwork::{Hypernetwork, draw_index};
use training::Recipe;

settings! {
    struct Settings {
        /// dimension of the index
        index_dim: Count = "6",
        /// widths of the hidden layers
        hidden: Widths = "50,50",
        /// weight of the sum of squares of the hypermodel's parameters, over the number of examples
        l2: NonNegative = "1",
        /// multiply that weight by the input's dimension and the root of the temperature
        adaptive: bool = "yes",
        /// factor of the prior network's logits, over the root of the temperature
        prior_scale: NonNegative = "1",
        /// widths of the prior network's hidden layers
        prior_hidden: Widths = "10",
        /// weights of the examples, as a function of the index
        bootstrap: Weighting = "none",
        /// indices in a step
        indices: Count = "16",
        /// step size of Adam
        learning_rate: Positive = "1e-3",
        /// steps of Adam
        steps: Count = "2000",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// A linear hypermodel with an additive prior.
#[derive(Debug)]
pub struct Hypermodel {
    model: Hypernetwork,
    prior: Option<Hypernetwork>,
    index_dim: usize,
    seed: u64,
}

impl Classifier for Hypermodel {
    fn describe() -> Description {
        let summary = "networks whose parameters are a linear function of a random index";
        let index = sweep("index-dim", ["1", "3", "5", "7"].map(|dim| vec![("index-dim", dim)]));
        let l2 = ["0.1", "0.3", "1", "3", "10"];
        let l2 = ["yes", "no"].into_iter().flat_map(|adaptive| l2.map(|l2| vec![("l2", l2), ("adaptive", adaptive)]));
        let prior = ["10", "10-10"].into_iter();
        let prior =
            prior.flat_map(|hidden| ["0", "1"].map(|scale| vec![("prior-hidden", hidden), ("prior-scale", scale)]));
        Description {
            citation: "Dwaracherla, Lu, Ibrahimi, Osband, Wen and Van Roy, Hypermodels for exploration, ICLR 2020"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                index,
                sweep("l2", l2),
                sweep("bootstrap", ["none", "bernoulli", "exponential"].map(|law| vec![("bootstrap", law)])),
                sweep("prior", prior),
            ],
            ..Description::new("hypermodel", env!("CARGO_PKG_VERSION"), summary)
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
        let index_dim = *settings.index_dim;
        let widths = |hidden: &[usize]| [&[task.input_dim], hidden, &[task.num_classes]].concat();
        let recipe = Recipe {
            index_dim,
            indices: *settings.indices,
            steps: *settings.steps,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: Penalty { l2: *settings.l2, adaptive: settings.adaptive }.factor(task, data.labels.len()),
            weighting: settings.bootstrap,
        };
        let scale = *settings.prior_scale / temperature(task).sqrt();
        let prior = (scale > 0.0).then(|| prior::prior(&widths(&settings.prior_hidden), index_dim, scale, seed));
        let start = Hypernetwork::start(&widths(&settings.hidden), index_dim, seed);
        let model = training::train(start, prior.as_ref(), &recipe, task, data, seed)?;
        Ok(Self { model, prior, index_dim, seed: Stream::IndexOfDraw.seed(seed) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let index = draw_index(self.index_dim, &mut jointly_sdk::Rng::new(self.seed, draw));
        let network = self.model.network(&index);
        match &self.prior {
            None => predict(&[&network], inputs, out),
            Some(prior) => predict(&[&network, &prior.network(&index)], inputs, out),
        }
    }
}

jointly_sdk::export!(classifier: Hypermodel);

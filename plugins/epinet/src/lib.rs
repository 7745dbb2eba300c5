//! The agent `epinet`: a base network, and a small network that computes how an index changes its logits.

mod epinet;
mod prior;
mod training;

use jointly_nets::penalty::temperature;
use jointly_nets::stack::Stack;
use jointly_nets::{Network, Stream, each_draw, predict_shifted, sweeps, widths};
use jointly_sdk::{
    Classifier, Count, Dataset, Description, Failure, Matrix, NonNegative, Positive, Rng, Setting, Task, Widths,
    settings,
};

use epinet::{Shape, draw_index};
use prior::Prior;
use training::Recipe;

/// Number of rows that pass through the base network together.
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
        /// factor of the number of steps if there are more than 500 examples per input dimension; 1 turns it off
        steps_factor: Count = "10",
        /// examples in a batch
        batch_size: Count = "100",
    }
}

/// The exponent with which the penalty shrinks as the number of examples per input dimension grows.
const PENALTY_POWER: f32 = 0.7;

/// The number of examples per input dimension above which training takes more steps.
const MANY_EXAMPLES: usize = 500;

impl Settings {
    /// Returns the number of steps of Adam for `examples` examples.
    fn steps(&self, task: &Task, examples: usize) -> Result<usize, Failure> {
        let (steps, factor) = (*self.steps, *self.steps_factor);
        if examples <= MANY_EXAMPLES.saturating_mul(task.input_dim) {
            return Ok(steps);
        }
        steps.checked_mul(factor).ok_or_else(|| {
            Failure::InvalidSetting(format!("steps={steps} times steps-factor={factor} is too many: lower one of them"))
        })
    }
}

/// A base network with an epinet and an additive prior.
///
/// # Formula
///
/// For input x and a standard normal index z, the logits are mu(x) + eta([x, h(x), z]) z + prior(x, z). Here mu is
/// the base network, h its last hidden layer, eta a matrix of classes by index dimensions, and prior(x, z) the sum of
/// z_i f_i(x) over fixed random networks f_i.
///
/// As in the version that its authors published for the Neural Testbed, training takes ten times as many steps if
/// there are more than 500 examples per input dimension; the setting steps-factor is that ten.
#[derive(Debug)]
pub struct Epinet {
    shape: Shape,
    base: Network,
    eta: Network,
    prior: Prior,
    seed: u64,
}

/// The values that all draws share at some inputs.
#[derive(Debug)]
struct Shared {
    /// A row of features for each input.
    features: Matrix,
    /// The base network's logits.
    logits: Vec<f32>,
    prior: prior::Outputs,
}

impl Epinet {
    /// Computes the values that do not depend on the draw.
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
        let features =
            Matrix::new(inputs.rows(), self.shape.features(), features).expect("a row of features for each input");
        Ok(Shared { features, logits, prior: self.prior.outputs(inputs.values()) })
    }

    fn probs_at(&self, shared: &Shared, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let index = draw_index(self.shape.index_dim, &mut Rng::new(self.seed, draw));
        let network = self.shape.at_index(&self.eta, &index);
        let shifts = shared.logits.iter().zip(shared.prior.at_index(&index)).map(|(base, prior)| base + prior);
        predict_shifted(&network, &shared.features, &shifts.collect::<Vec<f32>>(), out)
    }
}

impl Classifier for Epinet {
    fn describe() -> Description {
        let summary = "a network, and a small one that says how a random index moves its logits";
        Description {
            citation: "Osband, Wen, Asghari, Dwaracherla, Ibrahimi, Lu and Van Roy, Epistemic neural networks, 2021"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("index-dim", &["1", "2", "4", "8", "16"]),
                sweeps::one("l2", &["0.05", "0.1", "0.2", "0.4", "1"]),
                sweeps::one("prior-scale", &["0", "0.1", "0.3", "1", "3"]),
                sweeps::one("epinet-hidden", &["none", "15-15", "50-50"]),
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
            steps: settings.steps(task, data.labels.len())?,
            batch_size: *settings.batch_size,
            learning_rate: *settings.learning_rate,
            penalty: *settings.l2 * (task.input_dim as f32 / examples as f32).powf(PENALTY_POWER),
        };
        let prior_widths = widths(task, &settings.prior_hidden);
        let prior = Prior::new(&prior_widths, shape.index_dim, *settings.prior_scale / temperature(task), seed);
        let (base, eta) = training::train(&shape, &prior, &recipe, task, data, seed)?;
        Ok(Self { shape, base, eta, prior, seed: Stream::IndexOfDraw.seed(seed) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.probs_at(&self.share(inputs)?, draw, out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        let shared = self.share(inputs)?;
        each_draw(draws, out, |draw, out| self.probs_at(&shared, draw, out))
    }
}

jointly_sdk::export!(classifier: Epinet);

#[cfg(test)]
mod tests {
    use jointly_testkit::{
        assert_divergence_names_the_step, assert_draws_are_functions, assert_draws_disagree, half_plane, mean_nll,
        no_examples, plane, probs, settings,
    };

    use super::*;

    /// A mean negative log-likelihood that an agent stays below only if it has learnt a half-plane.
    const LOW_LOSS: f32 = 0.2;

    #[test]
    fn every_draw_learns_what_is_easy() {
        let data = half_plane(60, 3);
        let quick = [("steps", "400"), ("learning-rate", "1e-2"), ("l2", "0.001")];
        let agent = Epinet::train(&plane(Some(0.1)), &data, None, &settings(&quick), 0).unwrap();
        for draw in 0..5 {
            let loss = mean_nll(&probs(&agent, &data.inputs, 2, &[draw]), &data.labels);
            assert!(loss < LOW_LOSS, "draw {draw}: {loss}");
        }
    }

    #[test]
    fn draws_differ_where_there_are_no_data() {
        let nothing = no_examples(2);
        let agent = Epinet::train(&plane(Some(0.1)), &nothing, None, &settings(&[("steps", "20")]), 0).unwrap();
        assert_draws_disagree(&agent);
    }

    #[test]
    fn training_depends_on_the_seed_alone_and_a_draw_on_its_number() {
        let data = half_plane(130, 3);
        let few = settings(&[("steps", "20")]);
        let train = |seed| Epinet::train(&plane(Some(0.1)), &data, None, &few, seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        assert_eq!(probs(&one, &data.inputs, 2, &[5]), probs(&same, &data.inputs, 2, &[5]));
        assert_ne!(probs(&one, &data.inputs, 2, &[5]), probs(&other, &data.inputs, 2, &[5]));
        assert_draws_are_functions(&one, &data.inputs, 2, &[5, 9, 5, 0]);
        let distinct = probs(&one, &data.inputs, 2, &[0]) != probs(&one, &data.inputs, 2, &[9]);
        assert_eq!(distinct, one.canonical_draw(0) != one.canonical_draw(9));
    }

    #[test]
    fn training_is_longer_above_500_examples_a_dimension() {
        let steps = |input_dim: usize, examples: usize, given: &[(&str, &str)]| {
            let task = Task { input_dim, ..plane(Some(0.1)) };
            Settings::parse(&settings(given)).unwrap().steps(&task, examples)
        };
        assert_eq!([0, 1000, 1001].map(|examples| steps(2, examples, &[])), [Ok(1000), Ok(1000), Ok(10_000)]);
        assert_eq!([1500, 1501].map(|examples| steps(3, examples, &[])), [Ok(1000), Ok(10_000)]);
        assert_eq!(steps(1, 501, &[("steps-factor", "1")]), Ok(1000));
        let most = usize::MAX.to_string();
        assert_eq!(steps(1, 500, &[("steps", &most)]), Ok(usize::MAX));
        assert!(matches!(steps(1, 501, &[("steps", &most)]), Err(Failure::InvalidSetting(_))));
    }

    #[test]
    fn examples_above_the_boundary_are_trained_on_for_longer() {
        let train = |examples: usize, given: &[(&str, &str)]| {
            let narrow = [("hidden", "2"), ("epinet-hidden", "none"), ("prior-hidden", "none"), ("indices", "1")];
            let settings = settings(&[&narrow[..], given].concat());
            let data = half_plane(examples, 3);
            probs(
                &Epinet::train(&plane(Some(0.1)), &data, None, &settings, 0).unwrap(),
                &half_plane(3, 3).inputs,
                2,
                &[0],
            )
        };
        let (few, many) = (("steps", "3"), ("steps", "30"));
        assert_eq!(train(1001, &[few]), train(1001, &[many, ("steps-factor", "1")]));
        assert_eq!(train(1000, &[few]), train(1000, &[few, ("steps-factor", "1")]));
    }

    #[test]
    fn divergence_names_the_step() {
        assert_divergence_names_the_step::<Epinet>();
    }
}

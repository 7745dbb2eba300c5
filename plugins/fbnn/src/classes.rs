//! The classification side of `fbnn`: a Gaussian distribution over the logit of each class, trained against a Gaussian process
//! prior at random points.

use jointly_kernels::Rows;
use jointly_kernels::cholesky::log_jitter;
use jointly_kernels::scales::median_distances;
use jointly_nets::adam::Adam;
use jointly_nets::batches::Batches;
use jointly_nets::normals::Normals;
use jointly_nets::penalty::temperature;
use jointly_nets::points::check_inputs;
use jointly_nets::simd::{LANES, Lanes, floats, floats_mut, vectors};
use jointly_nets::softmax::softmax;
use jointly_nets::{Progress, Stream, sweeps};
use jointly_sdk::{Classifier, Count, Dataset, Description, Failure, Matrix, Positive, Setting, Task, settings};

use crate::expected::{Expected, Logits, cross_entropy};
use crate::network::{Layout, Network};
use crate::objective::{Descent, Step};
use crate::steps::{add_points, check_sizes, clamp, hold};

/// The largest number of entries of the covariances of all classes' weights.
const MOST_ENTRIES: usize = 1 << 24;
/// Rows that are predicted together.
const BLOCK: usize = 64;
/// Draws that are predicted together.
const DRAWS: usize = 64;

settings! {
    struct Settings {
        /// frequencies, each of which yields a cosine and a sine
        units: Count = "100",
        /// points besides the batch at which the posterior is compared with the prior
        points: Count = "20",
        /// examples in a batch
        batch_size: Count = "100",
        /// steps of Adam
        steps: Count = "1000",
        /// step size of Adam
        learning_rate: Positive = "1e-2",
        /// pairs of opposite draws of the logits in each step
        pairs: Count = "4",
        /// standard deviation of each class's logit under the prior, times the temperature
        prior_scale: Positive = "0.3",
        /// length scales of the prior over the median distances of the examples
        length_scale: Positive = "1",
        /// learn the prior's variances and length scales too
        learn_prior: bool = "no",
        /// added to the diagonal of both covariances before the divergence is computed, over the prior's variance
        jitter: Positive = "1e-4",
    }
}

/// Functional variational inference for classes: the logit of each class is a Gaussian distribution over functions, of cosines
/// and sines with trainable frequencies, and independent of those of other classes. A draw is one function for each class.
///
/// # Formula
///
/// Minimises, at a batch of B examples and `points` further points, (sum over B of E[-ln softmax(f)_y] + sum over classes of
/// KL(q_k || p_k)) / B, or the divergence over the number of points without examples. q_k and p_k are the distributions of
/// the values of f_k at these points: q_k that of the network, p_k that of a Gaussian process with a squared-exponential
/// kernel, whose standard deviation is `prior-scale` over the temperature; an unknown temperature is one. All f_k start as the
/// prior. The expectation depends on the means and variances at the examples alone, and is a mean over draws of them.
///
/// A posterior that is equal to the prior away from examples is what makes predictions there joint: a draw commits to one
/// function. The default keeps the prior as it is; with few examples a prior that is learnt from them is too sure of itself.
///
/// The method follows Sun, Zhang, Shi and Grosse (2019), whose Gaussian processes and networks have one output; the
/// expectation of the softmax is ours.
#[derive(Debug)]
pub struct FunctionalClassifier {
    /// A network for each class.
    networks: Vec<Network>,
    seed: u64,
}

impl Settings {
    /// Makes the untrained network of each class, which is nearly the prior.
    fn networks(&self, task: &Task, data: &Dataset, seed: u64) -> Vec<Network> {
        let layout = Layout { dim: task.input_dim, units: *self.units };
        let scales = median_distances(&Rows::of(&data.inputs));
        let scales: Vec<f64> = scales.iter().map(|scale| scale * f64::from(*self.length_scale)).collect();
        let variance = self.variance(task);
        let network = |class: u32| {
            let mut rng = Stream::Start.rng(seed, u64::from(class));
            let mut network = Network::new(layout, &scales, (variance, &scales), 1.0, &mut rng);
            floats_mut(&mut network.parameters)[Layout::LOG_VARIANCE] = libm::log(variance) as f32;
            clamp(&mut network, false);
            network
        };
        (0..task.num_classes as u32).map(network).collect()
    }

    /// Returns the variance of a logit under the prior.
    fn variance(&self, task: &Task) -> f64 {
        let deviation = f64::from(*self.prior_scale / temperature(task));
        deviation * deviation
    }
}

impl Classifier for FunctionalClassifier {
    fn describe() -> Description {
        let summary = "a normal belief about functions, held against a Gaussian process at random points";
        Description {
            citation: "Sun, Zhang, Shi and Grosse, Functional variational Bayesian neural networks, ICLR 2019".into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("prior-scale", &["0.1", "0.3", "1"]),
                sweeps::one("length-scale", &["0.5", "1", "2", "4"]),
                sweeps::one("learn-prior", &["yes", "no"]),
            ],
            ..Description::new("fbnn", env!("CARGO_PKG_VERSION"), summary)
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
        let units = *settings.units;
        check_sizes(task.input_dim, units, *settings.points, *settings.batch_size)?;
        if units * units > MOST_ENTRIES / (4 * task.num_classes) {
            return Err(Failure::Unsupported(format!("{} classes: too many for {units} units", task.num_classes)));
        }
        let examples = data.labels.len();
        let mut networks = settings.networks(task, data, seed);
        let jitter = f64::from(*settings.jitter) * settings.variance(task);
        let adam = |network: &Network| Adam::new(network.parameters.len(), *settings.learning_rate);
        let mut adams: Vec<Adam> = networks.iter().map(adam).collect();
        let size = (*settings.batch_size).min(examples.max(1));
        let mut batches = Batches::new(examples, size, Stream::Batches.rng(seed, 0));
        let mut rng = Stream::Noise.rng(seed, 0);
        let learn_prior = settings.learn_prior && examples > 0;
        let mut progress = Progress::new(*settings.steps);
        let mut most = 0.0f64;
        for step in 0..*settings.steps {
            let (rows, _) = batches.next_batch();
            let mut inputs: Vec<f32> = rows.iter().flat_map(|row| data.inputs.row(*row as usize)).copied().collect();
            let labels: Vec<u32> = rows.iter().map(|row| data.labels[*row as usize]).collect();
            let row = |row: usize| data.inputs.row(row);
            add_points(&mut inputs, &networks[0], (examples, &row), *settings.points, &mut rng);
            let at: Vec<Step<'_>> = networks.iter().map(|network| Step::new(network, &inputs)).collect();
            let divisor = at[0].divisor(labels.len());
            let logits = Logits {
                means: at.iter().map(|at| at.means()[..labels.len()].to_vec()).collect(),
                variances: at.iter().map(|at| (0..labels.len()).map(|b| at.variance(b)).collect()).collect(),
            };
            let Expected { mut loss, slopes } = cross_entropy(&logits, &labels, *settings.pairs, &mut rng);
            let mut gradients = Vec::with_capacity(networks.len());
            for (at, slopes) in at.into_iter().zip(&slopes) {
                let Descent { divergence, gradient, jitter } = at.differentiate(slopes, jitter)?;
                loss += divergence;
                most = most.max(jitter);
                gradients.push(gradient);
            }
            let finite = |gradient: &Vec<Lanes>| floats(gradient).iter().all(|slope| slope.is_finite());
            if !(loss / divisor).is_finite() || !gradients.iter().all(finite) {
                return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
            }
            for ((network, adam), mut gradient) in networks.iter_mut().zip(&mut adams).zip(gradients) {
                hold(&mut gradient, network.layout, true, !learn_prior);
                adam.update(&mut network.parameters, &gradient, 0.0);
                clamp(network, false);
            }
            progress.step();
        }
        log_jitter(most, "a covariance, beside the setting, in the step that needed most");
        Ok(Self { networks, seed })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let dim = self.networks[0].layout.dim;
        check_inputs(inputs, dim)?;
        let (classes, rows) = (self.networks.len(), inputs.rows());
        if rows == 0 {
            return Ok(());
        }
        for (draws, out) in draws.chunks(DRAWS).zip(out.chunks_mut(DRAWS * rows * classes)) {
            let weights = self.weights(draws);
            let width = vectors(draws.len());
            for (block, values) in inputs.values().chunks(BLOCK * dim).enumerate() {
                let logits: Vec<Vec<Lanes>> = self
                    .networks
                    .iter()
                    .zip(&weights)
                    .map(|(network, weights)| network.weighted(values, weights, width))
                    .collect();
                let mut columns = vec![Lanes::splat(0.0); classes];
                for at in 0..values.len() / dim * width {
                    columns.iter_mut().zip(&logits).for_each(|(column, logits)| *column = logits[at]);
                    softmax(&mut columns);
                    let (row, first) = (block * BLOCK + at / width, at % width * LANES);
                    for (k, column) in floats(&columns).chunks_exact(LANES).enumerate() {
                        for (m, p) in column.iter().enumerate().take(draws.len() - first.min(draws.len())) {
                            out[((first + m) * rows + row) * classes + k] = *p;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl FunctionalClassifier {
    /// Returns the weights of draws for each class: a row for each feature, with one number for each draw.
    fn weights(&self, draws: &[u64]) -> Vec<Vec<Lanes>> {
        let layout = self.networks[0].layout;
        let (stride, width) = (layout.feature_stride(), vectors(draws.len()));
        let mut weights = vec![vec![Lanes::splat(0.0); layout.features() * width]; self.networks.len()];
        let roots: Vec<Vec<Lanes>> = self.networks.iter().map(Network::root).collect();
        for (m, draw) in draws.iter().enumerate() {
            let mut normals = vec![Lanes::splat(0.0); self.networks.len() * stride / LANES];
            Normals::new(&mut Stream::Parameters.rng(self.seed, *draw)).fill(&mut normals);
            let normals = floats(&normals).chunks_exact(stride);
            for (((network, root), out), z) in self.networks.iter().zip(&roots).zip(&mut weights).zip(normals) {
                let out = floats_mut(out).chunks_exact_mut(width * LANES);
                network.draw(root, z).iter().zip(out).for_each(|(weight, out)| out[m] = *weight);
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use jointly_testkit::{
        assert_draws_are_functions, assert_draws_disagree, assert_invalid, correct, half_plane, mean_nll, no_examples,
        plane, probs, settings,
    };

    use super::*;
    use crate::expected::tests::by_quadrature;

    fn train(data: &Dataset, some: &[(&str, &str)]) -> FunctionalClassifier {
        FunctionalClassifier::train(&plane(Some(0.3)), data, None, &settings(some), 0).unwrap()
    }

    /// Returns the mean and the variance of the first class's logit after one example of it, where each class has prior
    /// variance 1: those that minimise the expected loss plus the divergence. The other class has the opposite mean.
    fn best_after_one() -> (f64, f64) {
        let objective = |mean: f64, variance: f64| {
            by_quadrature(2.0 * mean, 2.0 * variance) + variance + mean * mean - 1.0 - variance.ln()
        };
        let (mut best, mut step): ((f64, f64), f64) = ((0.0, 1.0), 0.25);
        while step > 1e-4 {
            let (mean, variance) = best;
            let beside = [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
            let beside = beside.map(|(a, b)| (mean + a, (variance + b).max(1e-3)));
            let next = beside.into_iter().min_by(|a, b| objective(a.0, a.1).total_cmp(&objective(b.0, b.1))).unwrap();
            if objective(next.0, next.1) < objective(mean, variance) { best = next } else { step /= 2.0 }
        }
        best
    }

    /// The example is one point of the prior, so the best belief there is that of two normal variables.
    #[test]
    fn after_one_example_it_is_the_best_normal_belief_there() {
        let data = Dataset { inputs: Matrix::new(1, 2, vec![0.3, -0.4]).unwrap(), labels: vec![0] };
        let long = [("units", "30"), ("steps", "3000"), ("points", "8"), ("learning-rate", "5e-3"), ("pairs", "32")];
        let model = train(&data, &long);
        let (mean, variance) = best_after_one();
        for (network, sign) in model.networks.iter().zip([1.0, -1.0]) {
            let step = Step::new(network, data.inputs.values());
            let (found, spread) = (step.means()[0], step.variance(0));
            assert!((found - sign * mean).abs() < 0.05, "{found} and {}", sign * mean);
            assert!((spread - variance).abs() < 0.05, "{spread} and {variance}");
        }
    }

    #[test]
    fn without_examples_it_is_the_prior_and_with_many_it_has_learnt() {
        let nothing = train(&no_examples(2), &[("steps", "300"), ("units", "50"), ("prior-scale", "1.5")]);
        assert_draws_disagree(&nothing);
        let step = Step::new(&nothing.networks[0], &[0.5, 0.5]);
        // The prior's variance is (1.5 / .3)^2.
        assert!((step.variance(0) / 25.0 - 1.0).abs() < 0.2, "{}", step.variance(0));
        let model = train(&half_plane(100, 1), &[("steps", "500"), ("units", "50"), ("prior-scale", "1.5")]);
        let test = half_plane(200, 2);
        let found = probs(&model, &test.inputs, 2, &[0]);
        assert!(correct(&found, &test.labels) >= 180, "{}", correct(&found, &test.labels));
        assert!(mean_nll(&found, &test.labels) < 0.3, "{}", mean_nll(&found, &test.labels));
    }

    #[test]
    fn a_draw_is_a_function_whatever_else_is_asked() {
        let small = [("units", "9"), ("steps", "20"), ("points", "5")];
        let model = train(&half_plane(12, 1), &small);
        assert_draws_are_functions(&model, &half_plane(70, 3).inputs, 2, &(0..70).collect::<Vec<u64>>());
    }

    #[test]
    fn what_is_too_large_is_refused_by_name() {
        let task = plane(None);
        for (name, value) in [("units", "5000"), ("points", "18446744073709551615"), ("batch-size", "100000")] {
            let found = FunctionalClassifier::train(&task, &half_plane(2, 1), None, &settings(&[(name, value)]), 0);
            assert_invalid(found, name);
        }
        let many = Task { num_classes: 1000, ..task };
        let found = FunctionalClassifier::train(&many, &half_plane(2, 1), None, &settings(&[("units", "500")]), 0);
        assert!(matches!(found, Err(Failure::Unsupported(_))), "{found:?}");
    }
}

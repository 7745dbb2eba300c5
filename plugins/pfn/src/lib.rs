//! The agent `pfn`: a transformer that was trained in advance on sampled environments. Training the agent is one pass
//! through it.

mod kernel;
mod network;

use std::collections::BTreeMap;

use jointly_kernels::product::times_transposed;
use jointly_kernels::{Cholesky, Rows, at_most};
use jointly_nets::choice::Choice;
use jointly_nets::examples;
use jointly_nets::predict::outputs;
use jointly_nets::{FirstBiases, Network, Stream, predict_shifted, widths};
use jointly_sdk::{Classifier, Count, Dataset, Description, Failure, Matrix, Setting, Task, progress, settings};

use kernel::Kernel;
use network::{Context, Sites, sites};

/// Units in each of the environment's hidden layers.
const HIDDEN: [usize; 2] = [50, 50];
/// The range of temperatures in training.
const TEMPERATURES: [f32; 2] = [0.01, 0.5];
/// The most features in training.
const MOST_FEATURES: usize = 100;
/// The most distinct inputs in training.
const MOST_INPUTS: usize = 1024;
/// With the most features and examples a function has 32 kB of parameters and 8 kB of weights: together 400 MB.
const MOST_FUNCTIONS: usize = 10_000;
/// Rows whose covariances with the examples are kept at a time.
const BLOCK: usize = 512;

settings! {
    struct Settings {
        /// number of functions that are drawn from the posterior when the agent is trained
        size: Count = "1000",
    }
}

/// A prior-fitted network for the testbed.
///
/// # Formula
///
/// A problem's examples are n distinct inputs x_i with the numbers of their labels. In one pass, a transformer whose
/// weights are part of the component gives each of them a pseudo-observation t_i with the variance s_i, and a factor a
/// for the covariance K between inputs that sampled environments have in the limit of wide layers. The posterior of the
/// logits' difference, times the temperature, is that of the Gaussian process with the covariance a K given t.
/// Functions are drawn as
///
///   f(x) + a K(x, X) (a K(X, X) + diag(s))^-1 (t - f(X) - e),   e_i ~ N(0, s_i),
///
/// where f is a network of the environment's distribution times the root of a (Matheron's rule; Wilson et al. 2020).
/// The networks have 50 units in a layer, so f and the draws are only approximately normal. Without examples the
/// functions are environments.
///
/// `train.py` minimises the expected negative log-likelihood of the labels of new inputs over sampled problems: of each
/// label alone, and jointly of ten labels, at ten inputs or at two. Müller et al. (2022) train a network to predict
/// at one input; this one predicts jointly. In training, inputs and numbers of labels do not depend on labels; in a
/// bandit they do.
#[derive(Debug)]
pub struct Pfn {
    /// The distinct inputs of the examples.
    examples: Kernel,
    /// The networks f, in logits.
    networks: Vec<Network>,
    /// The weights of the examples' covariances in each function, in logits.
    weights: Rows,
    choice: Choice,
}

/// The labels of the distinct inputs.
#[derive(Debug)]
struct Labels {
    inputs: Matrix,
    fractions: Vec<f32>,
    counts: Vec<f32>,
}

impl Labels {
    /// Counts the labels of every distinct input, in the order in which the inputs come.
    fn count(data: &Dataset) -> Result<Self, Failure> {
        let mut places = BTreeMap::new();
        let (mut values, mut tallies): (Vec<f32>, Vec<[f32; 2]>) = (Vec::new(), Vec::new());
        for (i, label) in data.labels.iter().enumerate() {
            let row = data.inputs.row(i);
            // The sum turns -0 into 0.
            let bits: Vec<u32> = row.iter().map(|value| (value + 0.0).to_bits()).collect();
            let place = *places.entry(bits).or_insert(tallies.len());
            if place == MOST_INPUTS {
                return Err(Failure::Unsupported(format!(
                    "more than {MOST_INPUTS} distinct inputs, the most in the network's training"
                )));
            }
            if place == tallies.len() {
                tallies.push([0.0; 2]);
                values.extend_from_slice(row);
            }
            tallies[place][*label as usize] += 1.0;
        }
        Ok(Self {
            inputs: Matrix::new(tallies.len(), data.inputs.cols(), values).expect("rows of one width"),
            fractions: tallies.iter().map(|[zeros, ones]| (ones - zeros) / (ones + zeros)).collect(),
            counts: tallies.iter().map(|[zeros, ones]| zeros + ones).collect(),
        })
    }
}

/// Returns the temperature of a problem like those of the network's training.
fn temperature(task: &Task) -> Result<f32, Failure> {
    let [least, most] = TEMPERATURES;
    let Task { input_dim, num_classes, temperature, .. } = task;
    let refuse = |what: String| Err(Failure::Unsupported(what));
    if *num_classes != 2 {
        return refuse(format!("{num_classes} classes; the network's training had 2"));
    }
    if !(1..=MOST_FEATURES).contains(input_dim) || task.image.is_some() {
        return refuse(format!("{input_dim} features; the network's training had 1 to {MOST_FEATURES}, and no images"));
    }
    if task.hidden_layers.is_none_or(|layers| layers as usize != HIDDEN.len()) {
        return refuse("the network's training had environments of two hidden layers alone".into());
    }
    match temperature {
        Some(temperature) if (least..=most).contains(temperature) => Ok(*temperature),
        Some(temperature) => refuse(format!("temperature {temperature}; the network's training had {least} to {most}")),
        None => refuse("the temperature is not stated".into()),
    }
}

impl Classifier for Pfn {
    fn describe() -> Description {
        let summary =
            "a transformer, trained in advance on sampled environments, that computes a posterior in one pass";
        Description {
            citation: "Müller, Hollmann, Pineda Arango, Grabocka and Hutter, Transformers can do Bayesian inference, \
                       ICLR 2022"
                .into(),
            parameters: Settings::parameters(),
            ..Description::new("pfn", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let size = *Settings::parse(settings)?.size;
        at_most(&[("size", size, MOST_FUNCTIONS)])?;
        let temperature = temperature(task)?;
        examples::check(task, data)?;
        let Labels { inputs, fractions, counts } = Labels::count(data)?;
        let examples = Kernel::of(Rows::of(&inputs));
        let mut covariances = examples.with(&examples);
        let Sites { means, variances, amplitude } = sites(&Context {
            fractions: &fractions,
            counts: &counts,
            covariances: &covariances,
            dim: task.input_dim,
            temperature,
        });
        for (i, variance) in variances.iter().enumerate() {
            covariances.row_mut(i).iter_mut().for_each(|value| *value *= amplitude);
            covariances.row_mut(i)[i] += variance;
        }
        let factor = Cholesky::with_jitter(covariances)?;
        factor.log_jitter("the examples");
        let root = amplitude.sqrt();
        let widths = widths(task, &HIDDEN);
        let mut networks = Vec::with_capacity(size);
        let mut weights = Rows::zeros(size, means.len());
        for index in 0..size {
            let network = Network::new(&widths, FirstBiases::Normal, &mut Stream::Prior.rng(seed, index as u64));
            let mut noise = Stream::Noise.rng(seed, index as u64);
            let logits = outputs(&network, inputs.values());
            let row = weights.row_mut(index);
            for (i, (weight, logits)) in row.iter_mut().zip(logits.chunks_exact(2)).enumerate() {
                let prior = root * f64::from(logits[1] - logits[0]);
                *weight = means[i] - prior - variances[i].sqrt() * f64::from(noise.normal());
            }
            factor.solve(row);
            for weight in row.iter_mut() {
                *weight *= amplitude / f64::from(temperature);
            }
            if row.iter().any(|weight| !weight.is_finite()) {
                return Err(Failure::Diverged("the weights of the examples are not finite".into()));
            }
            networks.push(network.scaled(root as f32 / temperature));
            progress((index + 1) as f32 / size as f32);
        }
        Ok(Self { examples, networks, weights, choice: Choice::in_order(size) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.sample_probs(inputs, &[draw], out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let functions: Vec<usize> = draws.iter().map(|draw| self.choice.function(*draw)).collect();
        let weights = Rows::from_fn(functions.len(), self.weights.cols(), |m, i| self.weights.row(functions[m])[i]);
        for (block, values) in inputs.values().chunks((BLOCK * inputs.cols()).max(1)).enumerate() {
            let rows = values.len() / inputs.cols();
            let inputs_of_block = Matrix::new(rows, inputs.cols(), values.to_vec()).expect("whole rows");
            let corrections = times_transposed(&weights, &Kernel::of(Rows::of(&inputs_of_block)).with(&self.examples));
            for (m, (function, corrections)) in functions.iter().zip(corrections.iter()).enumerate() {
                let shifts: Vec<f32> =
                    corrections.iter().flat_map(|by| [-0.5, 0.5].map(|half| half * *by as f32)).collect();
                let from = 2 * (m * inputs.rows() + block * BLOCK);
                predict_shifted(&self.networks[*function], &inputs_of_block, &shifts, &mut out[from..from + 2 * rows])?;
            }
        }
        Ok(())
    }
}

jointly_sdk::export!(classifier: Pfn);

#[cfg(test)]
mod tests;

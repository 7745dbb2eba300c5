//! The agent `nng`: a matrix-variate Gaussian posterior over each layer's weights, learnt by noisy natural gradients.

mod kronecker;
mod passes;

use jointly_nets::adam::Adam;
use jointly_nets::batches::Batches;
use jointly_nets::belief::evaluate;
use jointly_nets::layout::stride;
use jointly_nets::layout::{Block, layout};
use jointly_nets::normals::Normals;
use jointly_nets::points::Points;
use jointly_nets::simd::{LANES, Lanes, floats, floats_mut, vectors};
use jointly_nets::{FirstBiases, Network, Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, Fraction, FunctionSamples, Matrix, NonNegative, Positive, RegressionTask, Regressor,
    Setting, Targets, Widths, settings,
};

use kronecker::{Kronecker, Shape};
use passes::Passes;

/// The largest width of a layer, including the inputs; its factors are square matrices.
const WIDEST: usize = 1024;
/// The largest number of hidden layers.
const DEEPEST: usize = 8;
/// The largest number of examples in a batch.
const MOST_ROWS: usize = 1 << 14;
/// The largest number of entries in the values and derivatives of a batch: 128 MiB.
const MOST_VALUES: usize = 1 << 25;
/// The largest number of elements in all layers' factors; training keeps about 40 bytes for each.
const MOST_FACTORS: usize = 1 << 23;
/// Bounds of the logarithm of the noise's standard deviation, in units of the targets' standard deviation.
const LEAST_NOISE: f32 = -6.0;
const MOST_NOISE: f32 = 2.0;

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50",
        /// prior standard deviation of a weight
        prior_scale: Positive = "1",
        /// networks drawn in each step
        draws: Count = "10",
        /// step size of the natural gradient, before clipping
        natural_rate: Positive = "1",
        /// maximum squared length of a natural gradient step in the Fisher matrix
        clipping: Positive = "1e-3",
        /// share of the velocity that is kept in a step
        momentum: Fraction = "0.9",
        /// damping that is added to the Fisher matrix, besides the prior's part, for steps of the mean
        damping: NonNegative = "1e-5",
        /// share of the Fisher matrix's factors that is kept in a step
        memory: Fraction = "0.999",
        /// steps between updates of the factors and their inverses
        interval: Count = "10",
        /// step size of Adam for the logarithm of the noise's standard deviation
        learning_rate: Positive = "3e-3",
        /// factor of both step sizes after half of the training
        decay: Positive = "0.1",
        /// passes over the examples
        epochs: Count = "1000",
        /// examples in a batch
        batch_size: Count = "100",
        /// initial standard deviation of the noise, in units of the targets' standard deviation
        noise: Positive = "0.135",
    }
}

impl Settings {
    /// Refuses settings that would not fit in memory.
    fn check(&self, task: &RegressionTask, examples: usize) -> Result<(), Failure> {
        if task.input_dim > WIDEST {
            return Err(Failure::Unsupported(format!("{} features: at most {WIDEST}", task.input_dim)));
        }
        if self.hidden.len() > DEEPEST || self.hidden.iter().any(|width| *width > WIDEST) {
            let hidden = &*self.hidden;
            return Err(Failure::InvalidSetting(format!("hidden={hidden:?}: at most {DEEPEST} layers of {WIDEST}")));
        }
        let widths = self.widths(task);
        let factors: usize = widths.windows(2).map(|pair| (pair[0] + 1).pow(2) + pair[1].pow(2)).sum();
        if factors > MOST_FACTORS {
            let hidden = &*self.hidden;
            return Err(Failure::InvalidSetting(format!(
                "hidden={hidden:?}: the squares of all widths come to {factors}, at most {MOST_FACTORS}"
            )));
        }
        let rows = (*self.batch_size).min(examples);
        let row = widths.iter().map(|width| stride(*width)).sum::<usize>()
            + widths[1..].iter().map(|width| vectors(*width)).sum::<usize>();
        if rows > MOST_ROWS || rows * row * LANES > MOST_VALUES {
            return Err(Failure::InvalidSetting(format!(
                "batch-size={rows} and hidden={:?}: at most {MOST_ROWS} rows, and {MOST_VALUES} numbers in all of them",
                &*self.hidden
            )));
        }
        Ok(())
    }

    fn widths(&self, task: &RegressionTask) -> Vec<usize> {
        [&[task.input_dim], &*self.hidden, &[1]].concat()
    }
}

/// A posterior in which the weights of a layer have a matrix-variate normal distribution; a draw is one network from
/// it.
///
/// # Formula
///
/// The module `kronecker` defines the distribution and the step. In the step, G = E [e d z^T] / s^2 - M / (N eta)
/// with e the error of the output; the expectation is a mean over a batch and over a few networks drawn from the
/// posterior. Steps have momentum, and their squared length in the Fisher matrix is clipped. A layer of n inputs has
/// eta = sigma^2 / (n + 1). The Fisher matrix is that of the predictive distribution; with one output and normal
/// noise its expectation over targets is exact, so no targets are drawn. Adam updates the noise's standard deviation
/// s to maximise the expected log-likelihood.
///
/// The published runs take 10000 epochs, and update the factors in every step; on the Boston data 1000 epochs give
/// the same result as 3000. Step sizes of 0.001, 0.003, 0.01 and widths of 50, 400 were chosen for each data set.
///
/// The method follows Zhang, Sun, Duvenaud and Grosse (2018), as in Wang, Sun and Grosse (2021).
#[derive(Debug)]
pub struct NoisyNaturalGradient {
    belief: Belief,
    noise: f32,
    seed: u64,
}

/// The means of all weights, and the factors of each layer's covariance.
#[derive(Debug)]
struct Belief {
    mean: Network,
    blocks: Vec<Block>,
    layers: Vec<Kronecker>,
}

impl Belief {
    fn new(widths: &[usize], prior_scale: f32, seed: u64) -> Self {
        let mut rng = Stream::Start.rng(seed, 0);
        let mut mean = Network::new(widths, FirstBiases::Zero, &mut rng);
        let blocks = layout(widths);
        let parameters = floats_mut(&mut mean.parameters);
        for block in &blocks {
            let deviation = prior_scale / ((block.inputs + 1) as f32).sqrt();
            block.weights().for_each(|at| parameters[at] = deviation * rng.normal());
        }
        let layers = blocks.iter().map(|block| Kronecker::new(block.inputs + 1, block.outputs)).collect();
        Self { mean, blocks, layers }
    }

    /// Draws a network from the distribution.
    fn draw(&self, normals: &mut Normals, noise: &mut Vec<Lanes>, room: &mut Vec<Lanes>) -> Network {
        noise.resize(self.mean.parameters.len(), Lanes::splat(0.0));
        normals.fill(noise);
        let mut network = self.mean.clone();
        for (block, layer) in self.blocks.iter().zip(&self.layers) {
            layer.add_noise(&noise[block.vectors()], &mut network.parameters[block.vectors()], room);
        }
        network
    }

    /// Recomputes the covariances; returns false if a factor is not positive definite.
    fn shape(&mut self, examples: usize, noise_precision: f64, settings: &Settings) -> bool {
        let shape = |block: &Block| Shape {
            examples: examples as f64,
            noise_precision,
            prior_variance: f64::from(*settings.prior_scale).powi(2) / (block.inputs + 1) as f64,
            damping: f64::from(*settings.damping),
        };
        self.layers.iter_mut().zip(&self.blocks).all(|(layer, block)| layer.shape(shape(block)))
    }

    /// Resets the distribution to the prior.
    fn forget(&mut self, settings: &Settings) -> bool {
        self.mean.parameters.fill(Lanes::splat(0.0));
        for (block, layer) in self.blocks.iter().zip(&mut self.layers) {
            let (inputs, outputs) = (block.inputs + 1, block.outputs);
            layer.learn(vec![0.0; inputs * inputs], vec![0.0; outputs * outputs], 0.0);
        }
        self.shape(1, 1.0, settings)
    }
}

/// The state of the steps of the means: the gradient and the velocity.
struct Ascent {
    gradient: Vec<Lanes>,
    velocity: Vec<f64>,
}

impl Ascent {
    /// Moves the means by a step at this rate; returns false if it is not finite.
    fn step(
        &mut self,
        belief: &mut Belief,
        examples: f64,
        noise_precision: f64,
        rate: f64,
        settings: &Settings,
    ) -> bool {
        let prior_precision = f64::from(*settings.prior_scale).powi(-2);
        let mut steps = Vec::with_capacity(belief.layers.len());
        let mut length = 0.0;
        for (block, layer) in belief.blocks.iter().zip(&belief.layers) {
            let decay = prior_precision * (block.inputs + 1) as f64 / examples;
            let (gradient, means) = (floats(&self.gradient), floats(&belief.mean.parameters));
            let ascent = |at: usize| noise_precision * f64::from(gradient[at]) - decay * f64::from(means[at]);
            let gradient: Vec<f64> = block.weights().chain(block.biases()).map(ascent).collect();
            let natural = layer.precondition(&gradient);
            length += gradient.iter().zip(&natural).map(|(a, b)| a * b).sum::<f64>();
            steps.push(natural);
        }
        let nu = (f64::from(*settings.clipping) / (length * rate * rate).max(f64::MIN_POSITIVE)).sqrt().min(1.0);
        let momentum = f64::from(*settings.momentum);
        let means = floats_mut(&mut belief.mean.parameters);
        let places = belief.blocks.iter().flat_map(|block| block.weights().chain(block.biases()));
        for ((velocity, step), at) in self.velocity.iter_mut().zip(steps.iter().flatten()).zip(places) {
            *velocity = momentum * *velocity + nu * step;
            means[at] += (rate * *velocity) as f32;
        }
        length.is_finite()
    }
}

impl Regressor for NoisyNaturalGradient {
    fn describe() -> Description {
        let summary = "a normal belief about each layer's weights, with their correlations";
        Description {
            citation: "Zhang, Sun, Duvenaud and Grosse, Noisy natural gradient as variational inference, ICML 2018"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["0.001", "0.003", "0.01"]),
                sweeps::one("hidden", &["50", "400"]),
                sweeps::one("epochs", &["300", "1000", "10000"]),
            ],
            ..Description::new("nng", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let data = &Points::new(task, data)?;
        let settings = Settings::parse(settings)?;
        settings.check(task, data.len())?;
        let mut belief = Belief::new(&settings.widths(task), *settings.prior_scale, seed);
        let mut noise = task.noise_std.unwrap_or(*settings.noise);
        if data.is_empty() {
            if !belief.forget(&settings) {
                return Err(Failure::InvalidSetting("prior-scale is beyond working precision".into()));
            }
        } else {
            noise = learn(&mut belief, data, task.noise_std, &settings, seed)?;
        }
        Ok(Self { belief, noise, seed })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let (mut noise, mut room) = (Vec::new(), Vec::new());
        let mut means = Vec::with_capacity(draws.len() * inputs.rows());
        for draw in draws {
            let mut normals = Normals::new(&mut Stream::Parameters.rng(self.seed, *draw));
            let network = self.belief.draw(&mut normals, &mut noise, &mut room);
            means.extend(evaluate(&network, inputs)?);
        }
        Ok(FunctionSamples { noise_stds: vec![self.noise; means.len()], means })
    }
}

/// Fits the distribution to the examples, of which there is at least one; returns the noise's standard deviation.
fn learn(
    belief: &mut Belief,
    data: &Points,
    known_noise: Option<f32>,
    settings: &Settings,
    seed: u64,
) -> Result<f32, Failure> {
    let examples = data.len();
    let batch_size = (*settings.batch_size).min(examples);
    let mut batches = Batches::new(examples, batch_size, Stream::Batches.rng(seed, 0));
    let mut passes = Passes::new(&belief.blocks, batch_size);
    let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
    let (mut drawn, mut room) = (Vec::new(), Vec::new());
    let parameters = belief.blocks.iter().map(|block| (block.inputs + 1) * block.outputs).sum();
    let mut ascent =
        Ascent { gradient: vec![Lanes::splat(0.0); belief.mean.parameters.len()], velocity: vec![0.0; parameters] };
    let mut log_noise = [Lanes::splat(libm::logf(known_noise.unwrap_or(*settings.noise)))];
    let mut adam = [1.0, *settings.decay].map(|decay| Adam::new(1, *settings.learning_rate * decay));
    let steps = examples.div_ceil(batch_size).saturating_mul(*settings.epochs);
    let interval = *settings.interval;
    let kept = f64::from(*settings.memory).powi(i32::try_from(interval).unwrap_or(i32::MAX));
    let draws = *settings.draws;
    let share = 1.0 / draws as f32;
    let mut progress = Progress::new(steps);
    for step in 0..steps {
        let (rows, _) = batches.next_batch();
        passes.load(data, rows);
        let precision = libm::exp(-2.0 * f64::from(floats(&log_noise)[0]));
        let looks = step % interval == 0;
        let mut moments: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut error = 0.0;
        ascent.gradient.fill(Lanes::splat(0.0));
        for _ in 0..draws {
            let network = belief.draw(&mut normals, &mut drawn, &mut room);
            error += passes.run(&network.parameters) * f64::from(share);
            passes.add_gradient(share, &mut ascent.gradient, &mut room);
            if looks {
                add_moments(&mut moments, &passes, belief.blocks.len(), f64::from(share));
            }
        }
        if looks {
            for (layer, (inputs, slopes)) in belief.layers.iter_mut().zip(moments) {
                layer.learn(inputs, slopes, kept);
            }
            if !belief.shape(examples, precision, settings) {
                return Err(Failure::Diverged(format!("a factor is not positive definite at step {step}")));
            }
        }
        let late = usize::from(step >= steps / 2);
        let decay = if late == 1 { f64::from(*settings.decay) } else { 1.0 };
        let rate = f64::from(*settings.natural_rate) * decay;
        let moved = ascent.step(belief, examples as f64, precision, rate, settings);
        if !moved || !error.is_finite() {
            return Err(Failure::Diverged(format!("the squared errors or the step are not finite at step {step}")));
        }
        if known_noise.is_none() {
            adam[late].update(&mut log_noise, &[Lanes::splat((1.0 - precision * error) as f32)], 0.0);
            log_noise = [Lanes::splat(floats(&log_noise)[0].clamp(LEAST_NOISE, MOST_NOISE))];
        }
        progress.step();
    }
    Ok(libm::expf(floats(&log_noise)[0]))
}

/// Adds `share` times a network's moments of every layer.
fn add_moments(sums: &mut Vec<(Vec<f64>, Vec<f64>)>, passes: &Passes, layers: usize, share: f64) {
    if sums.is_empty() {
        sums.extend(
            (0..layers).map(|l| (vec![0.0; passes.input_moments(l).len()], vec![0.0; passes.slope_moments(l).len()])),
        );
    }
    for (l, (inputs, slopes)) in sums.iter_mut().enumerate() {
        inputs.iter_mut().zip(passes.input_moments(l)).for_each(|(sum, moment)| *sum += share * moment);
        slopes.iter_mut().zip(passes.slope_moments(l)).for_each(|(sum, moment)| *sum += share * moment);
    }
}

jointly_sdk::export!(regressor: NoisyNaturalGradient);

#[cfg(test)]
mod tests {
    use jointly_nets::cholesky::Cholesky;
    use jointly_sdk::Rng;
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, no_targets, settings};

    use super::*;

    fn task(input_dim: usize, noise_std: Option<f32>) -> RegressionTask {
        RegressionTask { input_dim, noise_std }
    }

    /// Creates inputs whose second feature is correlated with the first, and as targets a noisy sine of the first.
    fn data(rows: usize) -> Targets {
        let mut rng = Rng::new(2, 0);
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let x = rng.normal();
            inputs.extend([x, 0.8 * x + 0.6 * rng.normal()]);
            targets.push((2.0 * x).sin() + 0.1 * rng.normal());
        }
        Targets { inputs: Matrix::new(rows, 2, inputs).unwrap(), targets }
    }

    fn train(data: &Targets, noise: Option<f32>, some: &[(&str, &str)], seed: u64) -> NoisyNaturalGradient {
        NoisyNaturalGradient::train(&task(2, noise), data, None, &settings(some), seed).unwrap()
    }

    const SMALL: [(&str, &str); 3] = [("hidden", "8"), ("epochs", "30"), ("draws", "2")];
    /// Tolerance of a mean in units of the posterior's standard deviation, and relative tolerance of a variance from
    /// 4000 draws. It covers the error of the damping, which is split between the factors, and the noise of the last
    /// steps.
    const TOLERANCE: f64 = 0.15;

    #[test]
    fn a_linear_models_belief_is_the_exact_posterior_with_its_correlations() {
        let (data, noise) = (data(2000), 0.5);
        let few = [("hidden", "none"), ("epochs", "600"), ("batch-size", "2000"), ("decay", "0.005")];
        let model = train(&data, Some(noise), &few, 0);
        assert!((model.noise - noise).abs() < 1e-6);
        // The precision is X^T X / s^2 + 3 I.
        let mut precision = vec![0.0; 9];
        let mut right = [0.0; 3];
        let weight = f64::from(noise).powi(-2);
        for (t, target) in data.targets.iter().enumerate() {
            let row = [data.inputs.row(t)[0], data.inputs.row(t)[1], 1.0].map(f64::from);
            for i in 0..3 {
                right[i] += weight * row[i] * f64::from(*target);
                (0..3).for_each(|j| precision[3 * i + j] += weight * row[i] * row[j]);
            }
        }
        (0..3).for_each(|i| precision[4 * i] += 3.0);
        let inverse = Cholesky::new(precision, 3).unwrap().inverse_factor();
        let covariance = |i: usize, j: usize| (0..3).map(|k| inverse[3 * k + i] * inverse[3 * k + j]).sum::<f64>();
        let exact: Vec<f64> = (0..3).map(|i| (0..3).map(|j| covariance(i, j) * right[j]).sum()).collect();
        // Probes along the correlation of the inputs and across it.
        for probe in [[2.0, 2.0], [1.0, -1.0]] {
            let row = [probe[0], probe[1], 1.0].map(f64::from);
            let mean: f64 = (0..3).map(|i| row[i] * exact[i]).sum();
            let variance: f64 = (0..9).map(|at| row[at / 3] * row[at % 3] * covariance(at / 3, at % 3)).sum();
            let draws: Vec<u64> = (0..4000).collect();
            let found = model.sample_functions(&Matrix::new(1, 2, probe.to_vec()).unwrap(), &draws).unwrap().means;
            let centre = found.iter().map(|value| f64::from(*value)).sum::<f64>() / 4000.0;
            let spread = found.iter().map(|value| (f64::from(*value) - centre).powi(2)).sum::<f64>() / 4000.0;
            assert!((centre - mean).abs() < TOLERANCE * variance.sqrt(), "{centre} and {mean}, {}", variance.sqrt());
            assert!((spread / variance - 1.0).abs() < TOLERANCE, "{spread} and {variance}");
        }
    }

    #[test]
    fn a_function_and_its_noise_are_learnt() {
        let data = data(150);
        let model = train(&data, None, &[("epochs", "1000"), ("draws", "4")], 0);
        let draws: Vec<u64> = (0..100).collect();
        let found = model.sample_functions(&data.inputs, &draws).unwrap();
        let mean = |row: usize| found.means.iter().skip(row).step_by(150).sum::<f32>() / 100.0;
        let error = (0..150).map(|row| (mean(row) - data.targets[row]).powi(2)).sum::<f32>() / 150.0;
        assert!(error.sqrt() < 0.25, "{error}");
        assert!((0.05..0.4).contains(&model.noise), "{}", model.noise);
    }

    #[test]
    fn a_draw_is_a_function_whatever_else_is_asked() {
        let [model, again] = [(); 2].map(|()| train(&data(9), None, &SMALL, 5));
        let inputs = data(70).inputs;
        let all = model.sample_functions(&inputs, &[4, 9, 4]).unwrap();
        assert_eq!(all, again.sample_functions(&inputs, &[4, 9, 4]).unwrap());
        assert_eq!(all.means[..70], all.means[140..]);
        assert_ne!(all.means[..70], all.means[70..140]);
        assert_functions_stand_alone(&model, &inputs, &[4, 9, 4]);
        assert!(model.sample_functions(&Matrix::new(1, 3, vec![0.0; 3]).unwrap(), &[0]).is_err());
    }

    #[test]
    fn little_data_and_odd_data_have_an_answer() {
        let constant = Targets { targets: vec![0.0; 5], ..data(5) };
        let twice = Targets { inputs: Matrix::new(2, 2, vec![1.0; 4]).unwrap(), targets: vec![-1.0, 1.0] };
        let none = no_targets(0);
        for data in [none, data(1), constant, twice] {
            let model = train(&data, None, &[("hidden", "8"), ("epochs", "3000"), ("draws", "2")], 0);
            let found = model.sample_functions(&self::data(3).inputs, &[0, 1, 2]).unwrap();
            assert!(found.means.iter().all(|value| value.is_finite()), "{found:?}");
            assert!(
                found.noise_stds.iter().all(|noise| *noise >= libm::expf(LEAST_NOISE) && noise.is_finite()),
                "{found:?}"
            );
        }
    }

    #[test]
    fn without_data_the_belief_is_the_prior() {
        // A hidden layer with weights N(0, 1 / 3), then one with N(0, 1 / 301): at (1, 1) a unit is normal with
        // variance 1, and its positive part has mean square 1 / 2.
        let none = no_targets(0);
        let model = train(&none, None, &[("hidden", "300")], 0);
        let draws: Vec<u64> = (0..2000).collect();
        let found = model.sample_functions(&Matrix::new(1, 2, vec![1.0; 2]).unwrap(), &draws).unwrap().means;
        let square = found.iter().map(|value| value * value).sum::<f32>() / 2000.0;
        let expected = (150.0 + 1.0) / 301.0;
        // Five standard errors.
        assert!((square / expected - 1.0).abs() < 5.0 * (2.0f32 / 2000.0).sqrt(), "{square} and {expected}");
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_diverges_is_a_failure() {
        let vast = settings(&[("hidden", "1000000000")]);
        assert_invalid(NoisyNaturalGradient::train(&task(2, None), &data(2), None, &vast, 0), "a vast layer");
        let check = |some: &[(&str, &str)], examples: usize| {
            Settings::parse(&settings(some)).unwrap().check(&task(13, None), examples)
        };
        let (deep, wide) = (("hidden", "1024,1024,1024,1024,1024"), ("hidden", "1024,1024"));
        assert!(check(&[wide], 1_000_000).is_ok());
        assert!(matches!(check(&[deep], 5), Err(Failure::InvalidSetting(reason)) if reason.contains("squares")));
        let batch = ("batch-size", "16384");
        assert!(check(&[batch], 16_384).is_ok() && check(&[wide, batch], 100).is_ok());
        for (some, examples) in [(&[wide, batch][..], 16_384), (&[("batch-size", "16385")], 16_385)] {
            let failure = check(some, examples).unwrap_err();
            assert!(matches!(&failure, Failure::InvalidSetting(reason) if reason.contains("batch-size")), "{failure}");
        }
        let found = NoisyNaturalGradient::train(&task(5000, None), &data(0), None, &[], 0);
        assert!(matches!(found, Err(Failure::Unsupported(_))), "{found:?}");
        let wild = settings(&[("natural-rate", "1e30"), ("clipping", "1e30")]);
        let found = NoisyNaturalGradient::train(&task(2, None), &data(20), None, &wild, 0);
        assert!(matches!(found, Err(Failure::Diverged(_))), "{found:?}");
    }
}

//! The regression side of `bbb`: a mean-field Gaussian posterior over a network whose output is a function's value.

use jointly_nets::adam::Adam;
use jointly_nets::batches::Batches;
use jointly_nets::belief::evaluate;
use jointly_nets::inputs::Prior;
use jointly_nets::layout::{layout, numbers, unit_deviations};
use jointly_nets::normals::Normals;
use jointly_nets::points::Points;
use jointly_nets::simd::{Lanes, floats, floats_mut};
use jointly_nets::squares::Squares;
use jointly_nets::{FirstBiases, Network, Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Matrix, Positive, RegressionTask, Regressor, Setting, Targets,
    Widths, settings,
};

use crate::posterior::Posterior;

/// Bounds of the logarithm of the noise's standard deviation, in units of the targets' standard deviation.
const LEAST_NOISE: f32 = -6.0;
const MOST_NOISE: f32 = 2.0;
/// The largest number of parameters of a network; training keeps about ten copies of them.
const MOST_PARAMETERS: usize = 1 << 22;

settings! {
    struct Settings {
        /// widths of the hidden layers
        hidden: Widths = "50",
        /// standard deviation of the normal prior
        sigma_1: Positive = "1",
        /// initial standard deviations
        initial_scale: Positive = "0.0067",
        /// networks drawn in each step
        draws: Count = "10",
        /// step size of Adam
        learning_rate: Positive = "1e-2",
        /// passes over the examples
        epochs: Count = "2000",
        /// examples in a batch
        batch_size: Count = "100",
        /// initial standard deviation of the noise, in units of the targets' standard deviation
        noise: Positive = "0.135",
    }
}

/// Bayes by backprop for a function's values: a draw is one network from the posterior.
///
/// # Formula
///
/// Minimises E [mean of ln s + (y - f(x; w))^2 / (2 s^2) over a batch] + KL(q || p) / N, where w ~ q. In q each
/// weight has an independent normal distribution with a mean and a scale that is a softplus, p = N(0, sigma^2), and s
/// is the noise's standard deviation, which Adam updates together with q. The expectation is a mean over a few w,
/// each shared by the whole batch. A layer of n inputs divides by sqrt(n + 1); means of weights start standard normal
/// and those of biases at zero.
///
/// The published runs take 10000 epochs, with a step size among 0.001, 0.003, 0.01 and a width among 50, 400 chosen
/// for each data set. On the Boston, yacht and kin8nm data, the largest of those steps reaches in 2000 epochs, and a
/// fifth of the time, within 0.1 nats of the test log-likelihood that 0.003 reaches in 10000: these are the defaults.
///
/// The method follows Blundell, Cornebise, Kavukcuoglu and Wierstra (2015), as in Wang, Sun and Grosse (2021).
#[derive(Debug)]
pub struct FunctionByBackprop {
    posterior: Posterior,
    deviations: Vec<Lanes>,
    noise: f32,
    seed: u64,
}

impl FunctionByBackprop {
    fn network(&self, draw: u64) -> Network {
        let mut normals = Normals::new(&mut Stream::Parameters.rng(self.seed, draw));
        let mut network = self.posterior.draw(&mut normals, &mut Vec::new());
        scale(&mut network, &self.deviations);
        network
    }
}

impl Regressor for FunctionByBackprop {
    fn describe() -> Description {
        Description {
            citation: "Blundell, Cornebise, Kavukcuoglu and Wierstra, Weight uncertainty in neural networks, ICML 2015"
                .into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("learning-rate", &["0.001", "0.003", "0.01"]),
                sweeps::one("hidden", &["50", "400"]),
                sweeps::one("epochs", &["500", "2000", "10000"]),
            ],
            ..Description::new("bbb", env!("CARGO_PKG_VERSION"), "a normal belief about each parameter of a network")
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
        let widths = [&[task.input_dim], &*settings.hidden, &[1]].concat();
        if numbers(&widths).is_none_or(|numbers| numbers > MOST_PARAMETERS) {
            return Err(Failure::InvalidSetting(format!(
                "hidden={:?}: at most {MOST_PARAMETERS} parameters",
                &*settings.hidden
            )));
        }
        let deviations = unit_deviations(&widths);
        let start = start(&widths, seed);
        let mut squares = Squares::new(&start);
        let mut posterior = Posterior::new(start, &widths, *settings.initial_scale);
        let prior = Prior::normal(*settings.sigma_1);

        let examples = data.len();
        let batch_size = (*settings.batch_size).min(examples.max(1));
        let mut batches = Batches::new(examples, batch_size, Stream::Batches.rng(seed, 0));
        let mut adam = Adam::new(posterior.parameters.len(), *settings.learning_rate);
        let mut gradient = vec![Lanes::splat(0.0); posterior.parameters.len()];
        let mut slopes = vec![Lanes::splat(0.0); deviations.len()];
        let mut normals = Normals::new(&mut Stream::Noise.rng(seed, 0));
        let mut drawn = Vec::new();
        let mut noise = Noise::new(task.noise_std, &settings);
        let share = 1.0 / *settings.draws as f32;
        let steps = examples.div_ceil(batch_size).max(1).saturating_mul(*settings.epochs);
        let mut progress = Progress::new(steps);
        for step in 0..steps {
            let (rows, counts) = batches.next_batch();
            squares.load(data, rows, counts);
            let weight = squares.weight().max(1.0);
            let precision = noise.precision();
            let mut sum = 0.0;
            gradient.fill(Lanes::splat(0.0));
            for _ in 0..*settings.draws {
                let mut network = posterior.draw(&mut normals, &mut drawn);
                scale(&mut network, &deviations);
                sum += squares.differentiate(&network, &mut slopes) / weight * f64::from(share);
                let factor = Lanes::splat((precision / weight) as f32);
                for (slope, deviation) in slopes.iter_mut().zip(&deviations) {
                    *slope = *slope * *deviation * factor;
                }
                posterior.pull_back(&slopes, &drawn, share, &mut gradient);
            }
            if !sum.is_finite() {
                return Err(Failure::Diverged(format!("the squared errors are not finite at step {step}")));
            }
            posterior.add_divergence(&prior, 1.0 / examples.max(1) as f32, &mut gradient);
            adam.update(&mut posterior.parameters, &gradient, 0.0);
            posterior.scale();
            if examples > 0 {
                noise.learn(sum);
            }
            progress.step();
        }
        Ok(Self { posterior, deviations, noise: noise.deviation(), seed })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let mut means = Vec::with_capacity(draws.len() * inputs.rows());
        for draw in draws {
            means.extend(evaluate(&self.network(*draw), inputs)?);
        }
        Ok(FunctionSamples { noise_stds: vec![self.noise; means.len()], means })
    }
}

/// Multiplies every parameter by its deviation.
fn scale(network: &mut Network, deviations: &[Lanes]) {
    for (value, deviation) in network.parameters.iter_mut().zip(deviations) {
        *value = *value * *deviation;
    }
}

/// Creates a network with standard normal weights and zero biases.
fn start(widths: &[usize], seed: u64) -> Network {
    let mut rng = Stream::Start.rng(seed, 0);
    let mut network = Network::new(widths, FirstBiases::Zero, &mut rng);
    let parameters = floats_mut(&mut network.parameters);
    layout(widths).iter().flat_map(|block| block.weights()).for_each(|at| parameters[at] = rng.normal());
    network
}

/// The noise's standard deviation, learnt if it is unknown.
struct Noise {
    log: [Lanes; 1],
    adam: Adam,
    learn: bool,
}

impl Noise {
    fn new(known: Option<f32>, settings: &Settings) -> Self {
        let log = libm::logf(known.unwrap_or(*settings.noise));
        Self { log: [Lanes::splat(log)], adam: Adam::new(1, *settings.learning_rate), learn: known.is_none() }
    }

    fn deviation(&self) -> f32 {
        libm::expf(floats(&self.log)[0])
    }

    fn precision(&self) -> f64 {
        libm::exp(-2.0 * f64::from(floats(&self.log)[0]))
    }

    /// Takes a step against the derivative of ln s + e / (2 s^2), where e is the mean squared error.
    fn learn(&mut self, error: f64) {
        if self.learn {
            let slope = 1.0 - self.precision() * error;
            self.adam.update(&mut self.log, &[Lanes::splat(slope as f32)], 0.0);
            let log = floats(&self.log)[0].clamp(LEAST_NOISE, MOST_NOISE);
            self.log = [Lanes::splat(log)];
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    /// Tolerance of a mean in units of its standard deviation, and relative tolerance of a variance, after noisy
    /// steps of Adam.
    const TOLERANCE: f64 = 0.15;

    fn settings(settings: &[(&str, &str)]) -> Vec<Setting> {
        settings.iter().map(|(name, value)| Setting { name: (*name).into(), value: (*value).into() }).collect()
    }

    fn task(input_dim: usize, noise_std: Option<f32>) -> RegressionTask {
        RegressionTask { input_dim, noise_std }
    }

    /// Inputs whose second feature is correlated with the first, and as targets a noisy sine of the first.
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

    const SMALL: [(&str, &str); 3] = [("hidden", "8"), ("epochs", "20"), ("draws", "2")];

    #[test]
    fn a_linear_models_belief_has_the_exact_means_and_the_inverse_precisions() {
        // f(x) = (w.x + b) / sqrt(3): the precision is X^T X / s^2 + I. The factorised normal distribution nearest to
        // the posterior has its mean, and as variances the inverses of the precision's diagonal.
        let (data, noise) = (data(40), 0.5);
        let long = [("hidden", "none"), ("epochs", "20000"), ("learning-rate", "1e-3")];
        let model = FunctionByBackprop::train(&task(2, Some(noise)), &data, None, &settings(&long), 0).unwrap();
        assert!((model.noise - noise).abs() < 1e-6);
        let mut precision = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        let weight = f64::from(noise).powi(-2);
        for (t, target) in data.targets.iter().enumerate() {
            let row = [data.inputs.row(t)[0], data.inputs.row(t)[1], 1.0].map(|value| f64::from(value) / 3f64.sqrt());
            for i in 0..3 {
                right[i] += weight * row[i] * f64::from(*target);
                (0..3).for_each(|j| precision[i][j] += weight * row[i] * row[j]);
            }
        }
        (0..3).for_each(|i| precision[i][i] += 1.0);
        let places: Vec<usize> =
            layout(&[2, 1]).iter().flat_map(|block| block.weights().chain(block.biases())).collect();
        let means = places.iter().map(|at| f64::from(floats(&model.posterior.parameters)[*at])).collect::<Vec<_>>();
        for i in 0..3 {
            // At the posterior's mean the gradient is zero; one standard deviation away along coordinate i it is
            // sqrt(precision_ii).
            let slope: f64 = (0..3).map(|j| precision[i][j] * means[j]).sum::<f64>() - right[i];
            assert!(slope.abs() < TOLERANCE * precision[i][i].sqrt(), "{i}: {slope}");
            let variance = f64::from(model.posterior.scale_of(places[i])).powi(2);
            assert!((variance * precision[i][i] - 1.0).abs() < TOLERANCE, "{i}: {variance} {}", precision[i][i]);
        }
    }

    #[test]
    fn a_function_and_its_noise_are_learnt() {
        let data = data(150);
        let model =
            FunctionByBackprop::train(&task(2, None), &data, None, &settings(&[("epochs", "3000")]), 0).unwrap();
        let draws: Vec<u64> = (0..100).collect();
        let found = model.sample_functions(&data.inputs, &draws).unwrap();
        let mean = |row: usize| found.means.iter().skip(row).step_by(150).sum::<f32>() / 100.0;
        let error = (0..150).map(|row| (mean(row) - data.targets[row]).powi(2)).sum::<f32>() / 150.0;
        assert!(error.sqrt() < 0.3, "{error}");
        // The agent has no lower error, and its noise agrees with it.
        assert!((model.noise / error.sqrt() - 1.0).abs() < 0.5, "{} {}", model.noise, error.sqrt());
    }

    #[test]
    fn without_data_the_belief_becomes_the_prior() {
        let few = [("hidden", "30"), ("epochs", "3000"), ("sigma-1", "0.5"), ("learning-rate", "1e-2"), ("draws", "1")];
        let none = Targets { inputs: Matrix::new(0, 0, vec![]).unwrap(), targets: vec![] };
        let model = FunctionByBackprop::train(&task(2, None), &none, None, &settings(&few), 0).unwrap();
        let places = layout(&[2, 30, 1]).into_iter().flat_map(|block| block.weights().chain(block.biases()));
        for at in places {
            assert!((model.posterior.scale_of(at) - 0.5).abs() < 0.01);
            assert!(floats(&model.posterior.parameters)[at].abs() < 0.01);
        }
    }

    #[test]
    fn a_draw_is_a_function_whatever_else_is_asked() {
        let [model, again] =
            [(); 2].map(|()| FunctionByBackprop::train(&task(2, None), &data(9), None, &settings(&SMALL), 5).unwrap());
        let inputs = data(70).inputs;
        let all = model.sample_functions(&inputs, &[4, 9, 4]).unwrap();
        assert_eq!(all, again.sample_functions(&inputs, &[4, 9, 4]).unwrap());
        assert_eq!(all.means[..70], all.means[140..]);
        assert_ne!(all.means[..70], all.means[70..140]);
        let row = Matrix::new(1, 2, inputs.row(67).to_vec()).unwrap();
        assert_eq!(model.sample_functions(&row, &[9]).unwrap().means, all.means[137..138]);
        assert!(model.sample_functions(&Matrix::new(1, 3, vec![0.0; 3]).unwrap(), &[0]).is_err());
    }

    #[test]
    fn little_data_and_odd_data_have_an_answer() {
        let constant = Targets { targets: vec![0.0; 5], ..data(5) };
        let twice = Targets { inputs: Matrix::new(2, 2, vec![1.0; 4]).unwrap(), targets: vec![-1.0, 1.0] };
        for data in [data(1), constant, twice] {
            let few = [("hidden", "8"), ("epochs", "5000"), ("draws", "1")];
            let model = FunctionByBackprop::train(&task(2, None), &data, None, &settings(&few), 0).unwrap();
            let found = model.sample_functions(&self::data(3).inputs, &[0, 1, 2]).unwrap();
            assert!(found.means.iter().all(|value| value.is_finite()), "{found:?}");
            assert!(
                found.noise_stds.iter().all(|noise| *noise >= libm::expf(LEAST_NOISE) && noise.is_finite()),
                "{found:?}"
            );
        }
        let huge = [("learning-rate", "1e30"), ("hidden", "8")];
        let found = FunctionByBackprop::train(&task(2, None), &data(20), None, &settings(&huge), 0);
        assert!(matches!(found, Err(Failure::Diverged(_))), "{found:?}");
    }

    #[test]
    fn suggested_variants_are_accepted_and_a_vast_network_is_refused() {
        for sweep in FunctionByBackprop::describe().sweeps {
            assert!(sweep.variants.iter().all(|variant| Settings::parse(variant).is_ok()));
        }
        let vast = settings(&[("hidden", "1000000000")]);
        let found = FunctionByBackprop::train(&task(2, None), &data(2), None, &vast, 0);
        assert!(matches!(found, Err(Failure::InvalidSetting(_))), "{found:?}");
    }
}

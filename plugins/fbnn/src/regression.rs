//! The regression side of `fbnn`: a Gaussian distribution over functions, trained against a Gaussian process prior at random
//! points.

use jointly_kernels::cholesky::log_jitter;
use jointly_kernels::scales::median_distances;
use jointly_kernels::{Rows, finite_gaussian, finite_samples, product::times_transposed};
use jointly_nets::adam::Adam;
use jointly_nets::batches::Batches;
use jointly_nets::normals::Normals;
use jointly_nets::points::{self, check_inputs};
use jointly_nets::simd::{LANES, Lanes, floats};
use jointly_nets::{Progress, Stream, sweeps};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Gaussian, Matrix, Positive, RegressionTask, Regressor, Setting,
    Targets, settings,
};

use crate::network::{Layout, Network};
use crate::objective::{Looks, Objective, differentiate};
use crate::steps::{add_points, check_sizes, clamp, hold};

settings! {
    struct Settings {
        /// frequencies, each of which yields a cosine and a sine
        units: Count = "100",
        /// points besides the batch at which the posterior is compared with the prior
        points: Count = "20",
        /// examples in a batch
        batch_size: Count = "100",
        /// steps of Adam
        steps: Count = "2000",
        /// step size of Adam
        learning_rate: Positive = "1e-2",
        /// learn the prior's variance and length scales too
        learn_prior: bool = "yes",
        /// added to the diagonal of both covariances before the divergence is computed, for targets with variance 1
        jitter: Positive = "1e-4",
        /// initial standard deviation of the noise, in units of the targets' standard deviation
        noise: Positive = "0.135",
    }
}

/// Functional variational inference with a Gaussian distribution: trainable cosines and sines, summed with weights
/// that are jointly normal. Its moments are exact.
///
/// # Formula
///
/// The objective is defined in the module `objective`. A step takes a batch and `points` further points, each of them
/// a training row plus N(0, l^2 / 2) in every feature, where l is the prior's length scale there. The prior is a
/// Gaussian process with a squared-exponential kernel, whose length scales start at the median distances of the
/// examples. Adam minimises the objective over the network, the prior's length scales and variance, and the noise.
///
/// The covariances of prior and posterior are compared with `jitter`, by default 1e-4, added to both diagonals, as if
/// the function were observed with noise of that variance. Moments and draws are without it. If a factorisation needs
/// more in some step, the log reports it at the end.
///
/// The published runs take 10000 epochs with full batches, or with batches of 900 for large data sets, and 400 units;
/// 5, 20 or 100 further points and a step size among 0.001, 0.003, 0.01 were chosen for each data set. Such runs take
/// minutes to hours where the default takes seconds; with only 2000 steps the largest of those step sizes works best.
///
/// The method follows Sun, Zhang, Shi and Grosse (2019), as in Wang, Sun and Grosse (2021).
#[derive(Debug)]
pub struct FunctionalNetwork {
    network: Network,
    seed: u64,
}

impl Regressor for FunctionalNetwork {
    fn describe() -> Description {
        let summary = "a normal belief about functions, held against a Gaussian process at random points";
        Description {
            citation: "Sun, Zhang, Shi and Grosse, Functional variational Bayesian neural networks, ICLR 2019".into(),
            parameters: Settings::parameters(),
            sweeps: vec![
                sweeps::one("points", &["5", "20", "100"]),
                sweeps::one("learning-rate", &["0.001", "0.003", "0.01"]),
                sweeps::one("units", &["50", "100", "400"]),
            ],
            ..Description::new("fbnn", env!("CARGO_PKG_VERSION"), summary)
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let inputs = &data.inputs;
        let data = &points::Points::new(task, data)?;
        let settings = Settings::parse(settings)?;
        check_sizes(task.input_dim, *settings.units, *settings.points, *settings.batch_size)?;
        let layout = Layout { dim: task.input_dim, units: *settings.units };
        let examples = data.len();
        let scales = median_distances(&Rows::of(inputs));
        let noise = task.noise_std.unwrap_or(*settings.noise);
        let mut rng = Stream::Start.rng(seed, 0);
        let mut network = Network::new(layout, &scales, (1.0, &scales), noise, &mut rng);
        let mut adam = Adam::new(network.parameters.len(), *settings.learning_rate);
        let mut batches =
            Batches::new(examples, (*settings.batch_size).min(examples.max(1)), Stream::Batches.rng(seed, 0));
        let mut rng = Stream::Noise.rng(seed, 0);
        let learn_noise = task.noise_std.is_none() && examples > 0;
        let learn_prior = settings.learn_prior && examples > 0;
        let mut progress = Progress::new(*settings.steps);
        let mut most = 0.0f64;
        for step in 0..*settings.steps {
            let (rows, _) = batches.next_batch();
            let mut inputs: Vec<f32> = rows.iter().flat_map(|row| data.row(*row as usize)).copied().collect();
            let targets: Vec<f32> = rows.iter().map(|row| data.targets()[*row as usize]).collect();
            let row = |row: usize| data.row(row);
            add_points(&mut inputs, &network, (examples, &row), *settings.points, &mut rng);
            let looks = Looks { inputs: &inputs, targets: &targets };
            let Objective { loss, mut gradient, jitter } =
                differentiate(&network, &looks, f64::from(*settings.jitter))?;
            most = most.max(jitter);
            if !loss.is_finite() || !floats(&gradient).iter().all(|slope| slope.is_finite()) {
                return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
            }
            hold(&mut gradient, layout, !learn_noise, !learn_prior);
            adam.update(&mut network.parameters, &gradient, 0.0);
            clamp(&mut network, learn_noise);
            progress.step();
        }
        log_jitter(most, "a covariance, beside the setting, in the step that needed most");
        Ok(Self { network, seed })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        check_inputs(inputs, self.network.layout.dim)?;
        let stride = self.network.layout.feature_stride();
        let normals = |draw: &u64| {
            let mut out = vec![Lanes::splat(0.0); stride / LANES];
            Normals::new(&mut Stream::Parameters.rng(self.seed, *draw)).fill(&mut out);
            floats(&out).to_vec()
        };
        let normals: Vec<Vec<f32>> = draws.iter().map(normals).collect();
        let means = self.network.functions(inputs.values(), &normals);
        finite_samples(FunctionSamples { noise_stds: vec![self.noise() as f32; means.len()], means })
    }

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        check_inputs(inputs, self.network.layout.dim)?;
        let evaluated = self.network.evaluate(inputs.values());
        let covariance = times_transposed(&evaluated.roots, &evaluated.roots).to_vec();
        let noise_variance = vec![self.noise() * self.noise(); inputs.rows()];
        finite_gaussian(Gaussian { mean: evaluated.means, covariance, noise_variance }).map(Some)
    }
}

impl FunctionalNetwork {
    /// Returns the noise's standard deviation.
    fn noise(&self) -> f64 {
        libm::exp(f64::from(self.network.at(Layout::LOG_NOISE)))
    }
}

#[cfg(test)]
mod tests {
    use jointly_kernels::kernel::{cross, gram};
    use jointly_kernels::{Cholesky, Rbf};
    use jointly_testkit::{assert_functions_stand_alone, assert_invalid, no_targets, settings, wave};

    use super::*;

    fn task(input_dim: usize, noise_std: Option<f32>) -> RegressionTask {
        RegressionTask { input_dim, noise_std }
    }

    fn train(data: &Targets, noise: Option<f32>, some: &[(&str, &str)], seed: u64) -> FunctionalNetwork {
        FunctionalNetwork::train(&task(data.inputs.cols(), noise), data, None, &settings(some), seed).unwrap()
    }

    const SMALL: [(&str, &str); 3] = [("units", "9"), ("steps", "30"), ("points", "5")];
    /// Tolerance of a mean in units of its standard deviation, and relative tolerance of a standard deviation: the
    /// error that steps of Adam on random points leave.
    const TOLERANCE: f64 = 0.15;

    #[test]
    fn with_all_examples_in_a_batch_it_is_the_gaussian_process() {
        let (data, noise) = (wave(12, 1, 2), 0.2);
        let long =
            [("units", "30"), ("steps", "6000"), ("learn-prior", "no"), ("points", "8"), ("learning-rate", "5e-3")];
        let model = train(&data, Some(noise), &long, 0);
        assert!((model.noise() - f64::from(noise)).abs() < 1e-6);
        let rows = Rows::of(&data.inputs);
        let kernel = Rbf::ard(1.0, &median_distances(&rows));
        let mut noisy = gram(&kernel, &rows);
        (0..12).for_each(|i| noisy.row_mut(i)[i] += f64::from(noise * noise));
        let factor = Cholesky::new(noisy).unwrap();
        let covariances = cross(&kernel, &rows, &rows);
        let found = model.gaussian(&data.inputs).unwrap().unwrap();
        assert_eq!(found.covariance.len(), 144);
        for t in 0..12 {
            let mut pulled = covariances.row(t).to_vec();
            factor.solve(&mut pulled);
            let mean: f64 = pulled.iter().zip(&data.targets).map(|(a, y)| a * f64::from(*y)).sum();
            let explained: f64 = pulled.iter().zip(covariances.row(t)).map(|(a, b)| a * b).sum();
            let deviation = (1.0 - explained).sqrt();
            assert!((found.mean[t] - mean).abs() < TOLERANCE * deviation, "{t}: {} and {mean}", found.mean[t]);
            let spread = found.covariance[13 * t].sqrt();
            assert!((spread / deviation - 1.0).abs() < TOLERANCE, "{t}: {spread} and {deviation}");
        }
    }

    #[test]
    fn draws_have_the_moments() {
        const DRAWS: u64 = 4000;
        let model = train(&wave(30, 2, 2), None, &[("units", "20"), ("steps", "200")], 0);
        let inputs = Matrix::new(2, 2, vec![0.5, 0.5, 3.0, -1.0]).unwrap();
        let exact = model.gaussian(&inputs).unwrap().unwrap();
        let draws: Vec<u64> = (0..DRAWS).collect();
        let found = model.sample_functions(&inputs, &draws).unwrap();
        let count = DRAWS as f64;
        let errors: Vec<[f64; 2]> =
            found.means.chunks(2).map(|row| [0, 1].map(|t| f64::from(row[t]) - exact.mean[t])).collect();
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let sum = errors.iter().map(|row| row[i] * row[j]).sum::<f64>() / count;
            let scale = (exact.covariance[3 * i] * exact.covariance[3 * j]).sqrt();
            // Five standard errors.
            assert!((sum - exact.covariance[2 * i + j]).abs() < 5.0 * scale * (2.0 / count).sqrt(), "{sum}");
            let mean = errors.iter().map(|row| row[i]).sum::<f64>() / count;
            assert!(mean.abs() < 5.0 * (exact.covariance[3 * i] / count).sqrt(), "{mean}");
        }
        assert!((f64::from(found.noise_stds[0]).powi(2) / exact.noise_variance[0] - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_function_and_its_noise_are_learnt() {
        let data = wave(150, 2, 2);
        let model = train(&data, None, &[("units", "50"), ("steps", "1000"), ("learning-rate", "0.01")], 0);
        let found = model.gaussian(&data.inputs).unwrap().unwrap().mean;
        let error = found.iter().zip(&data.targets).map(|(a, b)| (a - f64::from(*b)).powi(2)).sum::<f64>() / 150.0;
        assert!(error.sqrt() < 0.2, "{error}");
        assert!((0.05..0.25).contains(&model.noise()), "{}", model.noise());
    }

    #[test]
    fn a_draw_is_a_function_whatever_else_is_asked() {
        let [model, again] = [(); 2].map(|()| train(&wave(9, 2, 2), None, &SMALL, 5));
        let inputs = wave(70, 2, 2).inputs;
        let all = model.sample_functions(&inputs, &[4, 9, 4]).unwrap();
        assert_eq!(all, again.sample_functions(&inputs, &[4, 9, 4]).unwrap());
        assert_eq!(all.means[..70], all.means[140..]);
        assert_ne!(all.means[..70], all.means[70..140]);
        assert_functions_stand_alone(&model, &inputs, &[4, 9, 4]);
        let row = Matrix::new(1, 2, inputs.row(67).to_vec()).unwrap();
        let [alone, all] = [&row, &inputs].map(|inputs| model.gaussian(inputs).unwrap().unwrap());
        assert_eq!((alone.mean[0], alone.covariance[0]), (all.mean[67], all.covariance[67 * 71]));
        assert!(model.sample_functions(&Matrix::new(1, 3, vec![0.0; 3]).unwrap(), &[0]).is_err());
    }

    #[test]
    fn little_data_and_odd_data_have_an_answer() {
        let constant = Targets { targets: vec![0.0; 5], ..wave(5, 2, 2) };
        let twice = Targets { inputs: Matrix::new(2, 2, vec![1.0; 4]).unwrap(), targets: vec![-1.0, 1.0] };
        let none = no_targets(2);
        for data in [none, wave(1, 2, 2), constant, twice] {
            let model = train(&data, None, &[("units", "20"), ("steps", "1500"), ("learning-rate", "0.01")], 0);
            let inputs = wave(3, 2, 2).inputs;
            let found = model.sample_functions(&inputs, &[0, 1, 2]).unwrap();
            assert!(found.means.iter().all(|value| value.is_finite()), "{found:?}");
            assert!(found.noise_stds.iter().all(|noise| *noise >= 0.002 && noise.is_finite()), "{found:?}");
            assert!(model.gaussian(&inputs).unwrap().is_some());
        }
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_diverges_is_a_failure() {
        for (name, value) in [("units", "5000"), ("points", "18446744073709551615"), ("batch-size", "100000")] {
            let found = FunctionalNetwork::train(&task(2, None), &wave(2, 2, 2), None, &settings(&[(name, value)]), 0);
            assert_invalid(found, name);
        }
        let wild = settings(&[("learning-rate", "1e30"), ("units", "5")]);
        let found = FunctionalNetwork::train(&task(2, None), &wave(20, 2, 2), None, &wild, 0);
        assert!(matches!(found, Err(Failure::Diverged(_))), "{found:?}");
    }
}

//! The agent `linear`: linear regression, Bayesian or by least squares.

mod bayesian;
mod classical;
mod design;

use jointly_kernels::gamma::gamma;
use jointly_kernels::product::{axpy, dot, times_transposed};
use jointly_kernels::student::student_t_quantile;
use jointly_kernels::{Cholesky, Stream, at_most, finite_gaussian, finite_samples, widths_agree};
use jointly_sdk::{
    Bounds, Count, Description, Failure, FunctionSamples, Gaussian, Intervals, Matrix, Positive, RegressionTask,
    Regressor, Setting, Targets, choices, settings, sweep,
};

use crate::design::Design;

/// The largest number of features; a larger square matrix of features would not fit into the sandbox.
const MOST_FEATURES: usize = 5000;

choices! {
    /// The method by which a line is fitted.
    pub enum Method {
        /// A normal prior on the weights, with its variance and the noise's chosen by the evidence.
        Bayesian = "bayesian",
        /// Least squares, with intervals by Student's t.
        Classical = "classical",
    }
}

settings! {
    struct Settings {
        /// how the line is fitted: bayesian or classical
        method: Method = "bayesian",
        /// fit an intercept, else the line passes through the origin
        intercept: bool = "yes",
        /// maximum number of steps to the evidence's maximum, for bayesian
        steps: Count = "200",
        /// minimum variance of the noise, for targets with variance 1, for bayesian
        min_noise: Positive = "1e-5",
        /// maximum number of features: memory grows with their square, time with their cube
        max_features: Count = "2000",
    }
}

/// The information about the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Noise {
    /// Its variance; weights have the covariance A^-1.
    Variance(f64),
    /// An unbiased estimate of its variance, and degrees of freedom; weights have the covariance A^-1 times the
    /// noise's variance.
    Estimate { variance: f64, degrees: f64 },
}

/// A posterior over the weights of a line.
///
/// # Formula
///
/// Weights are mean + s L^-T z with normal z, where A = L L^T. For `bayesian`, s is 1. For `classical`, s^2 is the
/// variance of the noise, distributed as v S^2 / c, with S^2 the estimate and c a chi-squared variable with v degrees
/// of freedom. This is the posterior under the prior 1 / s^2, for which weights and new observations have Student's
/// distribution as in the classical theory.
#[derive(Debug)]
pub struct Linear {
    design: Design,
    weights: Vec<f64>,
    factor: Cholesky,
    noise: Noise,
    seed: u64,
}

impl Regressor for Linear {
    fn describe() -> Description {
        let methods = ["bayesian", "classical"]
            .into_iter()
            .flat_map(|method| ["yes", "no"].map(|intercept| vec![("method", method), ("intercept", intercept)]));
        Description {
            citation:
                "MacKay, Bayesian interpolation, Neural Computation 1992; Seber and Lee, Linear regression analysis, \
                       2003, sections 3 to 5"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("method", methods)],
            ..Description::new("linear", env!("CARGO_PKG_VERSION"), "a line, by Bayes or by least squares")
        }
    }

    fn train(
        task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let settings = Settings::parse(settings)?;
        widths_agree(&data.inputs, task.input_dim)?;
        let most = *settings.max_features;
        at_most(&[("max-features", most, MOST_FEATURES)])?;
        if task.input_dim > most {
            return Err(Failure::Unsupported(format!("{} features, and max-features={most}", task.input_dim)));
        }
        let targets: Vec<f64> = data.targets.iter().map(|y| f64::from(*y)).collect();
        let (design, fitted) = match settings.method {
            Method::Bayesian => {
                let design = Design::all(task.input_dim, settings.intercept);
                let rows = design.rows(&data.inputs);
                (design, bayesian::fit(&rows, &targets, task.noise_std, &settings)?)
            }
            Method::Classical => {
                let design = Design::varying(&data.inputs, settings.intercept);
                let rows = design.rows(&data.inputs);
                let fitted = classical::fit(&rows, &targets, &design)?;
                (design, fitted)
            }
        };
        let Fitted { weights, factor, noise } = fitted;
        Ok(Self { design, weights, factor, noise, seed })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        widths_agree(inputs, self.design.dim())?;
        let rows = self.design.rows(inputs);
        let mut samples = FunctionSamples { means: Vec::new(), noise_stds: Vec::new() };
        for draw in draws {
            let (weights, deviation) = self.draw(*draw);
            samples.means.extend(rows.iter().map(|row| dot(row, &weights) as f32));
            samples.noise_stds.extend(std::iter::repeat_n(deviation as f32, rows.rows()));
        }
        finite_samples(samples)
    }

    /// Computes the moments. For `classical` these use the variance of Student's distribution, and there are none
    /// with two or fewer degrees of freedom.
    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        widths_agree(inputs, self.design.dim())?;
        let (scale, noise) = match self.noise {
            Noise::Variance(variance) => (1.0, variance),
            Noise::Estimate { degrees, .. } if degrees <= 2.0 => return Ok(None),
            Noise::Estimate { variance, degrees } => {
                let mean = variance * degrees / (degrees - 2.0);
                (mean, mean)
            }
        };
        let mut rows = self.design.rows(inputs);
        let mean = rows.iter().map(|row| dot(row, &self.weights)).collect();
        self.factor.solve_rows(&mut rows);
        let covariance = times_transposed(&rows, &rows).to_vec().into_iter().map(|value| scale * value).collect();
        let noise_variance = vec![noise; rows.rows()];
        finite_gaussian(Gaussian { mean, covariance, noise_variance }).map(Some)
    }

    /// Computes intervals for `classical`: x . w plus or minus t S sqrt(x . A^-1 x), with one more under the root for
    /// a new observation.
    fn intervals(&self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        widths_agree(inputs, self.design.dim())?;
        let Noise::Estimate { variance, degrees } = self.noise else { return Ok(None) };
        if !(level > 0.0 && level < 1.0) {
            return Err(Failure::Unsupported(format!("a level of {level}, which is not between 0 and 1")));
        }
        let t = student_t_quantile(0.5 + 0.5 * level, degrees);
        let mut rows = self.design.rows(inputs);
        let means: Vec<f64> = rows.iter().map(|row| dot(row, &self.weights)).collect();
        self.factor.solve_rows(&mut rows);
        let bounds = |extra: f64| {
            let width = |row: &[f64]| t * (variance * (dot(row, row) + extra)).sqrt();
            let ends = |sign: f64| means.iter().zip(rows.iter()).map(|(mean, row)| mean + sign * width(row)).collect();
            Bounds { lower: ends(-1.0), upper: ends(1.0) }
        };
        let (confidence, prediction) = (bounds(0.0), bounds(1.0));
        if !prediction.lower.iter().chain(&prediction.upper).all(|end| end.is_finite()) {
            return Err(Failure::Diverged("an interval's end is beyond an f64".into()));
        }
        Ok(Some(Intervals { confidence: Some(confidence), prediction }))
    }
}

impl Linear {
    /// Returns the weights that a draw names, and the noise's standard deviation.
    fn draw(&self, draw: u64) -> (Vec<f64>, f64) {
        let mut rng = Stream::Draw.rng(self.seed, draw);
        let (scale, deviation) = match self.noise {
            Noise::Variance(variance) => (1.0, variance.sqrt()),
            Noise::Estimate { variance, degrees } => {
                let chi_squared = 2.0 * gamma(0.5 * degrees, &mut rng);
                let deviation = (variance * degrees / chi_squared).sqrt();
                (deviation, deviation)
            }
        };
        let mut normals: Vec<f64> = self.weights.iter().map(|_| f64::from(rng.normal())).collect();
        self.factor.solve_upper(&mut normals);
        let mut weights = self.weights.clone();
        axpy(scale, &normals, &mut weights);
        (weights, deviation)
    }
}

/// The result of a method.
#[derive(Debug)]
struct Fitted {
    weights: Vec<f64>,
    factor: Cholesky,
    noise: Noise,
}

jointly_sdk::export!(regressor: Linear);

#[cfg(test)]
mod tests;

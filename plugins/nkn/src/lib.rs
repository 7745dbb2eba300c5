//! The agent `nkn`: a Gaussian process whose kernel is a network of kernels.

mod kernel;
mod network;

use jointly_kernels::fit::{Recipe, Start};
use jointly_kernels::{Kernel as _, Optimizer, Posterior, Rows, at_most, fit, widths_agree};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Gaussian, Matrix, Positive, RegressionTask, Regressor, Setting,
    Targets, settings, sweep,
};

pub use crate::kernel::NeuralKernel;

/// A step of the optimiser holds three matrices of rows x rows at once: 967 MiB of the sandbox's default 1024.
const MOST_ROWS: usize = 6500;
/// Sixteen banks of this many features are kept.
const MOST_FEATURES: usize = 8192;
const MOST_STARTS: usize = 100;
/// The initial variance of the noise in a search.
const START_NOISE: f64 = 0.1;

settings! {
    struct Settings {
        /// optimiser of the parameters: lbfgs, or adam as in the papers, which needs steps=5000
        optimizer: Optimizer = "lbfgs",
        /// maximum number of steps of the optimiser from each start
        steps: Count = "200",
        /// step size of adam
        learning_rate: Positive = "3e-3",
        /// starts of the optimiser, with different weights of the network, of which the best result is kept
        starts: Count = "1",
        /// minimum variance of the noise, for targets with variance 1
        min_noise: Positive = "1e-5",
        /// random features of a drawn function
        features: Count = "1024",
        /// maximum number of examples: time grows with their cube
        max_rows: Count = "3000",
    }
}

/// A trained Gaussian process.
#[derive(Debug)]
pub struct NeuralKernelProcess {
    posterior: Posterior,
}

impl Settings {
    fn check(&self) -> Result<(), Failure> {
        at_most(&[
            ("max-rows", *self.max_rows, MOST_ROWS),
            ("features", *self.features, MOST_FEATURES),
            ("starts", *self.starts, MOST_STARTS),
        ])
    }
}

impl Regressor for NeuralKernelProcess {
    fn describe() -> Description {
        let optimizers = [vec![("optimizer", "lbfgs")], vec![("optimizer", "adam"), ("steps", "5000")]];
        let starts = ["1", "3"].map(|starts| vec![("starts", starts)]);
        Description {
            citation:
                "Sun, Zhang, Wang, Zeng, Li and Grosse, Differentiable compositional kernel learning for Gaussian \
                       processes, ICML 2018"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("optimizer", optimizers), sweep("starts", starts)],
            ..Description::new("nkn", env!("CARGO_PKG_VERSION"), "a Gaussian process with a neural kernel network")
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
        settings.check()?;
        widths_agree(&data.inputs, task.input_dim)?;
        let rows = data.inputs.rows();
        if rows > *settings.max_rows {
            return Err(Failure::Unsupported(format!(
                "{rows} examples, and max-rows={}: time grows with their cube; svgp does more",
                *settings.max_rows
            )));
        }
        let inputs = Rows::of(&data.inputs);
        let targets: Vec<f64> = data.targets.iter().map(|y| f64::from(*y)).collect();
        let recipe = Recipe {
            optimizer: settings.optimizer,
            steps: *settings.steps,
            learning_rate: f64::from(*settings.learning_rate),
            min_noise_variance: f64::from(*settings.min_noise),
            noise_variance: task.noise_std.map(|std| f64::from(std) * f64::from(std)),
        };
        let mut kernel = NeuralKernel::new(&inputs, seed, 0);
        let start = |at: usize| Start {
            parameters: NeuralKernel::new(&inputs, seed, at as u64).parameters(),
            noise_variance: START_NOISE,
        };
        let starts: Vec<Start> = (0..*settings.starts).map(start).collect();
        let fitted = fit(&mut kernel, (&inputs, &targets), &recipe, &starts)?;
        jointly_sdk::log(&format!(
            "log evidence {:.3}, noise variance {:.3e}",
            fitted.log_evidence, fitted.noise_variance
        ));
        kernel.settle(&inputs);
        let posterior =
            Posterior::new(Box::new(kernel), (inputs, targets), fitted.noise_variance, *settings.features, seed)?;
        Ok(Self { posterior })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        self.posterior.sample_functions(inputs, draws)
    }

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        self.posterior.gaussian(inputs).map(Some)
    }
}

jointly_sdk::export!(regressor: NeuralKernelProcess);

#[cfg(test)]
mod tests;

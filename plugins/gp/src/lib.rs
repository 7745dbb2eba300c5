//! The agent `gp`: exact Gaussian process regression, with the kernel that maximises the marginal likelihood.

use jointly_kernels::fit::{Recipe, Start};
use jointly_kernels::{Covariance, Optimizer, Posterior, Rows, Stream, at_most, fit, widths_agree};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Gaussian, Matrix, Positive, RegressionTask, Regressor, Setting,
    Targets, settings, sweep,
};

/// A step of the optimiser holds three matrices of rows x rows at once: 967 MiB of the sandbox's default 1024.
const MOST_ROWS: usize = 6500;
/// Sixteen banks of this many features are kept.
const MOST_FEATURES: usize = 16_384;
const MOST_STARTS: usize = 100;

settings! {
    struct Settings {
        /// covariance function: rbf or relu
        kernel: Covariance = "rbf",
        /// a length scale (for relu: a weight) for each feature instead of one for all
        ard: bool = "yes",
        /// optimiser of the parameters: lbfgs, or adam as in the paper, which needs steps=10000
        optimizer: Optimizer = "lbfgs",
        /// maximum number of steps of the optimiser from each start
        steps: Count = "200",
        /// step size of adam
        learning_rate: Positive = "3e-3",
        /// starts of the optimiser, of which the best result is kept
        starts: Count = "2",
        /// minimum variance of the noise, for targets with variance 1
        min_noise: Positive = "1e-5",
        /// random features of a drawn function
        features: Count = "1024",
        /// maximum number of examples: time grows with their cube
        max_rows: Count = "5000",
    }
}

/// A trained Gaussian process.
#[derive(Debug)]
pub struct GaussianProcess {
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

    /// Returns the optimiser's starts: first the kernel's own with noise of variance .1, then one with finer
    /// functions and less noise, then random ones around the first.
    fn starts(&self, parameters: &[f64], seed: u64) -> Vec<Start> {
        let start = |at: usize| {
            let mut rng = Stream::Starts.rng(seed, at as u64);
            let mut move_by = |log: f64, step: f64| match at {
                0 => log,
                1 => log + step,
                _ => log + f64::from(rng.normal()),
            };
            let noise_variance = libm::exp(move_by(libm::log(0.1), -2.0));
            let step = match self.kernel {
                // Changes only the length scales, which follow the variance.
                Covariance::Rbf => -1.0,
                Covariance::Relu => 1.0,
            };
            let parameters = parameters.iter().enumerate();
            let parameters = parameters.map(|(i, log)| move_by(*log, if i == 0 { 0.0 } else { step })).collect();
            Start { parameters, noise_variance }
        };
        (0..*self.starts).map(start).collect()
    }
}

impl Regressor for GaussianProcess {
    fn describe() -> Description {
        let kernels = ["rbf", "relu"]
            .into_iter()
            .flat_map(|kernel| ["yes", "no"].map(|ard| vec![("kernel", kernel), ("ard", ard)]));
        let optimizers =
            [vec![("optimizer", "lbfgs")], vec![("optimizer", "adam"), ("steps", "10000"), ("starts", "1")]];
        Description {
            citation:
                "Rasmussen and Williams, Gaussian processes for machine learning, 2006; settings of Wang, Sun and \
                       Grosse, Beyond marginal uncertainty, AISTATS 2021"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("kernel", kernels), sweep("optimizer", optimizers)],
            ..Description::new(
                "gp",
                env!("CARGO_PKG_VERSION"),
                "a Gaussian process with the likeliest kernel and noise",
            )
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
        let mut kernel = settings.kernel.start(settings.ard, &inputs);
        let starts = settings.starts(&kernel.parameters(), seed);
        let recipe = Recipe {
            optimizer: settings.optimizer,
            steps: *settings.steps,
            learning_rate: f64::from(*settings.learning_rate),
            min_noise_variance: f64::from(*settings.min_noise),
            noise_variance: task.noise_std.map(|std| f64::from(std) * f64::from(std)),
        };
        let fitted = fit(&mut *kernel, (&inputs, &targets), &recipe, &starts)?;
        jointly_sdk::log(&format!(
            "log evidence {:.3}, noise variance {:.3e}",
            fitted.log_evidence, fitted.noise_variance
        ));
        let posterior = Posterior::new(kernel, (inputs, targets), fitted.noise_variance, *settings.features, seed)?;
        Ok(Self { posterior })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        self.posterior.sample_functions(inputs, draws)
    }

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        self.posterior.gaussian(inputs).map(Some)
    }
}

jointly_sdk::export!(regressor: GaussianProcess);

#[cfg(test)]
mod tests;

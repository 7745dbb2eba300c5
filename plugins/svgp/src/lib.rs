//! The agent `svgp`: a sparse Gaussian process with learnt inducing points.

mod bound;
mod posterior;

use jointly_kernels::fit::Recipe;
use jointly_kernels::{Covariance, Optimizer, Progress, Rows, at_most, kmeans, widths_agree};
use jointly_sdk::{
    Count, Description, Failure, FunctionSamples, Gaussian, Matrix, Positive, RegressionTask, Regressor, Setting,
    Targets, settings, sweep,
};

use crate::bound::{Bounded, Parameters};
use crate::posterior::Posterior;

/// A step of the optimiser holds about ten matrices of inducing points x inducing points at once: 690 MiB of the
/// sandbox's default 1024.
const MOST_INDUCING: usize = 3000;
const MOST_FEATURES: usize = 16_384;
/// The initial variance of the noise in a search.
const START_NOISE: f64 = 0.1;

settings! {
    struct Settings {
        /// covariance function: rbf or relu
        kernel: Covariance = "rbf",
        /// a length scale (for relu: a weight) for each feature instead of one for all
        ard: bool = "yes",
        /// inducing points, initialised by k-means; the paper has 1000; 1e-6 is added to the function's variance at
        /// each, because they may be arbitrarily close together
        inducing: Count = "100",
        /// learn the positions of the inducing points
        train_inducing: bool = "yes",
        /// optimiser of the parameters: lbfgs, or adam as in the paper, which needs steps=10000
        optimizer: Optimizer = "lbfgs",
        /// maximum number of steps of the optimiser, each on all examples
        steps: Count = "200",
        /// step size of adam
        learning_rate: Positive = "3e-3",
        /// minimum variance of the noise, for targets with variance 1
        min_noise: Positive = "1e-5",
        /// random features of a drawn function
        features: Count = "1024",
        /// maximum number of examples: time grows with it times the square of inducing
        max_rows: Count = "200000",
    }
}

/// A trained sparse Gaussian process.
///
/// Inducing values are those of the function plus noise of variance 1e-6, relative to the targets' variance of one;
/// the bound, the moments and the draws all account for it. If a factorisation needs more jitter, the log reports it.
#[derive(Debug)]
pub struct SparseProcess {
    posterior: Posterior,
}

impl Settings {
    fn check(&self) -> Result<(), Failure> {
        at_most(&[("inducing", *self.inducing, MOST_INDUCING), ("features", *self.features, MOST_FEATURES)])
    }
}

impl Regressor for SparseProcess {
    fn describe() -> Description {
        let inducing = ["20", "50", "100", "200"].map(|count| vec![("inducing", count)]);
        let kernels = ["rbf", "relu"].map(|kernel| vec![("kernel", kernel)]);
        Description {
            citation:
                "Titsias, Variational learning of inducing variables in sparse Gaussian processes, AISTATS 2009; \
                       Hensman, Fusi and Lawrence, Gaussian processes for big data, UAI 2013; draws by Wilson et al., \
                       Efficiently sampling functions from Gaussian process posteriors, ICML 2020"
                    .into(),
            parameters: Settings::parameters(),
            sweeps: vec![sweep("inducing", inducing), sweep("kernel", kernels)],
            ..Description::new(
                "svgp",
                env!("CARGO_PKG_VERSION"),
                "a sparse Gaussian process with learnt inducing points",
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
            return Err(Failure::Unsupported(format!("{rows} examples, and max-rows={}", *settings.max_rows)));
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
        let kernel = settings.kernel.start(settings.ard, &inputs);
        let centres = kmeans::centres(&inputs, *settings.inducing, seed);
        let noise = recipe.noise(recipe.noise_parameter(START_NOISE)).0;
        let mut at = Bounded { kernel, centres, noise };
        // A single example does not determine how a function varies.
        if rows > 1 {
            learn(&mut at, (&inputs, &targets), &recipe, settings.train_inducing)?;
        }
        Ok(Self { posterior: Posterior::new(at, (&inputs, &targets), *settings.features, seed)? })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        self.posterior.sample_functions(inputs, draws)
    }

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        self.posterior.gaussian(inputs).map(Some)
    }
}

/// Maximises the bound over the kernel, the noise and the inducing points.
fn learn(
    at: &mut Bounded,
    (inputs, targets): (&Rows, &[f64]),
    recipe: &Recipe,
    train_inducing: bool,
) -> Result<(), Failure> {
    let parameters = Parameters::new(at, train_inducing);
    let mut progress = Progress::new(recipe.steps);
    let found = recipe.minimise(&parameters.start(at, recipe), &parameters.bounds(at), &mut |values, gradient| {
        progress.step();
        let slope = parameters.put(at, values, recipe);
        let (value, by) = at.bound((inputs, targets), train_inducing).ok()?;
        parameters.gradient(&by, slope, gradient);
        Some(-value)
    });
    let (values, _) = found.ok_or_else(|| {
        Failure::Diverged("the covariance of the inducing points is not positive definite: lower inducing".into())
    })?;
    parameters.put(at, &values, recipe);
    Ok(())
}

jointly_sdk::export!(regressor: SparseProcess);

#[cfg(test)]
mod tests;

//! Fits the parameters of a kernel and the noise to targets by maximising the evidence.

use jointly_sdk::Failure;

use crate::bounds::Bound;
use crate::evidence::log_evidence;
use crate::kernel::Kernel;
use crate::lbfgs::Objective;
use crate::rows::Rows;
use crate::{adam, lbfgs};
use jointly_sdk::Progress;

/// Bounds of the noise variance above its minimum, as a share of the variance of the targets.
const NOISE: (f64, f64) = (1e-9, 1e2);

jointly_sdk::choices! {
    /// The optimiser of the parameters.
    pub enum Optimizer {
        /// Quasi-Newton: reaches the same optimum in at most about a tenth of the steps.
        Lbfgs = "lbfgs",
        /// Adam, as in the papers.
        Adam = "adam",
    }
}

/// The settings of a fit.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The optimiser.
    pub optimizer: Optimizer,
    /// The largest number of steps from each start.
    pub steps: usize,
    /// Step size of Adam.
    pub learning_rate: f64,
    /// The smallest variance of the noise.
    pub min_noise_variance: f64,
    /// The variance of the noise, if known.
    pub noise_variance: Option<f64>,
}

impl Recipe {
    /// Minimises with the chosen optimiser; returns `None` if the objective has no value at the start.
    pub fn minimise(&self, start: &[f64], bounds: &[Bound], objective: &mut Objective) -> Option<(Vec<f64>, f64)> {
        match self.optimizer {
            Optimizer::Lbfgs => lbfgs::minimise(start, bounds, self.steps, objective),
            Optimizer::Adam => adam::minimise(start, bounds, (self.steps, self.learning_rate), objective),
        }
    }

    /// Returns the variance of the noise and its derivative, given the parameter that represents it.
    pub fn noise(&self, parameter: f64) -> (f64, f64) {
        match self.noise_variance {
            Some(known) => (known.max(self.min_noise_variance), 0.0),
            None => (self.min_noise_variance + libm::exp(parameter), libm::exp(parameter)),
        }
    }

    /// Returns the parameter that represents a variance of the noise.
    pub fn noise_parameter(&self, variance: f64) -> f64 {
        libm::log((variance - self.min_noise_variance).max(NOISE.0))
    }

    /// The bounds of that parameter.
    pub fn noise_bound() -> Bound {
        Bound::logs(NOISE.0, NOISE.1)
    }
}

/// The start of a fit.
#[derive(Clone, Debug)]
pub struct Start {
    /// The parameters of the kernel.
    pub parameters: Vec<f64>,
    /// The variance of the noise.
    pub noise_variance: f64,
}

/// The result of a fit, beside the kernel's parameters.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// The variance of the noise.
    pub noise_variance: f64,
    /// The logarithm of the evidence; NaN if there were fewer than two examples.
    pub log_evidence: f64,
}

/// Sets the kernel's parameters to those with the highest evidence that any start leads to. With fewer than two
/// examples they stay those of the first start, because a single example does not show how a function varies.
///
/// # Errors
///
/// Fails if the covariance is not positive definite at any start.
///
/// # Panics
///
/// Panics if there is no start.
pub fn fit(
    kernel: &mut dyn Kernel,
    (inputs, targets): (&Rows, &[f64]),
    recipe: &Recipe,
    starts: &[Start],
) -> Result<Fit, Failure> {
    if targets.len() < 2 {
        kernel.set_parameters(&starts[0].parameters);
        let (noise_variance, _) = recipe.noise(recipe.noise_parameter(starts[0].noise_variance));
        return Ok(Fit { noise_variance, log_evidence: f64::NAN });
    }
    let mut bounds = kernel.bounds();
    bounds.push(Recipe::noise_bound());
    let mut progress = Progress::new(recipe.steps * starts.len());
    let mut best: Option<(Vec<f64>, f64)> = None;
    for start in starts {
        let mut from = start.parameters.clone();
        from.push(recipe.noise_parameter(start.noise_variance));
        let found = recipe.minimise(&from, &bounds, &mut |at, gradient| {
            progress.step();
            let (own, noise) = at.split_at(at.len() - 1);
            kernel.set_parameters(own);
            let (variance, slope) = recipe.noise(noise[0]);
            let value = log_evidence(kernel, (inputs, targets), variance, gradient).ok()?;
            if let Some(last) = gradient.last_mut() {
                *last *= slope;
            }
            for g in gradient {
                *g = -*g;
            }
            Some(-value)
        });
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.1 < best.1)
        {
            best = Some(found);
        }
    }
    let (at, value) = best.ok_or_else(|| {
        Failure::Diverged(
            "the covariance of the examples is not positive definite at any start: raise min-noise".into(),
        )
    })?;
    let (own, noise) = at.split_at(at.len() - 1);
    kernel.set_parameters(own);
    Ok(Fit { noise_variance: recipe.noise(noise[0]).0, log_evidence: -value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;
    use crate::rbf::Rbf;

    fn recipe(optimizer: Optimizer, steps: usize) -> Recipe {
        Recipe { optimizer, steps, learning_rate: 0.01, min_noise_variance: 1e-5, noise_variance: None }
    }

    #[test]
    fn both_optimisers_reach_the_same_evidence() {
        let inputs = check::inputs(40, 2);
        let targets: Vec<f64> = inputs
            .iter()
            .enumerate()
            .map(|(i, row)| (2.0 * row[0]).sin() + 0.1 * ((i * 7 % 11) as f64 - 5.0) / 3.0)
            .collect();
        let mut found = Vec::new();
        for (optimizer, steps) in [(Optimizer::Lbfgs, 200), (Optimizer::Adam, 3000)] {
            let mut kernel = Rbf::ard(1.0, &[1.0, 1.0]);
            let start = Start { parameters: kernel.parameters(), noise_variance: 0.1 };
            let fitted = fit(&mut kernel, (&inputs, &targets), &recipe(optimizer, steps), &[start]).unwrap();
            // The second feature is irrelevant.
            let scales = kernel.length_scales();
            assert!(scales[1] > 5.0 * scales[0], "{scales:?}");
            found.push(fitted);
        }
        assert!((found[0].log_evidence - found[1].log_evidence).abs() < 0.02, "{found:?}");
        assert!((found[0].noise_variance / found[1].noise_variance - 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn what_cannot_be_fitted_keeps_its_start_and_known_noise_stays() {
        for examples in [0, 1] {
            let inputs = check::inputs(examples, 2);
            let mut kernel = Rbf::ard(1.0, &[1.0, 2.0]);
            let start = Start { parameters: kernel.parameters(), noise_variance: 0.1 };
            let fitted = fit(&mut kernel, (&inputs, &vec![0.5; examples]), &recipe(Optimizer::Lbfgs, 9), &[start]);
            assert!((fitted.unwrap().noise_variance - 0.1).abs() < 1e-12);
            assert_eq!(kernel.length_scales(), [1.0, 2.0]);
        }
        let inputs = check::inputs(5, 2);
        let mut kernel = Rbf::ard(1.0, &[1.0, 2.0]);
        let start = Start { parameters: kernel.parameters(), noise_variance: 0.1 };
        let known = Recipe { noise_variance: Some(0.3), ..recipe(Optimizer::Lbfgs, 20) };
        assert_eq!(fit(&mut kernel, (&inputs, &[1.0; 5]), &known, &[start]).unwrap().noise_variance, 0.3);
    }
}

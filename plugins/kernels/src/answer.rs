//! Checks that every agent makes before it answers.

use jointly_sdk::{Failure, FunctionSamples, Gaussian, Matrix};

/// Checks that inputs have as many features as the task.
///
/// # Errors
///
/// Fails if they have another number of features.
pub fn widths_agree(inputs: &Matrix, dim: usize) -> Result<(), Failure> {
    if inputs.cols() == dim {
        return Ok(());
    }
    Err(Failure::Unsupported(format!("inputs of {} features, trained on {dim}", inputs.cols())))
}

/// Checks that the values of sampled functions are finite; they may not be at inputs far from the training examples.
///
/// # Errors
///
/// Fails if a value is not finite.
pub fn finite_samples(samples: FunctionSamples) -> Result<FunctionSamples, Failure> {
    let finite = samples.means.iter().chain(&samples.noise_stds).all(|value| value.is_finite());
    finite.then_some(samples).ok_or_else(|| Failure::Diverged("a function's value is beyond an f32".into()))
}

/// Checks that moments are finite, and raises slightly negative variances to zero.
///
/// # Errors
///
/// Fails if a moment is not finite.
pub fn finite_gaussian(mut gaussian: Gaussian) -> Result<Gaussian, Failure> {
    let all = gaussian.mean.iter().chain(&gaussian.covariance).chain(&gaussian.noise_variance);
    if !all.into_iter().all(|value| value.is_finite()) {
        return Err(Failure::Diverged("a moment is beyond an f64".into()));
    }
    let rows = gaussian.mean.len();
    for variance in gaussian.covariance.iter_mut().step_by(rows + 1) {
        *variance = variance.max(0.0);
    }
    Ok(gaussian)
}

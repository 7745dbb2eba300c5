//! Values of sampled functions.

use super::{AnswerError, each, length, spread};

/// Sampled functions: element (m, t) is at `m * rows + t` of both lists.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSamples {
    means: Vec<f32>,
    noise_stds: Vec<f32>,
}

impl FunctionSamples {
    /// Checks the values of `draws` functions at `rows` rows, and the standard deviations of their noise.
    ///
    /// # Errors
    /// When a list has the wrong length, a number is not finite or a standard deviation is negative.
    pub fn new(rows: usize, draws: usize, means: Vec<f32>, noise_stds: Vec<f32>) -> Result<Self, AnswerError> {
        length("means", means.len(), rows * draws)?;
        length("noise-stds", noise_stds.len(), rows * draws)?;
        each("means", means.iter().map(|&x| x.into()), f64::is_finite, "a finite number")?;
        each("noise-stds", noise_stds.iter().map(|&x| x.into()), spread, "a finite number, 0 or more")?;
        Ok(Self { means, noise_stds })
    }

    /// Returns the functions' values, without observation noise.
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// Returns the standard deviations of the observation noise under each function.
    pub fn noise_stds(&self) -> &[f32] {
        &self.noise_stds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_a_mean_and_a_spread_for_every_draw_and_row() {
        let samples = |means, stds| FunctionSamples::new(2, 1, means, stds);
        assert!(samples(vec![1.0, -1.0], vec![0.0, 0.5]).is_ok());
        let message = |means, stds| samples(means, stds).unwrap_err().to_string();
        assert_eq!(message(vec![1.0], vec![0.0, 0.5]), "means are 1 numbers, expected 2");
        assert_eq!(message(vec![1.0, f32::NAN], vec![0.0; 2]), "means hold NaN at 1, expected a finite number");
        let negative = message(vec![1.0; 2], vec![-0.5, 0.0]);
        assert_eq!(negative, "noise-stds hold -0.5 at 0, expected a finite number, 0 or more");
    }
}

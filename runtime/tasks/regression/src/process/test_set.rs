//! Observations with a known true function and known noise.

use jointly_core::matrix::Matrix;
use jointly_core::regression::dataset::Targets;
use jointly_core::stream::Stream;

use crate::noise::Noise;

/// Observations, and the distribution that they were drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct TestSet {
    data: Targets,
    truth: Vec<f64>,
    noise_stds: Vec<f64>,
    noise: Noise,
}

impl TestSet {
    /// Draws an observation at each row: the true value plus the noise's standard deviation times a standardised
    /// deviate of the noise.
    ///
    /// # Panics
    /// When there is not one value and one standard deviation for each row, a standard deviation is negative, or an
    /// observation leaves the range of `f32`. None of this happens for a [`Process`](super::Process).
    pub fn observe(inputs: Matrix, truth: Vec<f64>, noise_stds: Vec<f64>, noise: Noise, source: &mut Stream) -> Self {
        assert_eq!(
            (truth.len(), noise_stds.len()),
            (inputs.rows(), inputs.rows()),
            "a value and a spread for each row"
        );
        assert!(noise_stds.iter().all(|&std| std >= 0.0), "a standard deviation is not negative");
        let observation = |(f, std): (&f64, &f64)| (f + std * noise.sample(source)) as f32;
        let targets = truth.iter().zip(&noise_stds).map(observation).collect();
        let data = Targets::new(inputs, targets).expect("values and spreads leave room for noise");
        Self { data, truth, noise_stds, noise }
    }

    /// Returns the observations.
    pub fn data(&self) -> &Targets {
        &self.data
    }

    /// Returns the true function's value at each row.
    pub fn truth(&self) -> &[f64] {
        &self.truth
    }

    /// Returns the standard deviation of the noise at each row.
    pub fn noise_stds(&self) -> &[f64] {
        &self.noise_stds
    }

    /// Returns the noise distribution.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Returns the probability that a new observation at a row lies in [lower, upper].
    ///
    /// # Formula
    /// `F((upper - f) / s) - F((lower - f) / s)`, with F the distribution function of the noise, f the true value and s
    /// the noise's standard deviation: equation 7 of Sluijterman et al. Without noise it is 1 if f lies in the interval
    /// and 0 if not.
    pub fn probability(&self, row: usize, lower: f64, upper: f64) -> f64 {
        let (f, std) = (self.truth[row], self.noise_stds[row]);
        if std == 0.0 {
            return f64::from(u8::from(lower <= f && f <= upper));
        }
        (self.noise.cdf((upper - f) / std) - self.noise.cdf((lower - f) / std)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    fn one(truth: f64, std: f64, noise: Noise) -> TestSet {
        let inputs = Matrix::new(1, 1, vec![0.0]).unwrap();
        TestSet::observe(inputs, vec![truth], vec![std], noise, &mut stream(0, "test", "observe", 0))
    }

    #[test]
    fn probabilities_are_the_noises() {
        let test = one(3.0, 2.0, Noise::Normal);
        assert!((test.probability(0, 1.0, 5.0) - 0.682_689_492_137_086).abs() < 1e-14);
        assert_eq!(test.probability(0, f64::NEG_INFINITY, f64::INFINITY), 1.0);
        assert_eq!(test.probability(0, 3.0, 3.0), 0.0);
        let skewed = one(3.0, 2.0, Noise::Exponential);
        assert!((skewed.probability(0, 0.0, 3.0) - (1.0 - (-1.0_f64).exp())).abs() < 1e-14);
    }

    #[test]
    fn without_noise_an_interval_holds_the_function_or_not() {
        let test = one(3.0, 0.0, Noise::StudentT);
        assert_eq!(test.data().targets(), [3.0]);
        assert_eq!((test.probability(0, 3.0, 4.0), test.probability(0, 3.1, 4.0)), (1.0, 0.0));
    }
}

//! Random numbers from the Gamma distribution.

use jointly_sdk::Rng;
use rand_distr::{Distribution, Gamma};

/// Draws a number from the Gamma distribution with the given shape and scale 1.
///
/// # Panics
///
/// Panics if the shape is not positive and finite.
pub fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    assert!(shape.is_finite(), "a shape is finite");
    Gamma::new(shape, 1.0).expect("a shape is positive").sample(rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_variance_are_the_shape() {
        const DRAWS: usize = 100_000;
        for shape in [0.1, 0.5, 1.0, 3.5, 40.0] {
            let mut rng = Rng::new(8, 0);
            let values: Vec<f64> = (0..DRAWS).map(|_| gamma(shape, &mut rng)).collect();
            let n = DRAWS as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            assert!((mean - shape).abs() < 5.0 * (shape / n).sqrt(), "{shape}: {mean}");
            // The fourth central moment is 3 k^2 + 6 k.
            let error = ((2.0 * shape * shape + 6.0 * shape) / n).sqrt();
            assert!((variance - shape).abs() < 5.0 * error, "{shape}: {variance}");
        }
    }
}

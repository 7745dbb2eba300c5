//! Bootstrap weights of the examples as a fixed function of the index, so that a draw is the function of one
//! bootstrap.

use jointly_nets::{Stream, Weighting};

use crate::sphere::{dot, orthogonal_unit_vector, unit_vector};

/// The function from an index to the examples' weights.
///
/// # Formula
///
/// Each example has a direction u, uniform on the unit sphere of the index's dimension D. At a normal index of
/// variance 1/D, u . z is normal of variance 1/D, so that
/// - bernoulli: 1 + sign(u . z) is zero or two with equal probability;
/// - exponential: D ((u . z)^2 + (v . z)^2) / 2, with v a unit vector orthogonal to u, is half a chi-squared variable
///   of two degrees of freedom, which is exponential with mean one. In one dimension there is no v, and the weight is
///   D (u . z)^2, a chi-squared variable of one degree, with mean one.
///
/// The correlation of two examples' weights depends on the angle between their directions.
#[derive(Debug)]
pub(crate) struct Bootstrap {
    weighting: Weighting,
    /// One or two directions for each example.
    directions: Vec<Vec<Vec<f32>>>,
}

impl Bootstrap {
    /// Draws directions for the examples.
    pub(crate) fn new(weighting: Weighting, examples: usize, index_dim: usize, seed: u64) -> Self {
        let directions = |example| {
            let mut rng = Stream::Bootstrap.rng(seed, example);
            let first = unit_vector(index_dim, &mut rng);
            let second = match weighting {
                Weighting::Equal | Weighting::Bernoulli => None,
                Weighting::Exponential => orthogonal_unit_vector(&first, &mut rng),
            };
            [Some(first), second].into_iter().flatten().collect()
        };
        let examples = if weighting == Weighting::Equal { 0 } else { examples as u64 };
        Self { weighting, directions: (0..examples).map(directions).collect() }
    }

    /// Returns the weight of an example at an index.
    pub(crate) fn weight(&self, example: u32, index: &[f32]) -> f32 {
        let along = |direction: &Vec<f32>| dot(direction, index);
        match self.weighting {
            Weighting::Equal => 1.0,
            Weighting::Bernoulli => {
                if along(&self.directions[example as usize][0]) < 0.0 {
                    0.0
                } else {
                    2.0
                }
            }
            Weighting::Exponential => {
                let directions = &self.directions[example as usize];
                let squares = directions.iter().map(|direction| along(direction).powi(2));
                squares.sum::<f32>() * directions[0].len() as f32 / directions.len() as f32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::hypernetwork::draw_index;

    const SAMPLES: usize = 20_000;
    /// Five standard errors of a mean, or of a fraction, over `SAMPLES` samples of unit variance.
    const TOLERANCE: f32 = 5.0 / 141.0;

    fn weights(weighting: Weighting, index_dim: usize) -> Vec<f32> {
        let bootstrap = Bootstrap::new(weighting, 3, index_dim, 1);
        let mut rng = Rng::new(2, 0);
        (0..SAMPLES).map(|_| bootstrap.weight(1, &draw_index(index_dim, &mut rng))).collect()
    }

    fn fraction(weights: &[f32], holds: impl Fn(f32) -> bool) -> f32 {
        weights.iter().filter(|weight| holds(**weight)).count() as f32 / SAMPLES as f32
    }

    #[test]
    fn weights_follow_their_laws_over_the_index() {
        for index_dim in [1, 2, 6] {
            assert!(weights(Weighting::Equal, index_dim).iter().all(|weight| *weight == 1.0));
            let bernoulli = weights(Weighting::Bernoulli, index_dim);
            assert!(bernoulli.iter().all(|weight| [0.0, 2.0].contains(weight)));
            assert!((fraction(&bernoulli, |weight| weight == 0.0) - 0.5).abs() < TOLERANCE);
            let exponential = weights(Weighting::Exponential, index_dim);
            let mean = exponential.iter().sum::<f32>() / SAMPLES as f32;
            assert!((mean - 1.0).abs() < 2.0 * TOLERANCE, "{mean}");
            // In one dimension the distribution is not exponential.
            for bound in [0.2f32, 1.0, 3.0].into_iter().filter(|_| index_dim > 1) {
                let expected = (-bound).exp();
                let above = fraction(&exponential, |weight| weight > bound);
                assert!((above - expected).abs() < TOLERANCE, "{index_dim} dimensions above {bound}: {above}");
            }
        }
    }

    #[test]
    fn examples_have_directions_of_their_own() {
        let bootstrap = Bootstrap::new(Weighting::Exponential, 2, 4, 0);
        let index = draw_index(4, &mut Rng::new(0, 0));
        assert_ne!(bootstrap.weight(0, &index), bootstrap.weight(1, &index));
        assert_eq!(bootstrap.weight(1, &index), bootstrap.weight(1, &index));
    }
}

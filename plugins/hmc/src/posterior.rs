//! The posterior of a network's weights given the examples and the variances, which are learnt separately.

use jointly_nets::layout::{mask, unit_deviations};
use jointly_nets::points::Points;
use jointly_nets::simd::{Lanes, floats, floats_mut};
use jointly_nets::squares::Squares;
use jointly_nets::{FirstBiases, Network};
use jointly_sdk::Rng;

/// Logarithms of the learnt standard deviations: of the noise, and of the weights under the prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scales {
    /// Log standard deviation of the observation noise.
    pub(crate) log_noise: f64,
    /// Log standard deviation of a weight.
    pub(crate) log_weight: f64,
}

impl Scales {
    /// Returns the energy of a place: minus its log density up to a constant.
    pub(crate) fn energy(self, place: &Place) -> f64 {
        let (noise, weight) = self.precisions();
        0.5 * (noise * place.squares + weight * place.norm)
    }

    /// Returns the factors of `slope` and of `position` in the derivative of the energy with respect to a coordinate.
    pub(crate) fn precisions(self) -> (f64, f64) {
        (libm::exp(-2.0 * self.log_noise), libm::exp(-2.0 * self.log_weight))
    }
}

/// A point in the space of weights, with the terms of its energy.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The weights, zero where a row of the network is padded.
    pub(crate) position: Vec<f32>,
    /// Half the gradient of the sum of squared errors.
    pub(crate) slope: Vec<f32>,
    /// The sum of squared errors.
    pub(crate) squares: f64,
    /// The sum of the weights' squares.
    pub(crate) norm: f64,
}

/// The examples, and the network whose errors on them define the likelihood.
///
/// # Formula
///
/// U(w) = S(w) / (2 s^2) + |w|^2 / (2 eta), where S is the sum of squared errors of the network with weights w, s the
/// standard deviation of the noise and eta the weights' prior variance. A layer of n inputs divides by sqrt(n + 1).
#[derive(Debug)]
pub(crate) struct Posterior {
    network: Network,
    squares: Squares,
    gradient: Vec<Lanes>,
    deviations: Vec<Lanes>,
    mask: Vec<Lanes>,
    parameters: usize,
}

impl Posterior {
    /// Creates the posterior, under all examples, of a network of these widths.
    pub(crate) fn new(widths: &[usize], data: &Points) -> Self {
        let network = Network::new(widths, FirstBiases::Zero, &mut Rng::new(0, 0));
        let mask = mask(widths);
        Self {
            squares: Squares::of(&network, data),
            gradient: network.parameters.clone(),
            deviations: unit_deviations(widths),
            parameters: floats(&mask).iter().filter(|is| **is == 1.0).count(),
            mask,
            network,
        }
    }

    /// Returns the number of examples.
    pub(crate) fn examples(&self) -> usize {
        self.squares.rows()
    }

    /// Returns the number of weights, not counting padding.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters
    }

    /// Draws a standard normal number for every weight, zero for the padding.
    pub(crate) fn normals(&self, rng: &mut Rng) -> Vec<f32> {
        floats(&self.mask).iter().map(|is| if *is == 1.0 { rng.normal() } else { 0.0 }).collect()
    }

    /// Returns the network with these weights.
    pub(crate) fn network(&mut self, position: &[f32]) -> &Network {
        let parameters = floats_mut(&mut self.network.parameters);
        for ((out, weight), deviation) in parameters.iter_mut().zip(position).zip(floats(&self.deviations)) {
            *out = weight * deviation;
        }
        &self.network
    }

    /// Returns the place at these weights.
    pub(crate) fn place(&mut self, position: Vec<f32>) -> Place {
        let mut place = Place { slope: vec![0.0; position.len()], position, squares: 0.0, norm: 0.0 };
        self.evaluate(&mut place);
        place
    }

    /// Recomputes the terms of the energy at the place's position.
    pub(crate) fn evaluate(&mut self, place: &mut Place) {
        self.network(&place.position);
        place.squares = self.squares.differentiate(&self.network, &mut self.gradient);
        place.norm = place.position.iter().map(|weight| f64::from(*weight) * f64::from(*weight)).sum();
        let slopes = floats(&self.gradient).iter().zip(floats(&self.deviations));
        for (out, (slope, deviation)) in place.slope.iter_mut().zip(slopes) {
            *out = slope * deviation;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, RegressionTask, Targets};

    use super::*;

    /// Step of a central difference, and relative tolerance of the derivative, in single precision.
    const STEP: f32 = 1e-2;
    const TOLERANCE: f64 = 1e-2;

    #[test]
    fn the_slope_is_that_of_the_energy() {
        let mut rng = Rng::new(4, 0);
        let inputs = (0..14).map(|_| rng.normal()).collect();
        let data =
            Targets { inputs: Matrix::new(7, 2, inputs).unwrap(), targets: (0..7).map(|_| rng.normal()).collect() };
        let mut posterior =
            Posterior::new(&[2, 6, 1], &Points::new(&RegressionTask { input_dim: 2, noise_std: None }, &data).unwrap());
        assert_eq!((posterior.examples(), posterior.parameters()), (7, 3 * 6 + 7));
        let start = posterior.normals(&mut rng);
        assert_eq!(start.iter().filter(|value| **value != 0.0).count(), 25);
        let place = posterior.place(start.clone());
        let scales = Scales { log_noise: -0.5, log_weight: 0.3 };
        let (noise, weight) = scales.precisions();
        for at in (0..start.len()).filter(|at| start[*at] != 0.0) {
            let mut beside = |step: f32| {
                let mut position = start.clone();
                position[at] += step;
                scales.energy(&posterior.place(position))
            };
            let expected = (beside(STEP) - beside(-STEP)) / (2.0 * f64::from(STEP));
            let found = noise * f64::from(place.slope[at]) + weight * f64::from(start[at]);
            assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{at}: {found} and {expected}");
        }
    }
}

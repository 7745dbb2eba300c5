//! A mean-field Gaussian posterior over parameters, and the optimiser that updates its means and precisions.

use jointly_nets::Network;
use jointly_nets::layout::mask_of;
use jointly_nets::normals::Normals;
use jointly_nets::simd::{Lanes, floats};
use jointly_sdk::Failure;

/// The constants of training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// The effective number of examples.
    pub(crate) ess: f32,
    /// The precision of the prior over `ess`.
    pub(crate) weight_decay: f32,
    /// The initial value of the Hessian's diagonal.
    pub(crate) hess_init: f32,
    /// The decay factor of the mean gradient per step.
    pub(crate) beta1: f32,
    /// The decay factor of the Hessian per step.
    pub(crate) beta2: f32,
}

/// The optimiser IVON (improved variational online Newton) for the parameters of one network.
///
/// # Formula
///
/// With m and h the means and the Hessian's diagonal, lambda the effective number of examples, delta the weight
/// decay, and sigma = 1 / sqrt(lambda (h + delta)): a sample is theta = m + sigma z with z standard normal, and g is
/// the gradient of the mean loss at theta. The reparameterisation estimate of the Hessian is f = g z / sigma; g and f
/// are means over the samples of a step. Then
///
/// - v = b1 v + (1 - b1) g
/// - h = b2 h + (1 - b2) f + (1 - b2)^2 (h - f)^2 / (2 (h + delta))
/// - m = m - rate (v / (1 - b1^t) + delta m) / (h + delta)
///
/// at step t. The third term of h keeps h + delta above half of its previous value, so the precision stays positive
/// without clipping.
///
/// The method follows Shen et al. (2024), algorithm 1.
#[derive(Debug)]
pub(crate) struct Ivon {
    constants: Constants,
    step: i32,
    samples: u32,
    /// The momentum v.
    momentum: Vec<Lanes>,
    /// The sum h + delta.
    curvature: Vec<Lanes>,
    /// The noise z of the last sample; zero where a row is padded.
    noise: Vec<Lanes>,
    /// One at a parameter, zero where a row is padded.
    mask: Vec<Lanes>,
    /// The sums of g and of g z over the samples of this step.
    gradient: Vec<Lanes>,
    products: Vec<Lanes>,
}

impl Ivon {
    /// Creates an optimiser for the parameters of a network.
    pub(crate) fn new(network: &Network, constants: Constants) -> Self {
        let mask = mask_of(&network.blocks());
        let zeros = vec![Lanes::splat(0.0); mask.len()];
        Self {
            constants,
            step: 0,
            samples: 0,
            momentum: zeros.clone(),
            curvature: vec![Lanes::splat(constants.hess_init + constants.weight_decay); mask.len()],
            noise: zeros.clone(),
            mask,
            gradient: zeros.clone(),
            products: zeros,
        }
    }

    /// Samples parameters around the means.
    pub(crate) fn sample(&mut self, means: &[Lanes], normals: &mut Normals, out: &mut [Lanes]) {
        normals.fill(&mut self.noise);
        let (one, ess) = (Lanes::splat(1.0), Lanes::splat(self.constants.ess));
        let values = out.iter_mut().zip(means).zip(&self.curvature);
        for (((value, mean), curvature), (noise, mask)) in values.zip(self.noise.iter_mut().zip(&self.mask)) {
            *noise = *noise * *mask;
            *value = noise.mul_add(one / (ess * *curvature).sqrt(), *mean);
        }
    }

    /// Adds the gradient of the mean loss at the last sample.
    pub(crate) fn add(&mut self, slopes: &[Lanes]) {
        self.samples += 1;
        let sums = self.gradient.iter_mut().zip(&mut self.products);
        for ((gradient, product), (slope, noise)) in sums.zip(slopes.iter().zip(&self.noise)) {
            *gradient = *gradient + *slope;
            *product = slope.mul_add(*noise, *product);
        }
    }

    /// Updates the posterior by the mean over the samples, and clears them.
    pub(crate) fn step(&mut self, rate: f32, means: &mut [Lanes]) {
        let Constants { ess, weight_decay, beta1, beta2, .. } = self.constants;
        self.step = self.step.saturating_add(1);
        let correction = 1.0 - f64::from(beta1).powi(self.step);
        let share = Lanes::splat(1.0 / self.samples.max(1) as f32);
        let [ess, decay, half, kept] = [ess, weight_decay, 0.5, beta1].map(Lanes::splat);
        let [new, new_hessian] = [1.0 - beta1, 1.0 - beta2].map(Lanes::splat);
        let [unbiased, rate] = [(1.0 / correction) as f32, -rate].map(Lanes::splat);
        let zero = Lanes::splat(0.0);
        let state = self.momentum.iter_mut().zip(&mut self.curvature).zip(means);
        for (((momentum, curvature), mean), (gradient, product)) in
            state.zip(self.gradient.iter_mut().zip(&mut self.products))
        {
            *momentum = momentum.mul_add(kept, new * share * *gradient);
            // f = g z / sigma; (1 - b2) (f - h) is the first-order change of h.
            let estimate = share * *product * (ess * *curvature).sqrt();
            let gain = new_hessian * (estimate - (*curvature - decay));
            *curvature = *curvature + gain + half * gain * gain / *curvature;
            let direction = decay.mul_add(*mean, unbiased * *momentum) / *curvature;
            *mean = direction.mul_add(rate, *mean);
            (*gradient, *product) = (zero, zero);
        }
        self.samples = 0;
    }

    /// Returns the standard deviations of the parameters; zero where a row is padded.
    ///
    /// # Errors
    ///
    /// A precision is not finite.
    pub(crate) fn scales(self) -> Result<Vec<Lanes>, Failure> {
        if floats(&self.curvature).iter().any(|curvature| !curvature.is_finite()) {
            return Err(Failure::Diverged("a precision is not finite at the end of training".into()));
        }
        let ess = Lanes::splat(self.constants.ess);
        let scales = self.curvature.iter().zip(&self.mask).map(|(curvature, mask)| *mask / (ess * *curvature).sqrt());
        Ok(scales.collect())
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::FirstBiases;
    use jointly_sdk::Rng;

    use super::*;

    const CONSTANTS: Constants = Constants { ess: 40.0, weight_decay: 0.05, hess_init: 0.7, beta1: 0.9, beta2: 0.98 };

    /// Relative tolerance between single and double precision after some steps.
    const TOLERANCE: f64 = 1e-4;

    /// A network without hidden layers whose rows are padded.
    fn network() -> Network {
        Network::new(&[6, 5], FirstBiases::Normal, &mut Rng::new(1, 0))
    }

    /// The optimiser for one parameter, written as in the paper.
    struct Scalar {
        m: f64,
        h: f64,
        v: f64,
        t: i32,
    }

    impl Scalar {
        fn sigma(&self, by: Constants) -> f64 {
            1.0 / (f64::from(by.ess) * (self.h + f64::from(by.weight_decay))).sqrt()
        }

        fn step(&mut self, by: Constants, rate: f64, pairs: &[(f64, f64)]) {
            let [b1, b2, delta] = [by.beta1, by.beta2, by.weight_decay].map(f64::from);
            let sigma = self.sigma(by);
            let count = pairs.len() as f64;
            let g = pairs.iter().map(|(g, _)| g).sum::<f64>() / count;
            let estimate = pairs.iter().map(|(g, theta)| g * (theta - self.m) / sigma.powi(2)).sum::<f64>() / count;
            self.t += 1;
            self.v = b1 * self.v + (1.0 - b1) * g;
            let correction = 0.5 * (1.0 - b2).powi(2) * (self.h - estimate).powi(2) / (self.h + delta);
            self.h = b2 * self.h + (1.0 - b2) * estimate + correction;
            let mean_gradient = self.v / (1.0 - b1.powi(self.t));
            self.m -= rate * (mean_gradient + delta * self.m) / (self.h + delta);
        }
    }

    #[test]
    fn steps_are_those_of_the_paper() {
        let mut network = network();
        let mut ivon = Ivon::new(&network, CONSTANTS);
        let mask = floats(&ivon.mask).to_vec();
        let start = |value: &f32| Scalar { m: f64::from(*value), h: 0.7f32.into(), v: 0.0, t: 0 };
        let mut scalars: Vec<Scalar> = floats(&network.parameters).iter().map(start).collect();
        let mut normals = Normals::new(&mut Rng::new(2, 0));
        let mut sampled = network.parameters.clone();
        for step in 0..30 {
            let rate = 0.1 / (1 + step) as f32;
            let mut pairs = vec![Vec::new(); scalars.len()];
            for _ in 0..3 {
                ivon.sample(&network.parameters, &mut normals, &mut sampled);
                // The derivative of the loss sin(theta) + theta^2.
                let slope = |(theta, mask): (&f32, &f32)| (theta.cos() + 2.0 * theta) * mask;
                let slopes: Vec<f32> = floats(&sampled).iter().zip(&mask).map(slope).collect();
                for (pairs, pair) in pairs.iter_mut().zip(slopes.iter().zip(floats(&sampled))) {
                    pairs.push((f64::from(*pair.0), f64::from(*pair.1)));
                }
                let slopes: Vec<Lanes> = slopes
                    .chunks_exact(jointly_nets::simd::LANES)
                    .map(|chunk| Lanes::from_array(chunk.try_into().unwrap()))
                    .collect();
                ivon.add(&slopes);
            }
            ivon.step(rate, &mut network.parameters);
            scalars.iter_mut().zip(&pairs).for_each(|(scalar, pairs)| scalar.step(CONSTANTS, rate.into(), pairs));
        }
        let scales = ivon.scales().unwrap();
        let found = floats(&network.parameters).iter().zip(floats(&scales)).zip(&mask);
        for (((mean, scale), mask), scalar) in found.zip(&scalars) {
            let sigma = f64::from(*mask) * scalar.sigma(CONSTANTS);
            assert!((f64::from(*scale) - sigma).abs() <= TOLERANCE * sigma, "{scale} {sigma}");
            let expected = f64::from(*mask) * scalar.m;
            assert!((f64::from(*mean) - expected).abs() <= TOLERANCE * (1.0 + expected.abs()), "{mean} {expected}");
        }
    }

    #[test]
    fn a_parabola_has_the_posterior_of_its_formula() {
        // Mean loss 0.8 (theta - 1.5)^2 / 2: the precision is lambda (0.8 + delta), the mean 0.8 1.5 / (0.8 + delta).
        let by = Constants { beta2: 0.999, hess_init: 0.1, ..CONSTANTS };
        let mut network = network();
        let mut ivon = Ivon::new(&network, by);
        let mut normals = Normals::new(&mut Rng::new(5, 0));
        let mut sampled = network.parameters.clone();
        let [a, to] = [0.8, -1.5 * 0.8].map(Lanes::splat);
        let steps = 20_000;
        for step in 0..steps {
            ivon.sample(&network.parameters, &mut normals, &mut sampled);
            let slopes: Vec<Lanes> =
                sampled.iter().zip(&ivon.mask).map(|(theta, mask)| theta.mul_add(a, to) * *mask).collect();
            ivon.add(&slopes);
            ivon.step(0.05 * (1.0 - step as f32 / steps as f32), &mut network.parameters);
        }
        let scales = ivon.scales().unwrap();
        let blocks = network.blocks();
        let places: Vec<usize> = blocks.iter().flat_map(|block| block.weights().chain(block.biases())).collect();
        let average = |of: &dyn Fn(usize) -> f32| places.iter().map(|at| of(*at)).sum::<f32>() / places.len() as f32;
        let mean = average(&|at| floats(&network.parameters)[at]);
        let scale = average(&|at| floats(&scales)[at]);
        // A tolerance of one per cent each, for averages over 35 parameters with independent noise.
        assert!((mean / (1.2 / 0.85) - 1.0).abs() < 0.01, "mean {mean}");
        assert!((scale * (40.0f32 * 0.85).sqrt() - 1.0).abs() < 0.01, "scale {scale}");
    }

    #[test]
    fn a_precision_stays_positive_whatever_the_slopes_are() {
        let mut network = network();
        let mut ivon = Ivon::new(&network, Constants { beta2: 0.0, ..CONSTANTS });
        let mut normals = Normals::new(&mut Rng::new(5, 0));
        let mut sampled = network.parameters.clone();
        for step in 0..50 {
            ivon.sample(&network.parameters, &mut normals, &mut sampled);
            // Slopes opposite to the noise make the estimate of the Hessian negative.
            let slopes: Vec<Lanes> = ivon.noise.iter().map(|noise| *noise * Lanes::splat(-0.3)).collect();
            let before = ivon.curvature.clone();
            ivon.add(&slopes);
            ivon.step(0.0, &mut network.parameters);
            let pairs = floats(&ivon.curvature).iter().zip(floats(&before));
            pairs
                .for_each(|(now, before)| assert!(*now >= 0.499 * before && *now > 0.0, "step {step}: {before} {now}"));
        }
    }
}

//! A mean-field Gaussian distribution over a network's parameters: each parameter is normal and independent of the
//! others.

use jointly_nets::inputs::Prior;
use jointly_nets::normals::Normals;
use jointly_nets::simd::{Lanes, floats, floats_mut};
use jointly_nets::softplus::{inverse_softplus, softplus};
use jointly_nets::{Network, layout};

/// The means and scales of all parameters.
#[derive(Clone, Debug)]
pub(crate) struct Posterior {
    network: Network,
    /// One where there is a parameter, zero where there is padding.
    mask: Vec<Lanes>,
    /// The parameters that Adam updates: the means, then a number rho for each; softplus(rho) is the scale.
    pub(crate) parameters: Vec<Lanes>,
    /// The scales, and their derivatives with respect to rho.
    scales: Vec<Lanes>,
    slopes: Vec<Lanes>,
}

impl Posterior {
    /// Creates the distribution whose means are the network's parameters, with the same scale for all.
    pub(crate) fn new(network: Network, widths: &[usize], scale: f32) -> Self {
        let count = network.parameters.len();
        let mut parameters = network.parameters.clone();
        parameters.resize(2 * count, Lanes::splat(inverse_softplus(scale)));
        let zeros = vec![Lanes::splat(0.0); count];
        let mut posterior =
            Self { network, mask: layout::mask(widths), parameters, scales: zeros.clone(), slopes: zeros };
        posterior.scale();
        posterior
    }

    /// A network of the shape of those that are drawn.
    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// Recomputes the scales after the parameters have changed.
    ///
    /// # Formula
    ///
    /// sigma = ln(1 + e^rho), and d sigma / d rho = 1 - e^-sigma.
    pub(crate) fn scale(&mut self) {
        let rhos = floats(&self.parameters[self.mask.len()..]);
        let scales = floats_mut(&mut self.scales).iter_mut().zip(floats_mut(&mut self.slopes));
        for ((scale, slope), rho) in scales.zip(rhos) {
            *scale = softplus(*rho);
            *slope = -(-*scale).exp_m1();
        }
    }

    /// Returns the scale of the network's parameter at index `at`.
    #[cfg(test)]
    pub(crate) fn scale_of(&self, at: usize) -> f32 {
        floats(&self.scales)[at]
    }

    /// Draws a network, and writes the noise that it was drawn with to `noise`.
    pub(crate) fn draw(&self, normals: &mut Normals, noise: &mut Vec<Lanes>) -> Network {
        noise.resize(self.mask.len(), Lanes::splat(0.0));
        normals.fill(noise);
        let mut network = self.network.clone();
        let values = network.parameters.iter_mut().zip(&self.parameters).zip(&self.scales);
        for (((value, mean), scale), (noise, mask)) in values.zip(noise.iter_mut().zip(&self.mask)) {
            *noise = *noise * *mask;
            *value = scale.mul_add(*noise, *mean);
        }
        network
    }

    /// Adds a drawn network's contribution to the gradient with respect to means and rhos, times `share`.
    ///
    /// # Formula
    ///
    /// With w = mu + sigma z and g the derivative of the loss with respect to w, the derivative with respect to mu is
    /// g and the derivative with respect to rho is g z d sigma / d rho.
    pub(crate) fn pull_back(&self, slopes: &[Lanes], noise: &[Lanes], share: f32, gradient: &mut [Lanes]) {
        let (means, rhos) = gradient.split_at_mut(self.mask.len());
        let share = Lanes::splat(share);
        for (((mean, rho), slope), (z, by_rho)) in
            means.iter_mut().zip(rhos).zip(slopes).zip(noise.iter().zip(&self.slopes))
        {
            let slope = *slope * share;
            *mean = *mean + slope;
            *rho = (slope * *z).mul_add(*by_rho, *rho);
        }
    }

    /// Adds the gradient of the part of the divergence from the prior that needs no drawn network, times `weight`.
    ///
    /// # Formula
    ///
    /// The divergence is E ln q(w) - E ln p(w). The first term is -ln sigma plus a constant. The second is
    /// -(mu^2 + sigma^2) / (2 sigma_1^2) plus a constant for a normal prior; for a mixture it is estimated on the
    /// drawn networks.
    pub(crate) fn add_divergence(&self, prior: &Prior, weight: f32, gradient: &mut [Lanes]) {
        let precision = prior.precision().unwrap_or(0.0);
        let (means, rhos) = gradient.split_at_mut(self.mask.len());
        let parameters = floats(&self.parameters).iter().zip(floats(&self.scales)).zip(floats(&self.slopes));
        let gradient = floats_mut(means).iter_mut().zip(floats_mut(rhos));
        for (((mean, scale), by_rho), (mean_out, rho_out)) in parameters.zip(gradient) {
            *mean_out += weight * precision * mean;
            *rho_out += weight * (precision * scale - 1.0 / scale) * by_rho;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::FirstBiases;
    use jointly_sdk::Rng;

    use super::*;

    const TOLERANCE: f64 = 1e-4;
    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-4;

    fn posterior() -> Posterior {
        let widths = [2, 3, 2];
        let network = Network::new(&widths, FirstBiases::Truncated, &mut Rng::new(1, 1));
        let mut posterior = Posterior::new(network, &widths, 0.4);
        let count = posterior.mask.len();
        let mut rng = Rng::new(0, 0);
        for rho in floats_mut(&mut posterior.parameters[count..]) {
            *rho += rng.normal();
        }
        posterior.scale();
        posterior
    }

    #[test]
    fn draws_have_the_means_and_scales_and_leave_the_padding() {
        const DRAWS: usize = 4000;
        let posterior = posterior();
        let mut normals = Normals::new(&mut Rng::new(3, 0));
        let mut noise = Vec::new();
        let mut sums = vec![[0.0; 2]; floats(&posterior.mask).len()];
        for _ in 0..DRAWS {
            let network = posterior.draw(&mut normals, &mut noise);
            let values = floats(&network.parameters).iter().zip(floats(&posterior.parameters));
            for (([first, second], (value, mean)), mask) in sums.iter_mut().zip(values).zip(floats(&posterior.mask)) {
                assert!(*mask == 1.0 || *value == 0.0);
                *first += f64::from(value - mean);
                *second += f64::from(value - mean).powi(2);
            }
        }
        let at = sums.iter().zip(floats(&posterior.scales)).zip(floats(&posterior.mask));
        for (([first, second], scale), _) in at.filter(|(_, mask)| **mask == 1.0) {
            let scale = f64::from(*scale);
            // Five standard errors.
            assert!((first / DRAWS as f64).abs() < 5.0 * scale / (DRAWS as f64).sqrt());
            assert!((second / DRAWS as f64 / scale.powi(2) - 1.0).abs() < 5.0 * (2.0 / DRAWS as f64).sqrt());
        }
    }

    #[test]
    fn divergence_has_the_derivatives_of_its_formula() {
        let posterior = posterior();
        let count = posterior.mask.len();
        let mut gradient = vec![Lanes::splat(0.0); 2 * count];
        posterior.add_divergence(&Prior::normal(0.7), 0.3, &mut gradient);
        let divergence = |mean: f64, rho: f64| {
            let (scale, sigma) = (rho.exp().ln_1p(), f64::from(0.7f32));
            0.3 * ((sigma / scale).ln() + (scale * scale + mean * mean) / (2.0 * sigma * sigma) - 0.5)
        };
        let (means, rhos) = posterior.parameters.split_at(count);
        let (by_mean, by_rho) = gradient.split_at(count);
        for at in 0..floats(means).len() {
            let (mean, rho) = (f64::from(floats(means)[at]), f64::from(floats(rhos)[at]));
            let expected = (divergence(mean + STEP, rho) - divergence(mean - STEP, rho)) / (2.0 * STEP);
            assert!((f64::from(floats(by_mean)[at]) - expected).abs() < TOLERANCE);
            let expected = (divergence(mean, rho + STEP) - divergence(mean, rho - STEP)) / (2.0 * STEP);
            assert!((f64::from(floats(by_rho)[at]) - expected).abs() < TOLERANCE);
        }
    }

    #[test]
    fn a_sampled_divergence_has_the_gradient_of_the_analytic_one() {
        const DRAWS: usize = 20_000;
        let posterior = posterior();
        let count = posterior.mask.len();
        let mut analytic = vec![Lanes::splat(0.0); 2 * count];
        posterior.add_divergence(&Prior::normal(0.7), 1.0, &mut analytic);
        // A mixture with all the weight on one component is the same distribution, but its divergence is sampled.
        let mixture = Prior::mixture(0.7, 0.2, 1.0);
        let mut sampled = vec![Lanes::splat(0.0); 2 * count];
        posterior.add_divergence(&mixture, 1.0, &mut sampled);
        let mut normals = Normals::new(&mut Rng::new(8, 0));
        let mut noise = Vec::new();
        for _ in 0..DRAWS {
            let network = posterior.draw(&mut normals, &mut noise);
            let mut slopes = vec![Lanes::splat(0.0); count];
            mixture.add_surprise(&network.parameters, 1.0, &mut slopes);
            posterior.pull_back(&slopes, &noise, 1.0 / DRAWS as f32, &mut sampled);
        }
        let masks = floats(&posterior.mask).iter().chain(floats(&posterior.mask));
        for ((a, b), _) in floats(&analytic).iter().zip(floats(&sampled)).zip(masks).filter(|(_, mask)| **mask == 1.0) {
            // A slope has a standard deviation of at most about 7 here; the bound is five standard errors.
            assert!((a - b).abs() < 5.0 * 7.0 / (DRAWS as f32).sqrt(), "{a} and {b}");
        }
    }
}

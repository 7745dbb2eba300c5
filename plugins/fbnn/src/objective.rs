//! The training objective: the negative functional evidence lower bound, at a batch and at further points.

use jointly_kernels::kernel::gram;
use jointly_kernels::product::times_transposed;
use jointly_kernels::{Cholesky, Kernel as _, NotPositive, Rbf, Rows};
use jointly_nets::simd::{Lanes, floats_mut};

use crate::network::{Evaluated, Layout, Network};

/// A function's distribution at the points of a step, of which the first form the batch.
pub(crate) struct Step<'a> {
    network: &'a Network,
    inputs: Rows,
    evaluated: Evaluated,
    /// The covariance of the function's values at the points.
    covariance: Rows,
}

/// How the expected loss of a batch depends on the distribution of the function at its points.
#[derive(Debug)]
pub(crate) struct Slopes {
    /// The derivative with respect to each mean.
    pub(crate) means: Vec<f64>,
    /// Twice the derivative with respect to each variance.
    pub(crate) variances: Vec<f64>,
}

/// The divergence from the prior at a step's points, and the gradient of the whole objective.
#[derive(Debug)]
pub(crate) struct Descent {
    /// The divergence, before it is divided by the number of points.
    pub(crate) divergence: f64,
    pub(crate) gradient: Vec<Lanes>,
    /// The largest jitter that a Cholesky factorisation needed in addition to `jitter`, as a share of the diagonal's
    /// mean.
    pub(crate) jitter: f64,
}

impl<'a> Step<'a> {
    /// Evaluates the function's distribution at inputs, row after row, with one number for each feature.
    pub(crate) fn new(network: &'a Network, inputs: &[f32]) -> Self {
        let dim = network.layout.dim;
        let rows = Rows::from_fn(inputs.len() / dim, dim, |i, d| f64::from(inputs[i * dim + d]));
        let evaluated = network.evaluate(inputs);
        let covariance = times_transposed(&evaluated.roots, &evaluated.roots);
        Self { network, inputs: rows, evaluated, covariance }
    }

    /// Returns the means of the function at the points.
    pub(crate) fn means(&self) -> &[f64] {
        &self.evaluated.means
    }

    /// Returns the variance of the function at a point.
    pub(crate) fn variance(&self, point: usize) -> f64 {
        self.covariance.row(point)[point]
    }

    /// Returns the number by which the objective is divided: that of the examples in the batch, or of all points if there
    /// are none.
    pub(crate) fn divisor(&self, batch: usize) -> f64 {
        if batch > 0 { batch as f64 } else { self.inputs.rows().max(1) as f64 }
    }

    /// Computes the divergence and the gradient of the objective, the loss of a batch with these slopes plus the divergence,
    /// both divided by [`divisor`](Self::divisor).
    ///
    /// # Formula
    ///
    /// With f ~ N(mu, S) at the B + M points, of which B form the batch, and prior covariance K, the divergence is
    /// KL = (tr K^-1 S + mu^T K^-1 mu - (B + M) + ln |K| - ln |S|) / 2. Both diagonals get `jitter` added before,
    /// because without it either matrix may be singular.
    ///
    /// The gradient of the divergence with respect to mu is K^-1 mu; with respect to S, half of K^-1 - S^-1; with respect to
    /// K, half of K^-1 - K^-1 (S + mu mu^T) K^-1.
    pub(crate) fn differentiate(self, slopes: &Slopes, jitter: f64) -> Result<Descent, NotPositive> {
        let share = 1.0 / self.divisor(slopes.means.len());
        let Self { network, inputs, evaluated, covariance: mut belief } = self;
        let (layout, count) = (network.layout, inputs.rows());
        let (mu, roots) = (&evaluated.means, &evaluated.roots);

        let mut kernel = Rbf::ard(1.0, &vec![1.0; layout.dim]);
        let logs: Vec<f64> = network.part(layout.prior(), layout.dim + 1).iter().map(|log| f64::from(*log)).collect();
        kernel.set_parameters(&logs);
        let mut prior = gram(&kernel, &inputs);
        for i in 0..count {
            prior.row_mut(i)[i] += jitter;
            belief.row_mut(i)[i] += jitter;
        }
        let (prior, belief_factor) = (Cholesky::with_jitter(prior)?, Cholesky::with_jitter(belief.clone())?);
        let (precision, inverse) = (prior.inverse(), belief_factor.inverse());
        let mut pulled = mu.clone();
        prior.solve(&mut pulled);

        let trace: f64 =
            precision.iter().zip(belief.iter()).flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| a * b).sum();
        let distance: f64 = mu.iter().zip(&pulled).map(|(a, b)| a * b).sum();
        let divergence = 0.5 * (trace + distance - count as f64 + prior.log_det() - belief_factor.log_det());

        let slope = |slopes: &[f64], b: usize| slopes.get(b).copied().unwrap_or(0.0);
        let by_means: Vec<f64> = (0..count).map(|b| share * (pulled[b] + slope(&slopes.means, b))).collect();
        // The derivative with respect to the roots is twice the derivative with respect to S, times the roots.
        let by_belief = Rows::from_fn(count, count, |i, j| {
            let own = if i == j { slope(&slopes.variances, i) } else { 0.0 };
            share * (precision.row(i)[j] - inverse.row(i)[j] + own)
        });
        let by_roots = times_transposed(&by_belief, &roots.transposed());
        let mut gradient = network.pull_back(&evaluated, &by_means, &by_roots);

        let product = times_transposed(&times_transposed(&precision, &belief), &precision);
        let mut by_prior = vec![0.0; layout.dim + 1];
        for i in 0..count {
            for j in 0..=i {
                let weight = precision.row(i)[j] - product.row(i)[j] - pulled[i] * pulled[j];
                let weight = share * if i == j { 0.5 * weight } else { weight };
                kernel.add_gradient(inputs.row(i), inputs.row(j), weight, &mut by_prior);
            }
        }
        let out = floats_mut(&mut gradient);
        out[layout.prior()..].iter_mut().zip(&by_prior).for_each(|(out, slope)| *out = *slope as f32);
        Ok(Descent { divergence, gradient, jitter: prior.jitter().max(belief_factor.jitter()) })
    }
}

/// The points at which the function's distribution is compared with the prior; the first of them have targets.
pub(crate) struct Looks<'a> {
    /// The inputs, row after row, with one number for each feature.
    pub(crate) inputs: &'a [f32],
    /// The targets of the first rows.
    pub(crate) targets: &'a [f32],
}

/// The objective at a step's points.
#[derive(Debug)]
pub(crate) struct Objective {
    pub(crate) loss: f64,
    pub(crate) gradient: Vec<Lanes>,
    /// The largest jitter that a Cholesky factorisation needed in addition to `jitter`, as a share of the diagonal's
    /// mean.
    pub(crate) jitter: f64,
}

/// Computes the objective of regression and its gradient.
///
/// # Formula
///
/// With f ~ N(mu, S) at the B + M points, of which B have targets y, and noise s, the objective is
/// sum over B of ln s + ((y - mu)^2 + S_bb) / (2 s^2), plus the divergence from the prior, all divided by B, or by M if no
/// point has a target. Its slopes are (mu - y) / s^2 and, of variances, half of 1 / s^2.
pub(crate) fn differentiate(network: &Network, looks: &Looks<'_>, jitter: f64) -> Result<Objective, NotPositive> {
    let batch = looks.targets.len();
    let step = Step::new(network, looks.inputs);
    let share = 1.0 / step.divisor(batch);
    let log_noise = f64::from(network.at(Layout::LOG_NOISE));
    let noise = libm::exp(-2.0 * log_noise);
    let errors: Vec<f64> = looks.targets.iter().zip(step.means()).map(|(y, mu)| mu - f64::from(*y)).collect();
    let squares: Vec<f64> = errors.iter().enumerate().map(|(b, error)| error * error + step.variance(b)).collect();
    let surprise: f64 = squares.iter().map(|square| log_noise + 0.5 * noise * square).sum();
    let slopes = Slopes { means: errors.iter().map(|error| noise * error).collect(), variances: vec![noise; batch] };
    let Descent { divergence, mut gradient, jitter } = step.differentiate(&slopes, jitter)?;
    floats_mut(&mut gradient)[Layout::LOG_NOISE] =
        squares.iter().map(|square| share * (1.0 - noise * square)).sum::<f64>() as f32;
    Ok(Objective { loss: share * (surprise + divergence), gradient, jitter })
}

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;
    use jointly_sdk::Rng;

    use super::*;

    /// Step of a central difference, and relative tolerance of the derivative, in single precision.
    const STEP: f32 = 1e-2;
    const TOLERANCE: f64 = 1e-2;
    const JITTER: f64 = 0.05;

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        // Odd sizes, to have padding, and more features than a band.
        for (dim, units) in [(2, 5), (3, 37)] {
            let layout = Layout { dim, units };
            let mut rng = Rng::new(1, 0);
            let mut network = Network::new(layout, &vec![1.5; dim], (0.8, &vec![1.2; dim]), 0.4, &mut rng);
            let root = layout.root();
            for (at, value) in floats_mut(&mut network.parameters).iter_mut().enumerate() {
                let column = (at.max(root) - root) % layout.feature_stride();
                let used = at >= layout.means() && *value != 0.0
                    || at >= root && column >= (at - root) / layout.feature_stride();
                let padding = at >= root && column >= layout.features();
                if used && !padding {
                    *value += 0.1 * rng.normal();
                }
            }
            let size = layout.features();
            floats_mut(&mut network.parameters)[layout.means()..][..size].fill_with(|| 0.5 * rng.normal());
            let inputs: Vec<f32> = (0..7 * dim).map(|_| rng.normal()).collect();
            let targets: Vec<f32> = (0..4).map(|_| rng.normal()).collect();
            let looks = Looks { inputs: &inputs, targets: &targets };
            let gradient = differentiate(&network, &looks, JITTER).unwrap().gradient;
            let mut compared = 0;
            for at in (0..layout.len()).filter(|at| floats(&gradient)[*at] != 0.0) {
                let beside = |step: f32| {
                    let mut network = network.clone();
                    floats_mut(&mut network.parameters)[at] += step;
                    differentiate(&network, &looks, JITTER).unwrap().loss
                };
                let expected = (beside(STEP) - beside(-STEP)) / (2.0 * f64::from(STEP));
                let found = f64::from(floats(&gradient)[at]);
                assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{at}: {found} and {expected}");
                compared += 1;
            }
            // Noise, variance, constant, scales, prior, means, frequencies and the triangle.
            assert_eq!(compared, 3 + dim + dim + 1 + size + dim * units + size * (size + 1) / 2);
        }
    }
}

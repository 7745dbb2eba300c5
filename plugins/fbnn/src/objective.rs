//! The training objective: the negative functional evidence lower bound, at a batch and at further points.

use jointly_kernels::kernel::gram;
use jointly_kernels::product::times_transposed;
use jointly_kernels::{Cholesky, Kernel as _, NotPositive, Rbf, Rows};
use jointly_nets::simd::{Lanes, floats_mut};

use crate::network::{Layout, Network};

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

/// Computes the objective and its gradient.
///
/// # Formula
///
/// With f ~ N(mu, S) at the B + M points, of which B have targets y, noise s and prior covariance K, the objective is
/// sum over B of ln s + ((y - mu)^2 + S_bb) / (2 s^2), plus
/// KL = (tr K^-1 S + mu^T K^-1 mu - (B + M) + ln |K| - ln |S|) / 2, all divided by B, or by M if no point has a
/// target. Both diagonals get `jitter` added before the divergence is computed, because without it either matrix may
/// be singular.
///
/// The gradient with respect to mu is (mu - y) / s^2 + K^-1 mu; with respect to S, half of I / s^2 at the
/// batch + K^-1 - S^-1; with respect to K, half of K^-1 - K^-1 (S + mu mu^T) K^-1.
pub(crate) fn differentiate(network: &Network, looks: &Looks<'_>, jitter: f64) -> Result<Objective, NotPositive> {
    let layout = network.layout;
    let inputs =
        Rows::from_fn(looks.inputs.len() / layout.dim, layout.dim, |i, d| f64::from(looks.inputs[i * layout.dim + d]));
    let (count, batch) = (inputs.rows(), looks.targets.len());
    let share = 1.0 / if batch > 0 { batch } else { count.max(1) } as f64;
    let evaluated = network.evaluate(looks.inputs);
    let (mu, roots) = (&evaluated.means, &evaluated.roots);

    let mut kernel = Rbf::ard(1.0, &vec![1.0; layout.dim]);
    let logs: Vec<f64> = network.part(layout.prior(), layout.dim + 1).iter().map(|log| f64::from(*log)).collect();
    kernel.set_parameters(&logs);
    let mut prior = gram(&kernel, &inputs);
    let mut belief = times_transposed(roots, roots);
    let variances: Vec<f64> = (0..batch).map(|b| belief.row(b)[b]).collect();
    for i in 0..count {
        prior.row_mut(i)[i] += jitter;
        belief.row_mut(i)[i] += jitter;
    }
    let (prior, belief_factor) = (Cholesky::with_jitter(prior)?, Cholesky::with_jitter(belief.clone())?);
    let (precision, inverse) = (prior.inverse(), belief_factor.inverse());
    let mut pulled = mu.clone();
    prior.solve(&mut pulled);

    let log_noise = f64::from(network.at(Layout::LOG_NOISE));
    let noise = libm::exp(-2.0 * log_noise);
    let errors: Vec<f64> = looks.targets.iter().zip(mu).map(|(y, mu)| mu - f64::from(*y)).collect();
    let squares: Vec<f64> = errors.iter().zip(&variances).map(|(error, variance)| error * error + variance).collect();
    let surprise: f64 = squares.iter().map(|square| log_noise + 0.5 * noise * square).sum();
    let trace: f64 = precision.iter().zip(belief.iter()).flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| a * b).sum();
    let distance: f64 = mu.iter().zip(&pulled).map(|(a, b)| a * b).sum();
    let divergence = 0.5 * (trace + distance - count as f64 + prior.log_det() - belief_factor.log_det());

    let target = |b: usize| if b < batch { 1.0 } else { 0.0 };
    let by_means: Vec<f64> =
        (0..count).map(|b| share * (pulled[b] + if b < batch { noise * errors[b] } else { 0.0 })).collect();
    // The derivative with respect to the roots is twice the derivative with respect to S, times the roots.
    let by_belief = Rows::from_fn(count, count, |i, j| {
        share * (precision.row(i)[j] - inverse.row(i)[j] + if i == j { noise * target(i) } else { 0.0 })
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
    out[Layout::LOG_NOISE] = squares.iter().map(|square| share * (1.0 - noise * square)).sum::<f64>() as f32;
    let jitter = prior.jitter().max(belief_factor.jitter());
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

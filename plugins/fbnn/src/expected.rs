//! The expected cross-entropy of a softmax of independent normal logits.

use jointly_sdk::Rng;

use crate::objective::Slopes;

/// A belief about the logits of a batch: the mean and the variance of each example, for each class.
pub(crate) struct Logits {
    pub(crate) means: Vec<Vec<f64>>,
    pub(crate) variances: Vec<Vec<f64>>,
}

/// The expected loss of a batch, and how it depends on the belief about each class's logits.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) loss: f64,
    pub(crate) slopes: Vec<Slopes>,
}

/// Estimates the sum over a batch of the expected cross-entropy of its labels.
///
/// # Formula
///
/// With logits f_k ~ N(mu_k, v_k), p = softmax(f) and a label y, the loss is E[-ln p_y]. Its derivative with respect to mu_k is
/// E[p_k - (1 if k = y else 0)]. With respect to the variance of a normal variable, the derivative of an expectation is
/// half the expectation of the second derivative (Price, 1958): with respect to v_k, half of E[p_k (1 - p_k)]. Expectations are
/// means over `pairs` vectors of standard normal numbers and their negatives.
pub(crate) fn cross_entropy(logits: &Logits, labels: &[u32], pairs: usize, rng: &mut Rng) -> Expected {
    let classes = logits.means.len();
    let nothing = || Slopes { means: vec![0.0; labels.len()], variances: vec![0.0; labels.len()] };
    let mut slopes: Vec<Slopes> = (0..classes).map(|_| nothing()).collect();
    let weight = 0.5 / pairs as f64;
    let (mut loss, mut normals, mut values) = (0.0, vec![0.0; classes], vec![0.0; classes]);
    for (b, label) in labels.iter().enumerate() {
        let own = *label as usize;
        let deviations: Vec<f64> = logits.variances.iter().map(|variances| variances[b].sqrt()).collect();
        for _ in 0..pairs {
            normals.fill_with(|| f64::from(rng.normal()));
            for sign in [1.0, -1.0] {
                for (k, (value, normal)) in values.iter_mut().zip(&normals).enumerate() {
                    *value = logits.means[k][b] + sign * deviations[k] * normal;
                }
                let logit = values[own];
                let log_sum = softmax(&mut values);
                loss += weight * (log_sum - logit);
                for (k, (slopes, p)) in slopes.iter_mut().zip(&values).enumerate() {
                    slopes.means[b] += weight * (p - if k == own { 1.0 } else { 0.0 });
                    slopes.variances[b] += weight * p * (1.0 - p);
                }
            }
        }
    }
    Expected { loss, slopes }
}

/// Replaces logits by their softmax, and returns the logarithm of the sum of their exponentials.
fn softmax(values: &mut [f64]) -> f64 {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in &mut *values {
        *value = libm::exp(*value - most);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
    most + libm::log(sum)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Integrates E[ln(1 + e^-f)], f ~ N(mean, variance): the loss of the first of two classes whose logits differ by f.
    pub(crate) fn by_quadrature(mean: f64, variance: f64) -> f64 {
        let (steps, reach) = (4000, 10.0);
        let width = 2.0 * reach / f64::from(steps);
        let at = |i: i32| {
            let z = -reach + (f64::from(i) + 0.5) * width;
            let f = mean + variance.sqrt() * z;
            (-0.5 * z * z).exp() * (-f).exp().ln_1p()
        };
        (0..steps).map(at).sum::<f64>() * width / (2.0 * std::f64::consts::PI).sqrt()
    }

    /// With two classes, the loss depends on the difference of the logits alone; its variance is the sum of their variances.
    #[test]
    fn the_loss_and_its_slopes_are_those_of_an_integral() {
        let (means, variances) = ([0.7, -0.4], [0.9, 1.6]);
        let logits = Logits {
            means: means.iter().map(|mean| vec![*mean]).collect(),
            variances: variances.iter().map(|variance| vec![*variance]).collect(),
        };
        let (mean, variance) = (means[0] - means[1], variances[0] + variances[1]);
        let step = 1e-3;
        let by_mean = (by_quadrature(mean + step, variance) - by_quadrature(mean - step, variance)) / (2.0 * step);
        let by_variance = (by_quadrature(mean, variance + step) - by_quadrature(mean, variance - step)) / (2.0 * step);
        let found = cross_entropy(&logits, &[0], 200_000, &mut Rng::new(3, 0));
        // 200,000 pairs leave about 1e-3.
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 4e-3, "{found} and {expected}");
        close(found.loss, by_quadrature(mean, variance));
        close(found.slopes[0].means[0], by_mean);
        close(found.slopes[1].means[0], -by_mean);
        close(found.slopes[0].variances[0], 2.0 * by_variance);
        close(found.slopes[1].variances[0], 2.0 * by_variance);
    }

    #[test]
    fn logits_of_any_size_have_a_loss() {
        let logits = Logits { means: vec![vec![-2000.0], vec![3000.0]], variances: vec![vec![0.0], vec![0.0]] };
        let found = cross_entropy(&logits, &[0], 1, &mut Rng::new(3, 0));
        assert_eq!((found.loss, found.slopes[0].means[0], found.slopes[1].means[0]), (5000.0, -1.0, 1.0));
    }
}

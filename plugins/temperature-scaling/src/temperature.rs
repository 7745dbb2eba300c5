//! The temperature of maximum likelihood.

use jointly_sdk::Failure;

/// The range of the temperature. The optimum lies beyond it only if nearly all labels are as predicted, or if the
/// logits contain no information about them.
const RANGE: (f64, f64) = (0.05, 20.0);

/// A temperature within this ratio of an end of the range counts as that end.
const NEAR: f64 = 1.0 + 1e-6;

/// Number of bisections of the range of ln T, after which double precision is exhausted.
const HALVINGS: usize = 60;

/// Returns the temperature T, from 0.05 to 20, that minimises the labels' mean negative log-likelihood; `logits` has
/// one row of `classes` numbers for each label.
///
/// # Formula
///
/// With b = 1 / T, the derivative of mean(ln sum_k exp(b z_k) - b z_y) with respect to b is
/// mean(sum_k p_k z_k - z_y), which never decreases as b grows: the loss is convex in b. The root of the derivative
/// is found by bisection of the range of ln b.
///
/// # Errors
///
/// The logits are not finite, or there are no labels.
pub fn likeliest(logits: &[f32], classes: usize, labels: &[u32]) -> Result<f64, Failure> {
    if labels.is_empty() || logits.iter().any(|logit| !logit.is_finite()) {
        return Err(Failure::Diverged("no temperature suits logits that are not finite".into()));
    }
    let (mut low, mut high) = (libm::log(1.0 / RANGE.1), libm::log(1.0 / RANGE.0));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(logits, classes, labels, libm::exp(middle)) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(libm::exp(-0.5 * (low + high)))
}

/// Returns whether a temperature is at an end of the range, so that the optimum may lie beyond it.
pub(crate) fn at_an_end(temperature: f64) -> bool {
    temperature <= RANGE.0 * NEAR || temperature >= RANGE.1 / NEAR
}

/// Computes the sum over rows of sum_k p_k z_k - z_y, where p is the softmax of b z.
fn slope(logits: &[f32], classes: usize, labels: &[u32], factor: f64) -> f64 {
    let one = |(row, label): (&[f32], &u32)| {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let (mut total, mut sum) = (0.0, 0.0);
        for logit in row {
            // Relative to the largest logit, so that a sum of large ones loses no precision.
            let gap = f64::from(*logit) - f64::from(largest);
            let weight = libm::exp(factor * gap);
            total += weight;
            sum += weight * gap;
        }
        sum / total - (f64::from(row[*label as usize]) - f64::from(largest))
    };
    logits.chunks_exact(classes).zip(labels).map(one).sum()
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    /// The tolerance is five standard errors of a temperature fitted to this many labels, about 1 / sqrt(their
    /// number) each.
    const ROWS: usize = 20_000;
    const TOLERANCE: f64 = 0.04;

    /// Draws labels from the softmax of random logits.
    fn drawn(classes: usize) -> (Vec<f32>, Vec<u32>) {
        let mut rng = Rng::new(5, 0);
        let (mut logits, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let row: Vec<f32> = (0..classes).map(|_| 2.0 * rng.normal()).collect();
            let mut probs = row.clone();
            jointly_sdk::softmax(&mut probs);
            let mut rest = rng.uniform();
            let label = probs.iter().position(|p| {
                rest -= p;
                rest < 0.0
            });
            labels.push(label.unwrap_or(classes - 1) as u32);
            logits.extend(row);
        }
        (logits, labels)
    }

    #[test]
    fn logits_that_are_too_sharp_by_a_factor_have_it_as_their_temperature() {
        for classes in [2, 5] {
            let (logits, labels) = drawn(classes);
            let plain = likeliest(&logits, classes, &labels).unwrap();
            assert!((plain - 1.0).abs() < TOLERANCE, "{plain}");
            for factor in [0.25f32, 3.0, 15.0] {
                let sharp: Vec<f32> = logits.iter().map(|logit| factor * logit).collect();
                let found = likeliest(&sharp, classes, &labels).unwrap();
                let ratio = found / (f64::from(factor) * plain);
                assert!((ratio - 1.0).abs() < 1e-6, "{found} for {factor}");
            }
        }
    }

    #[test]
    fn two_rows_have_the_temperature_that_is_known_on_paper() {
        // In rows with the logits 0 and a, three of four labels are the second class: exp(a / T) = 3.
        let logits: Vec<f32> = [0.0, 4.0].repeat(4);
        let found = likeliest(&logits, 2, &[1, 1, 0, 1]).unwrap();
        assert!((found - 4.0 / 3f64.ln()).abs() < 1e-9, "{found}");
    }

    #[test]
    fn without_an_end_the_range_ends_the_search() {
        for (labels, end) in [([1, 1], RANGE.0), ([0, 0], RANGE.1)] {
            let found = likeliest(&[0.0, 1.0, -1.0, 3.0], 2, &labels).unwrap();
            assert!((found / end - 1.0).abs() < 1e-9 && at_an_end(found), "{found}");
        }
        assert!(!at_an_end(0.051) && !at_an_end(19.9));
        assert!(likeliest(&[f32::NAN, 0.0], 2, &[0]).is_err() && likeliest(&[], 2, &[]).is_err());
    }
}

//! Batch normalisation: makes each channel of a minibatch have mean zero and variance one, and its gradient.

use crate::simd::Lanes;

/// Added to each variance, so that a constant channel does not divide by zero.
pub(crate) const EPSILON: f32 = 1e-3;

/// Pixels whose numbers are added up before their sum joins that of the others, so that rounding stays small.
const PART: usize = 256;

/// Replaces the values of a minibatch by normalised ones, and writes the mean, the variance and one over the square
/// root of the variance plus [`EPSILON`] of each channel. `values` are pixels of as many vectors as `mean` has.
///
/// # Formula
///
/// With n pixels of all images: mean = sum x / n, variance = sum (x - mean)^2 / n, and x becomes
/// (x - mean) / sqrt(variance + epsilon).
///
/// After Ioffe and Szegedy (2015).
pub(crate) fn normalise(values: &mut [Lanes], mean: &mut [Lanes], variance: &mut [Lanes], inverse: &mut [Lanes]) {
    let width = mean.len();
    let share = Lanes::splat(1.0 / (values.len() / width) as f32);
    let total = sums(values, width, |value, _, _| value);
    mean.iter_mut().zip(total).for_each(|(mean, total)| *mean = total * share);
    let squares = sums(values, width, |value, channel, _| (value - mean[channel]) * (value - mean[channel]));
    for ((variance, inverse), total) in variance.iter_mut().zip(inverse.iter_mut()).zip(squares) {
        *variance = total * share;
        *inverse = one_over_deviation(*variance);
    }
    for pixel in values.chunks_exact_mut(width) {
        for ((value, mean), inverse) in pixel.iter_mut().zip(&*mean).zip(&*inverse) {
            *value = (*value - *mean) * *inverse;
        }
    }
}

/// Returns one over the square root of the variance plus [`EPSILON`].
pub(crate) fn one_over_deviation(variance: Lanes) -> Lanes {
    Lanes::splat(1.0) / (variance + Lanes::splat(EPSILON)).sqrt()
}

/// Replaces `slopes`, the gradient with respect to `scale * normalised + shift`, by the gradient with respect to the
/// values before [`normalise`], and writes the gradient with respect to scale and shift.
pub(crate) fn backward(
    slopes: &mut [Lanes],
    normalised: &[Lanes],
    (scale, inverse): (&[Lanes], &[Lanes]),
    (by_scale, by_shift): (&mut [Lanes], &mut [Lanes]),
) {
    let width = scale.len();
    let share = Lanes::splat(1.0 / (slopes.len() / width) as f32);
    by_shift.copy_from_slice(&sums(slopes, width, |slope, _, _| slope));
    by_scale.copy_from_slice(&sums(slopes, width, |slope, _, at| slope * normalised[at]));
    for (slopes, normalised) in slopes.chunks_exact_mut(width).zip(normalised.chunks_exact(width)) {
        for (channel, (slope, value)) in slopes.iter_mut().zip(normalised).enumerate() {
            let along = by_shift[channel] + *value * by_scale[channel];
            *slope = (*slope - along * share) * (scale[channel] * inverse[channel]);
        }
    }
}

/// Returns the sum over pixels of `term(value, channel, index)` for each vector of channels.
fn sums(values: &[Lanes], width: usize, term: impl Fn(Lanes, usize, usize) -> Lanes) -> Vec<Lanes> {
    let zero = Lanes::splat(0.0);
    let (mut total, mut sum) = (vec![zero; width], vec![zero; width]);
    for (part, values) in values.chunks(PART * width).enumerate() {
        sum.fill(zero);
        for (pixel, values) in values.chunks_exact(width).enumerate() {
            let at = (part * PART + pixel) * width;
            for (channel, (sum, value)) in sum.iter_mut().zip(values).enumerate() {
                *sum = *sum + term(*value, channel, at + channel);
            }
        }
        total.iter_mut().zip(&sum).for_each(|(total, sum)| *total = *total + *sum);
    }
    total
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::simd::{LANES, floats, floats_mut};

    const TOLERANCE: f32 = 1e-5;

    #[test]
    fn four_pixels_by_hand() {
        // The values 1, 3, 5, 7 have mean 4 and variance 5.
        let mut values = [1.0, 3.0, 5.0, 7.0].map(Lanes::splat);
        let mut found = [[Lanes::splat(f32::NAN)]; 3];
        let [mean, variance, inverse] = &mut found;
        normalise(&mut values, mean, variance, inverse);
        let first = |lanes: Lanes| lanes.to_array()[0];
        assert_eq!((first(found[0][0]), first(found[1][0])), (4.0, 5.0));
        let scale = 1.0 / (5.0f32 + EPSILON).sqrt();
        assert!((first(found[2][0]) - scale).abs() < TOLERANCE);
        let expected = [-3.0, -1.0, 1.0, 3.0].map(|value| value * scale);
        assert!(values.iter().zip(expected).all(|(value, expected)| (first(*value) - expected).abs() < TOLERANCE));
    }

    #[test]
    fn a_far_mean_and_many_pixels_leave_the_variance_right() {
        let (mut rng, count) = (Rng::new(1, 0), 40_000);
        let mut values = vec![Lanes::splat(0.0); count];
        floats_mut(&mut values).fill_with(|| 30.0 + 0.5 * rng.normal());
        let first: Vec<f64> = floats(&values).iter().step_by(LANES).map(|value| f64::from(*value)).collect();
        let mean = first.iter().sum::<f64>() / count as f64;
        let variance = first.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64;
        let mut found = [[Lanes::splat(0.0)]; 3];
        let [means, variances, inverse] = &mut found;
        normalise(&mut values, means, variances, inverse);
        let [found_mean, found_variance, _] = found.map(|lanes| f64::from(floats(&lanes)[0]));
        assert!((found_mean / mean - 1.0).abs() < 1e-6, "{found_mean} {mean}");
        assert!((found_variance / variance - 1.0).abs() < 1e-5, "{found_variance} {variance}");
    }
}

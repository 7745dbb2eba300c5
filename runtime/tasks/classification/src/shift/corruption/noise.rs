//! Noise that is independent for each value: Gaussian, shot, impulse and speckle.

use jointly_core::stream::Stream;

use super::super::draw::poisson;
use super::super::pixels::Pixels;
use super::super::scale::{Constants, Scale, Step};

/// The noise's standard deviation.
const GAUSSIAN: Constants<f64> =
    Constants { small: [0.04, 0.06, 0.08, 0.09, 0.1], large: [0.08, 0.12, 0.18, 0.26, 0.38] };
/// The expected number of photons of white.
const SHOT: Constants<f64> =
    Constants { small: [500.0, 250.0, 100.0, 75.0, 50.0], large: [60.0, 25.0, 12.0, 5.0, 3.0] };
/// The share of lost values.
const IMPULSE: Constants<f64> =
    Constants { small: [0.01, 0.02, 0.03, 0.05, 0.07], large: [0.03, 0.06, 0.09, 0.17, 0.27] };
/// The noise's standard deviation, as a share of the value.
const SPECKLE: Constants<f64> = Constants { small: [0.06, 0.1, 0.12, 0.16, 0.2], large: [0.15, 0.2, 0.35, 0.45, 0.6] };

/// Computes `x + s N(0, 1)`, clipped.
pub(in super::super) fn gaussian(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let deviation = GAUSSIAN.at(scale, step);
    image.map(|x| x + deviation * stream.normal())
}

/// Computes `Poisson(c x) / c`, clipped: mean x, variance x / c.
pub(in super::super) fn shot(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let photons = SHOT.at(scale, step);
    image.map(|x| poisson(x * photons, stream) / photons)
}

/// Replaces each value, independently in each channel, with probability p by 0 or 1, which are equally likely.
pub(in super::super) fn impulse(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let share = IMPULSE.at(scale, step);
    image.map(|x| {
        // Both numbers are drawn for every value, so that values lost at one severity are lost in the same way at the
        // next.
        let (lost, white) = (stream.uniform() < share, stream.uniform() < 0.5);
        if lost { f64::from(u8::from(white)) } else { x }
    })
}

/// Computes `x + x s N(0, 1)`, clipped.
pub(in super::super) fn speckle(image: &Pixels, scale: Scale, step: Step, stream: &mut Stream) -> Pixels {
    let deviation = SPECKLE.at(scale, step);
    image.map(|x| x + x * deviation * stream.normal())
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{ERRORS, corrupted, grey, moments};
    use super::*;

    const SIDE: usize = 200;
    const SAMPLES: f64 = (SIDE * SIDE) as f64;

    /// Checks the mean and the variance, whose standard error depends on the excess kurtosis.
    fn check(values: &[f64], mean: f64, variance: f64, kurtosis: f64) {
        let found = moments(values);
        let within = |found: f64, expected: f64, error: f64| (found - expected).abs() < ERRORS * error;
        assert!(within(found.0, mean, (variance / SAMPLES).sqrt()), "{found:?} {mean}");
        assert!(within(found.1, variance, variance * ((2.0 + kurtosis) / SAMPLES).sqrt()), "{found:?} {variance}");
    }

    #[test]
    fn gaussian_noise_has_its_variance() {
        // Only severities at which clipping starts at 5 standard deviations or more.
        for (scale, step, noisy) in corrupted(&grey(SIDE, SIDE, 0.5), gaussian) {
            let deviation = GAUSSIAN.at(scale, step);
            if deviation <= 0.1 {
                check(noisy.values(), 0.5, deviation * deviation, 0.0);
            }
        }
    }

    #[test]
    fn clipped_noise_has_the_mean_of_its_law() {
        // E clip(N(1/2, s)) stays 1/2; a black image keeps half of the noise: s / sqrt(2 pi).
        for (scale, step, noisy) in corrupted(&grey(SIDE, SIDE, 0.0), gaussian) {
            let deviation = GAUSSIAN.at(scale, step);
            if deviation <= 0.2 {
                let mean = deviation / (2.0 * std::f64::consts::PI).sqrt();
                check(noisy.values(), mean, deviation * deviation / 2.0 - mean * mean, 3.0);
            }
        }
    }

    #[test]
    fn shot_noise_has_the_variance_of_light() {
        for (scale, step, noisy) in corrupted(&grey(SIDE, SIDE, 0.2), shot) {
            let photons = SHOT.at(scale, step);
            // With at least 12 photons for white, a value of 1/5 reaches white only about once in ten thousand draws.
            if photons >= 12.0 {
                check(noisy.values(), 0.2, 0.2 / photons, 1.0 / (0.2 * photons));
            }
        }
        for (_, _, noisy) in corrupted(&grey(5, 5, 0.0), shot) {
            assert!(noisy.values().iter().all(|&x| x == 0.0));
        }
    }

    #[test]
    fn impulse_noise_is_salt_and_pepper() {
        for (scale, step, noisy) in corrupted(&grey(SIDE, SIDE, 0.3), impulse) {
            let share = IMPULSE.at(scale, step);
            for extreme in [0.0, 1.0] {
                let count = noisy.values().iter().filter(|&&x| x == extreme).count() as f64;
                let expected = SAMPLES * share / 2.0;
                assert!((count - expected).abs() < ERRORS * expected.sqrt(), "{extreme} {count} {expected}");
            }
            assert!(noisy.values().iter().all(|&x| [0.0, 0.3, 1.0].contains(&x)));
        }
    }

    #[test]
    fn speckle_grows_with_the_value() {
        for (scale, step, noisy) in corrupted(&grey(SIDE, SIDE, 0.4), speckle) {
            let deviation = 0.4 * SPECKLE.at(scale, step);
            if deviation <= 0.08 {
                check(noisy.values(), 0.4, deviation * deviation, 0.0);
            }
        }
        for (_, _, noisy) in corrupted(&grey(5, 5, 0.0), speckle) {
            assert!(noisy.values().iter().all(|&x| x == 0.0));
        }
    }
}

//! Random numbers from distributions that shifts need and [`Stream`] does not offer.

use jointly_core::stream::Stream;

/// Draws a uniform number between `low` and `high`.
pub(super) fn between(low: f64, high: f64, stream: &mut Stream) -> f64 {
    low + (high - low) * stream.uniform()
}

/// Draws a Poisson number with this mean, as the quantile of one uniform deviate.
///
/// # Formula
/// Returns the least k for which `sum_{i <= k} exp(-mean) mean^i / i!` exceeds the deviate; `mean` is from 0 to 700,
/// where `exp(-mean)` is a normal floating-point number.
pub(super) fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    debug_assert!((0.0..=700.0).contains(&mean));
    let target = stream.uniform();
    let (mut k, mut mass) = (0.0, libm::exp(-mean));
    let mut cumulative = mass;
    while target >= cumulative {
        k += 1.0;
        mass *= mean / k;
        // Rounding may keep the sum below a deviate near 1: past the mean, the first mass that adds nothing ends the
        // sum.
        if k > mean && cumulative + mass == cumulative {
            break;
        }
        cumulative += mass;
    }
    k
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    const SAMPLES: usize = 40_000;

    #[test]
    fn poisson_has_its_mean_and_variance() {
        for mean in [0.0, 0.3, 3.0, 60.0, 500.0] {
            let mut source = stream(0, "test", "poisson", mean as u64);
            let counts: Vec<f64> = (0..SAMPLES).map(|_| poisson(mean, &mut source)).collect();
            let found = counts.iter().sum::<f64>() / SAMPLES as f64;
            let variance = counts.iter().map(|k| (k - found).powi(2)).sum::<f64>() / SAMPLES as f64;
            // Five standard errors; the fourth central moment is mean + 3 mean^2.
            let n = SAMPLES as f64;
            assert!((found - mean).abs() <= 5.0 * (mean / n).sqrt(), "{mean}: {found}");
            assert!((variance - mean).abs() <= 5.0 * ((mean + 2.0 * mean * mean) / n).sqrt(), "{mean}: {variance}");
        }
    }
}

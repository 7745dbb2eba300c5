//! Distributions of one input, sampled as quantiles of uniform numbers.

use jointly_core::distribution::{normal_cdf, normal_quantile};
use jointly_core::stream::Stream;

use crate::noise::open_uniform;

/// Modes of the inputs with a gap, their common standard deviation, and the ends of the interval that contains all
/// inputs.
const MODES: [f64; 2] = [-0.4, 0.3];
const DEVIATION: f64 = 0.1;
const ENDS: [f64; 2] = [-0.5, 0.5];

/// Draws from the uniform distribution on (low, high).
pub(super) fn uniform(low: f64, high: f64, source: &mut Stream) -> f64 {
    low + (high - low) * open_uniform(source)
}

/// Draws with equal probability from the Gaussian of one mode or the other, truncated to the interval between the ends.
pub(super) fn two_modes(source: &mut Stream) -> f64 {
    let mode = MODES[usize::from(source.uniform() >= 0.5)];
    let [low, high] = ENDS.map(|end| normal_cdf((end - mode) / DEVIATION));
    let x = mode + DEVIATION * normal_quantile(uniform(low, high, source));
    x.clamp(ENDS[0], ENDS[1])
}

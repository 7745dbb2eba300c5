//! Limits on sizes, points besides the batch, and bounds on parameters, for classification and regression.

use jointly_nets::simd::{Lanes, floats_mut};
use jointly_sdk::{Failure, Rng};

use crate::network::{Layout, Network};

/// The largest number of units; the covariance of the weights has four times its square entries.
const MOST_UNITS: usize = 1024;
/// The largest number of points in a step, whose covariances are factorised.
const MOST_POINTS: usize = 2048;
/// The largest number of entries of all frequencies.
const MOST_FREQUENCIES: usize = 1 << 22;
/// Bounds of the logarithm of the noise's standard deviation, in units of the targets' standard deviation.
const NOISE: (f32, f32) = (-6.0, 2.0);
/// Bounds of the logarithms of variances and length scales, in units of standardised features.
const SCALES: (f32, f32) = (-7.0, 9.0);

/// Refuses settings that take too much memory or time for this number of features.
pub(crate) fn check_sizes(dim: usize, units: usize, points: usize, batch_size: usize) -> Result<(), Failure> {
    if units > MOST_UNITS {
        return Err(Failure::InvalidSetting(format!("units={units}: at most {MOST_UNITS}")));
    }
    if dim * units > MOST_FREQUENCIES {
        return Err(Failure::Unsupported(format!("{dim} features: too many for {units} units")));
    }
    if points.saturating_add(batch_size) > MOST_POINTS {
        return Err(Failure::InvalidSetting(format!(
            "points={points} and batch-size={batch_size}: at most {MOST_POINTS} together"
        )));
    }
    Ok(())
}

/// Adds points near training rows, or near zero if there are none: a number of rows, and each of them.
pub(crate) fn add_points<'d>(
    inputs: &mut Vec<f32>,
    network: &Network,
    (rows, row): (usize, &dyn Fn(usize) -> &'d [f32]),
    count: usize,
    rng: &mut Rng,
) {
    let layout = network.layout;
    let logs = network.part(layout.prior() + 1, layout.dim);
    for _ in 0..count {
        let row = if rows > 0 { Some(row(rng.below(rows))) } else { None };
        for (d, log) in logs.iter().enumerate() {
            let centre = row.map_or_else(|| rng.normal(), |row| row[d]);
            inputs.push(centre + libm::expf(*log) * std::f32::consts::FRAC_1_SQRT_2 * rng.normal());
        }
    }
}

/// Sets the gradient of fixed parameters to zero.
pub(crate) fn hold(gradient: &mut [Lanes], layout: Layout, noise: bool, prior: bool) {
    let gradient = floats_mut(gradient);
    if noise {
        gradient[Layout::LOG_NOISE] = 0.0;
    }
    if prior {
        gradient[layout.prior()..=layout.prior() + layout.dim].fill(0.0);
    }
}

/// Clamps logarithms to their bounds, that of the noise only if it is learnt.
pub(crate) fn clamp(network: &mut Network, noise: bool) {
    let layout = network.layout;
    let values = floats_mut(&mut network.parameters);
    let clamp = |value: &mut f32, (least, most): (f32, f32)| *value = value.clamp(least, most);
    if noise {
        clamp(&mut values[Layout::LOG_NOISE], NOISE);
    }
    clamp(&mut values[Layout::LOG_VARIANCE], SCALES);
    for from in [Layout::LOG_SCALES, layout.prior() + 1] {
        values[from..from + layout.dim].iter_mut().for_each(|value| clamp(value, SCALES));
    }
    clamp(&mut values[layout.prior()], SCALES);
}

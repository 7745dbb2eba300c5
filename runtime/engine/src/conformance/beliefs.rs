//! Checks the moments and intervals of a regressor that provides them.

use jointly_core::regression::{Bounds, Intervals};
use jointly_regression::{Fitted, PredictionOptions, Standardization};

use super::subject::{Subject, points};

const ROWS: usize = 17;
/// Levels of the intervals, in increasing order.
const LEVELS: [f64; 4] = [0.5, 0.8, 0.9, 0.95];
/// How far a covariance may exceed the bound set by its variances, relative to the square of the largest variance:
/// `f32` rounds.
const TOLERANCE: f64 = 1e-6;
/// Number of audits, each of a few rows of its own.
const AUDITS: u64 = 3;

/// Checks covariances. The host has checked that they are finite and symmetric; rows are audited as in a run.
pub(super) fn moments(subject: &Subject) -> Result<(), String> {
    let mut learned = subject.trained()?;
    let mut fitted = Fitted::new(learned.regressor()?, Standardization::identity(2));
    let inputs = points(ROWS, 0);
    let mut moments = None;
    for audit in 0..AUDITS {
        let options = PredictionOptions::paper(audit.into(), "check");
        moments = fitted.gaussian(&inputs, &options).map_err(|error| error.to_string())?;
    }
    let Some(all) = moments else { return Ok(()) };
    let largest = (0..ROWS).map(|row| all.variance(row)).fold(f64::MIN_POSITIVE, f64::max);
    for (row, col) in (0..ROWS).flat_map(|row| (0..row).map(move |col| (row, col))) {
        let (bound, value) = (all.variance(row) * all.variance(col), all.covariance()[row * ROWS + col]);
        if value * value > bound + TOLERANCE * largest * largest {
            return Err(format!("the covariance of rows {row} and {col} is {value}, more than their variances allow"));
        }
    }
    Ok(())
}

/// Checks that intervals widen with the level. Rows are audited as in a run.
pub(super) fn intervals(subject: &Subject) -> Result<(), String> {
    let mut learned = subject.trained()?;
    let mut fitted = Fitted::new(learned.regressor()?, Standardization::identity(2));
    let inputs = points(ROWS, 0);
    let mut narrower: Option<Bounds> = None;
    for level in LEVELS {
        let mut intervals = None;
        for audit in 0..AUDITS {
            let options = PredictionOptions::paper(audit.into(), "check");
            intervals = fitted.intervals(&inputs, level, &options).map_err(|error| error.to_string())?;
        }
        let Some(Intervals { prediction: wider, .. }) = intervals else { return Ok(()) };
        let holds = |inner: &Bounds, row: usize| {
            wider.contains(row, inner.lower()[row]) && wider.contains(row, inner.upper()[row])
        };
        if let Some(row) = narrower.and_then(|inner| (0..ROWS).find(|&row| !holds(&inner, row))) {
            return Err(format!(
                "at row {row} the interval of level {level} does not contain that of the level before"
            ));
        }
        narrower = Some(wider);
    }
    Ok(())
}

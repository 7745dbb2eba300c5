//! The predictions of a trained agent: samples, Gaussian moments and intervals, each checked by its constructor.

mod bounds;
mod gaussian;
mod samples;

use thiserror::Error;

pub use bounds::{Bounds, Intervals};
pub use gaussian::Gaussian;
pub use samples::FunctionSamples;

/// The largest absolute value of a mean or of a finite end of an interval; its square does not overflow.
const LARGEST: f64 = 1e100;

/// Why a prediction is invalid.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum AnswerError {
    /// A list has the wrong length.
    #[error("{what} are {found} numbers, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// A number is out of range.
    #[error("{what} hold {value:?} at {index}, expected {expected}")]
    Value {
        /// The list.
        what: &'static str,
        /// The index in the list.
        index: usize,
        /// The value found.
        value: f64,
        /// The values that are allowed.
        expected: &'static str,
    },
    /// An interval ends before it begins.
    #[error("row {row} has an interval from {lower:?} to {upper:?}, expected no upper end below its lower end")]
    Crossed {
        /// The row.
        row: usize,
        /// The lower end.
        lower: f64,
        /// The upper end.
        upper: f64,
    },
    /// A covariance differs from its transpose.
    #[error("the covariance of rows {row} and {col} is {value:?} in one order and {transposed:?} in the other")]
    Asymmetric {
        /// The first row.
        row: usize,
        /// The second row.
        col: usize,
        /// Their covariance.
        value: f64,
        /// The transposed covariance.
        transposed: f64,
    },
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), AnswerError> {
    if found == expected { Ok(()) } else { Err(AnswerError::Length { what, found, expected }) }
}

fn each(
    what: &'static str,
    values: impl IntoIterator<Item = f64>,
    passes: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<(), AnswerError> {
    match values.into_iter().enumerate().find(|&(_, value)| !passes(value)) {
        Some((index, value)) => Err(AnswerError::Value { what, index, value, expected }),
        None => Ok(()),
    }
}

fn spread(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}

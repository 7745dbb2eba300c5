//! Errors of shifts and their data.

use jointly_core::image_shape::ImageShapeError;
use thiserror::Error;

use crate::shift::input::Input;

/// Invalid data or an invalid shift.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShiftError {
    /// An image has a side or a number of channels that is not allowed.
    #[error(transparent)]
    Shape(#[from] ImageShapeError),
    /// The number of given values does not fill an image.
    #[error("the image needs {expected} values, not {found}")]
    Length {
        /// Number of values that fill the image.
        expected: usize,
        /// Number of given values.
        found: usize,
    },
    /// A value of an image is outside [0, 1].
    #[error("value {index} of the image is {value}, not within 0 and 1: divide bytes by 255")]
    Value {
        /// The value's index, row by row with channels last.
        index: usize,
        /// The value.
        value: f64,
    },
    /// No shift has this name.
    #[error("there is no shift {name:?}: {remedy}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The name that was probably meant, or all names if none is similar.
        remedy: String,
    },
    /// A severity is missing from a shift's name or is not a number.
    #[error("{text:?} is no shift and severity: write them as rotation/45 or gaussian-noise/3")]
    Level {
        /// The requested text.
        text: String,
    },
    /// The shift does not have this severity.
    #[error("{shift} has no severity {severity}: it takes {expected}")]
    Severity {
        /// The shift.
        shift: &'static str,
        /// The requested severity.
        severity: f64,
        /// The severities that the shift accepts.
        expected: &'static str,
    },
    /// The shift is for another kind of data.
    #[error("{shift} shifts {shifts}, not {found}")]
    Input {
        /// The shift.
        shift: &'static str,
        /// The kind of data that it shifts.
        shifts: Input,
        /// The kind of data that it was given.
        found: Input,
    },
    /// A table has another number of columns than the training rows.
    #[error("the rows have {found} columns, but the training rows had {expected}")]
    Columns {
        /// Columns of the training rows.
        expected: usize,
        /// Columns of the rows to shift.
        found: usize,
    },
    /// No training rows from which to compute column statistics.
    #[error("the columns of no rows have no mean: give at least one training row")]
    NoRows,
    /// A number of a table is, or becomes, larger than an `f32` can hold.
    #[error("row {row}, column {col} is not finite once shifted: use a lower severity or mend the row")]
    NotFinite {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        col: usize,
    },
    /// A token is not in the vocabulary.
    #[error("token {token} at {index} is not below the vocabulary's size, {vocabulary}")]
    Token {
        /// The index of the token.
        index: usize,
        /// The token.
        token: u32,
        /// The number of tokens in the vocabulary.
        vocabulary: u32,
    },
}

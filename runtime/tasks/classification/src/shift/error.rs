//! Why data cannot be shifted, and what to do about it.

use jointly_core::image_shape::ImageShapeError;
use thiserror::Error;

use crate::shift::input::Input;

/// Data, or a shift, that is not as it must be.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShiftError {
    /// An image has a side or a number of channels that no image here has.
    #[error(transparent)]
    Shape(#[from] ImageShapeError),
    /// The values given do not fill an image.
    #[error("the image needs {expected} values, not {found}")]
    Length {
        /// Values that fill the image.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A value of an image is outside [0, 1].
    #[error("value {index} of the image is {value}, not within 0 and 1: divide bytes by 255")]
    Value {
        /// The value's place, row by row and channels last.
        index: usize,
        /// The value.
        value: f64,
    },
    /// There is no shift of that name.
    #[error("there is no shift {name:?}: {remedy}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The name that was probably meant, or, where none is near, all names.
        remedy: String,
    },
    /// A severity is missing from a shift's name or is no number.
    #[error("{text:?} is no shift and severity: write them as rotation/45 or gaussian-noise/3")]
    Level {
        /// What was asked for.
        text: String,
    },
    /// A severity that the shift does not have.
    #[error("{shift} has no severity {severity}: it takes {expected}")]
    Severity {
        /// The shift.
        shift: &'static str,
        /// What was asked for.
        severity: f64,
        /// What it takes.
        expected: &'static str,
    },
    /// A shift of one kind of data is asked of another.
    #[error("{shift} shifts {shifts}, not {found}")]
    Input {
        /// The shift.
        shift: &'static str,
        /// What it shifts.
        shifts: Input,
        /// What it was given.
        found: Input,
    },
    /// A table has other columns than those it was measured against.
    #[error("the rows have {found} columns, but the training rows had {expected}")]
    Columns {
        /// Columns of the training rows.
        expected: usize,
        /// Columns of the rows to shift.
        found: usize,
    },
    /// There are no training rows to measure.
    #[error("the columns of no rows have no mean: give at least one training row")]
    NoRows,
    /// A number of a table is, or becomes, more than an `f32` holds.
    #[error("row {row}, column {col} is not finite once shifted: use a lower severity or mend the row")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        col: usize,
    },
    /// A token is none of the vocabulary.
    #[error("token {token} at {index} is not below the vocabulary's size, {vocabulary}")]
    Token {
        /// The token's place.
        index: usize,
        /// The token.
        token: u32,
        /// The number of tokens that there are.
        vocabulary: u32,
    },
}

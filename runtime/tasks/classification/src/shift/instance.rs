//! A problem's data under one seed, and its test inputs after a shift.

use jointly_core::tokens::{PADDING, TokenMatrix, Tokens};
use jointly_core::{Dataset, ImageShape, Inputs, Matrix, Seed, Task};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::error::ShiftError;
use super::level::ShiftLevel;
use super::pixels::Pixels;
use super::table::Columns;
use crate::shift::input::Input;
use crate::shift::level::Shift;

/// The training, test and out-of-distribution data of a problem.
///
/// Problems of dataset shift have no inputs without labels: every row is for training, for the agent's own use or for
/// testing.
#[derive(Clone, Debug)]
pub struct ShiftInstance {
    /// The description of the task that agents receive.
    pub task: Task,
    /// The training examples.
    pub train: Dataset,
    /// Further examples, for the agent's own use.
    pub validation: Dataset,
    /// The test examples, before any shift.
    pub test: Dataset,
    /// Sets of out-of-distribution inputs by origin; may be empty.
    pub outsiders: Vec<Outsiders>,
    pub(super) seed: Seed,
    /// The problem's [stream name](super::ShiftProblem::stream_name).
    pub(super) name: String,
}

/// A set of out-of-distribution inputs, which belong to none of the classes.
#[derive(Clone, Debug)]
pub struct Outsiders {
    /// The origin of the inputs, in kebab case: a dataset, `held-out-class`, `letters-and-scribbles` or `odd-classes`.
    pub name: String,
    /// The inputs.
    pub inputs: Inputs,
}

/// Returns whether a shift applies to the inputs of a task and changes them.
pub(super) fn changes(task: &Task, shift: Shift) -> bool {
    match (shift.input(), task.image) {
        (Input::Image, Some(shape)) => shape.channels() == 3 || shift.changes_grey(),
        (Input::Image, None) => false,
        (Input::Table, image) => image.is_none() && task.input_dim > 0,
        (Input::Tokens, _) => task.tokens != Tokens::Absent,
    }
}

impl ShiftInstance {
    /// Returns the test inputs under a shift.
    ///
    /// Row i of images and tokens is shifted with the [stream](ShiftLevel::stream) of index i, a whole table with that
    /// of index 0; so a row does not depend on the other rows. Images are [shifted one by one](ShiftLevel::apply). A
    /// table is shifted relative to the columns of its training rows. In a text, each word may be replaced by any word
    /// or the unknown one, and the padding stays; a category may be replaced by one of its own column.
    ///
    /// # Errors
    /// When the inputs have no data of the shift's kind, or a number becomes larger than an `f32` can hold.
    ///
    /// # Panics
    /// Never: a shift keeps the number of rows.
    pub fn shifted(&self, level: &ShiftLevel) -> Result<Inputs, ShiftError> {
        let inputs = self.test.inputs();
        let (numbers, tokens) = match (level.shift().input(), self.task.image) {
            (Input::Image, Some(shape)) => (self.images(level, shape)?, inputs.tokens().clone()),
            (Input::Table, None) if self.task.input_dim > 0 => (self.table(level)?, inputs.tokens().clone()),
            (Input::Tokens, _) if self.task.tokens != Tokens::Absent => (inputs.numbers().clone(), self.tokens(level)?),
            (shifts, image) => {
                let found = match (image, self.task.input_dim) {
                    (Some(_), _) => Input::Image,
                    (None, 0) => Input::Tokens,
                    (None, _) => Input::Table,
                };
                return Err(ShiftError::Input { shift: level.shift().name(), shifts, found });
            }
        };
        Ok(Inputs::new(numbers, tokens).unwrap_or_else(|_| unreachable!("shifts keep the number of rows")))
    }

    fn images(&self, level: &ShiftLevel, shape: ImageShape) -> Result<Matrix, ShiftError> {
        let numbers = self.test.inputs().numbers();
        if level.severity() == 0.0 {
            return Ok(numbers.clone());
        }
        // Each image has its own random stream, so that threads change no bit.
        let shifted = |row: usize| {
            let image = Pixels::new(shape, numbers.row(row).iter().map(|&x| f64::from(x)).collect())?;
            let shifted = level.apply(&image, &mut level.stream(self.seed, &self.name, row as u64))?;
            Ok(shifted.values().iter().map(|&x| x as f32).collect())
        };
        let images: Vec<Result<Vec<f32>, ShiftError>> = (0..numbers.rows()).into_par_iter().map(shifted).collect();
        let mut values = Vec::with_capacity(numbers.values().len());
        for image in images {
            values.extend(image?);
        }
        Ok(Matrix::from_rows(numbers.cols(), values))
    }

    fn table(&self, level: &ShiftLevel) -> Result<Matrix, ShiftError> {
        let columns = Columns::of(self.train.inputs().numbers())?;
        let mut stream = level.stream(self.seed, &self.name, 0);
        level.apply_to_table(self.test.inputs().numbers(), &columns, &mut stream)
    }

    fn tokens(&self, level: &ShiftLevel) -> Result<TokenMatrix, ShiftError> {
        let tokens = self.test.inputs().tokens();
        let mut values = Vec::with_capacity(tokens.values().len());
        for row in 0..tokens.rows() {
            let mut stream = level.stream(self.seed, &self.name, row as u64);
            match &self.task.tokens {
                Tokens::Text { vocabulary, .. } => {
                    // Only the words, numbered from 0 without the padding.
                    let words: Vec<u32> =
                        tokens.row(row).iter().filter(|&&id| id != PADDING).map(|&id| id - 1).collect();
                    let mut words = level.apply_to_tokens(&words, vocabulary - 1, &mut stream)?.into_iter();
                    let word = |&id: &u32| if id == PADDING { id } else { words.next().map_or(id, |word| word + 1) };
                    values.extend(tokens.row(row).iter().map(word));
                }
                categories => {
                    for (col, &id) in tokens.row(row).iter().enumerate() {
                        values.extend(level.apply_to_tokens(&[id], categories.size(col), &mut stream)?);
                    }
                }
            }
        }
        Ok(TokenMatrix::new(tokens.rows(), tokens.cols(), values).expect("a token for a token"))
    }
}

//! Inputs of any kind, images, texts and categories beside numbers, and what an agent is that classifies them.

use thiserror::Error;

use crate::ImageShape;
use crate::dataset::MAX_CLASSES;
use crate::matrix::Matrix;

/// What an input's tokens are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// There are none.
    Absent,
    /// The words of a text, in order; id [`PADDING`] fills up a short text, id [`UNKNOWN`] stands for every unknown word.
    Text {
        /// Ids are below this, which is at least 2.
        vocabulary: u32,
        /// Ids of a row.
        length: u32,
    },
    /// A category a column: the ids of column j are below element j.
    Categories(Vec<u32>),
}

/// The id that fills up a text.
pub const PADDING: u32 = 0;
/// The id of every word that is not in the vocabulary.
pub const UNKNOWN: u32 = 1;

/// What an agent knows before it sees any data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultimodalTask {
    /// Number of classes, from 2 to [`MAX_CLASSES`]; labels are 0 to `num_classes - 1`.
    pub num_classes: u32,
    /// Number of numbers of an input; 0 where tokens are all it has.
    pub numbers: u32,
    /// The picture that the numbers are, values from 0 to 1, if they are one.
    pub image: Option<ImageShape>,
    /// What the tokens of an input are.
    pub tokens: Tokens,
}

/// A dense row-major matrix of token ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMatrix {
    rows: usize,
    cols: usize,
    values: Vec<u32>,
}

/// Inputs: row i of the numbers and row i of the tokens are one input. What there is none of has no columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    numbers: Matrix,
    tokens: TokenMatrix,
}

/// Labelled examples; there may be none.
#[derive(Clone, Debug, PartialEq)]
pub struct MultimodalDataset {
    inputs: Inputs,
    labels: Vec<u32>,
}

/// Why inputs and labels are not what a task says.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MultimodalError {
    /// Ids do not fill a matrix.
    #[error("{values} ids do not fill {rows} rows of {cols}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// Ids given.
        values: usize,
    },
    /// Numbers, tokens and labels are not of as many inputs.
    #[error("{numbers} rows of numbers and {tokens} of tokens, expected as many")]
    Rows {
        /// Rows of numbers.
        numbers: usize,
        /// Rows of tokens, or labels.
        tokens: usize,
    },
    /// There are other columns than the task says.
    #[error("{found} columns of {what}, expected {expected}")]
    Columns {
        /// Numbers or tokens.
        what: &'static str,
        /// Columns given.
        found: usize,
        /// Those of the task.
        expected: usize,
    },
    /// A number is infinite or not a number.
    #[error("number {col} of row {row} is not finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// The column.
        col: usize,
    },
    /// A token is none of its vocabulary.
    #[error("token {token} at column {col} of row {row} is not below {size}")]
    Token {
        /// The row.
        row: usize,
        /// The column.
        col: usize,
        /// The token.
        token: u32,
        /// The size of the vocabulary.
        size: u32,
    },
    /// A label names no class.
    #[error("label {label} of row {row} is not below the number of classes, {num_classes}")]
    Label {
        /// The row.
        row: usize,
        /// Its label.
        label: u32,
        /// The number of classes.
        num_classes: u32,
    },
}

impl Tokens {
    /// Tokens of an input.
    pub fn columns(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { length, .. } => *length as usize,
            Self::Categories(sizes) => sizes.len(),
        }
    }

    /// What the ids of a column are below.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn size(&self, col: usize) -> u32 {
        match self {
            Self::Absent => panic!("no column {col} of no tokens"),
            Self::Text { vocabulary, .. } => *vocabulary,
            Self::Categories(sizes) => sizes[col],
        }
    }
}

impl MultimodalTask {
    /// Checks that inputs are what the task says.
    ///
    /// # Errors
    /// When there are other columns, a number is not finite, or a token is not below its vocabulary's size.
    pub fn check(&self, inputs: &Inputs) -> Result<(), MultimodalError> {
        let columns = [
            ("numbers", inputs.numbers.cols(), self.numbers as usize),
            ("tokens", inputs.tokens.cols(), self.tokens.columns()),
        ];
        if let Some((what, found, expected)) = columns.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(MultimodalError::Columns { what, found, expected });
        }
        if let Some(index) = inputs.numbers.values().iter().position(|value| !value.is_finite()) {
            let cols = inputs.numbers.cols();
            return Err(MultimodalError::NotFinite { row: index / cols, col: index % cols });
        }
        for row in 0..inputs.rows() {
            let ids = inputs.tokens.row(row).iter().enumerate();
            if let Some((col, &token)) = ids.into_iter().find(|&(col, &token)| token >= self.tokens.size(col)) {
                return Err(MultimodalError::Token { row, col, token, size: self.tokens.size(col) });
            }
        }
        Ok(())
    }
}

impl TokenMatrix {
    /// A matrix of ids, row after row.
    ///
    /// # Errors
    /// When there are not `rows * cols` of them.
    pub fn new(rows: usize, cols: usize, values: Vec<u32>) -> Result<Self, MultimodalError> {
        if rows.checked_mul(cols) == Some(values.len()) {
            Ok(Self { rows, cols, values })
        } else {
            Err(MultimodalError::Shape { rows, cols, values: values.len() })
        }
    }

    /// So many rows of no columns.
    pub fn absent(rows: usize) -> Self {
        Self { rows, cols: 0, values: Vec::new() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All ids, row after row.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Row `i`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Those rows, in that order.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { rows: rows.len(), cols: self.cols, values }
    }
}

impl Inputs {
    /// Joins numbers and tokens.
    ///
    /// # Errors
    /// When they have not as many rows.
    pub fn new(numbers: Matrix, tokens: TokenMatrix) -> Result<Self, MultimodalError> {
        if numbers.rows() == tokens.rows() {
            Ok(Self { numbers, tokens })
        } else {
            Err(MultimodalError::Rows { numbers: numbers.rows(), tokens: tokens.rows() })
        }
    }

    /// Number of inputs.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }

    /// The numbers of each input.
    pub fn numbers(&self) -> &Matrix {
        &self.numbers
    }

    /// The tokens of each input.
    pub fn tokens(&self) -> &TokenMatrix {
        &self.tokens
    }

    /// Those inputs, in that order.
    ///
    /// # Panics
    /// When there is no such input.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { numbers: self.numbers.select(rows), tokens: self.tokens.select(rows) }
    }
}

impl From<Matrix> for Inputs {
    fn from(numbers: Matrix) -> Self {
        let tokens = TokenMatrix::absent(numbers.rows());
        Self { numbers, tokens }
    }
}

impl MultimodalDataset {
    /// Joins inputs and labels.
    ///
    /// # Errors
    /// When the inputs are not what the [task says](MultimodalTask::check), there is not one label for each, or one is no
    /// class.
    pub fn new(task: &MultimodalTask, inputs: Inputs, labels: Vec<u32>) -> Result<Self, MultimodalError> {
        task.check(&inputs)?;
        if inputs.rows() != labels.len() {
            return Err(MultimodalError::Rows { numbers: inputs.rows(), tokens: labels.len() });
        }
        match labels.iter().position(|&label| label >= task.num_classes.min(MAX_CLASSES)) {
            None => Ok(Self { inputs, labels }),
            Some(row) => Err(MultimodalError::Label { row, label: labels[row], num_classes: task.num_classes }),
        }
    }

    /// One row an example.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Those examples, in that order.
    ///
    /// # Panics
    /// When there is no such example.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { inputs: self.inputs.select(rows), labels: rows.iter().map(|&row| self.labels[row]).collect() }
    }
}

/// An agent that learns to predict class probabilities of inputs of any kind.
pub trait MultimodalClassifier {
    /// What training leaves.
    type Model: MultimodalModel<Error = Self::Error>;
    /// Why an agent fails.
    type Error;

    /// Learns from the data; the result depends on the arguments and on nothing else.
    ///
    /// # Errors
    /// When the agent refuses the task, gives up or breaks its contract.
    fn train(
        &mut self,
        task: &MultimodalTask,
        train: &MultimodalDataset,
        validation: Option<&MultimodalDataset>,
        seed: u64,
    ) -> Result<Self::Model, Self::Error>;
}

/// A trained agent: a belief over functions from an input to class probabilities, named by draws as those of a
/// [`Model`](crate::Model).
pub trait MultimodalModel {
    /// Why an agent fails.
    type Error;

    /// For each draw, the draw that stands for all that name the same function.
    ///
    /// # Errors
    /// When the agent fails or answers with another number of draws.
    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error>;

    /// Class probabilities of K classes: element (m, t, k) is at `(m * inputs.rows() + t) * K + k`.
    ///
    /// The implementor has checked the answer: of the right length, each row finite, in [0, 1] and of sum 1 within
    /// 1e-4.
    ///
    /// # Errors
    /// When the agent fails or its answer does not pass the check.
    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> MultimodalTask {
        MultimodalTask { num_classes: 3, numbers: 2, image: None, tokens: Tokens::Categories(vec![2, 5]) }
    }

    fn inputs(tokens: &[u32]) -> Inputs {
        let numbers = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        Inputs::new(numbers, TokenMatrix::new(2, 2, tokens.to_vec()).unwrap()).unwrap()
    }

    #[test]
    fn what_fits_the_task_is_a_dataset() {
        let dataset = MultimodalDataset::new(&task(), inputs(&[1, 4, 0, 3]), vec![2, 0]).unwrap();
        let other = dataset.select(&[1, 0]);
        assert_eq!((other.labels(), other.inputs().tokens().values()), (&[0, 2][..], &[0, 3, 1, 4][..]));
        assert_eq!(other.inputs().numbers().values(), [2.0, 3.0, 0.0, 1.0]);
    }

    #[test]
    fn what_does_not_is_named() {
        let refusal = |tokens: &[u32], labels: &[u32]| {
            MultimodalDataset::new(&task(), inputs(tokens), labels.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(refusal(&[0, 4, 2, 3], &[2, 0]), "token 2 at column 0 of row 1 is not below 2");
        assert_eq!(refusal(&[0, 4, 1, 3], &[2, 3]), "label 3 of row 1 is not below the number of classes, 3");
        assert_eq!(refusal(&[0, 4, 1, 3], &[2]), "2 rows of numbers and 1 of tokens, expected as many");
        let numbers = Inputs::from(Matrix::new(1, 2, vec![0.0, f32::NAN]).unwrap());
        assert_eq!(task().check(&numbers).unwrap_err().to_string(), "0 columns of tokens, expected 2");
        let plain = MultimodalTask { tokens: Tokens::Absent, ..task() };
        assert_eq!(plain.check(&numbers).unwrap_err().to_string(), "number 1 of row 0 is not finite");
    }
}

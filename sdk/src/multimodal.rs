//! Agents that classify inputs of any kind: images, texts, categories beside numbers.

use crate::{Description, Failure, Matrix, Setting};

/// The size of a picture, whose values lie row after row, pixel after pixel, channel after channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// Numbers a pixel: 1 of grey, 3 of red, green and blue.
    pub channels: usize,
}

/// What an input's tokens are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// There are none.
    Absent,
    /// The words of a text, in order; id 0 fills up a short text, id 1 stands for every word that is not known.
    Text {
        /// Ids are below this.
        vocabulary: u32,
        /// Ids of a row.
        length: usize,
    },
    /// A category a column: the ids of column j are below element j.
    Categories(Vec<u32>),
}

/// What is known before any data is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct MultimodalTask {
    /// Number of classes, at least 2.
    pub num_classes: usize,
    /// Number of numbers of an input; 0 where tokens are all it has.
    pub numbers: usize,
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

impl TokenMatrix {
    /// A matrix of `rows * cols` ids, row after row; `None` where their number is another.
    pub fn new(rows: usize, cols: usize, values: Vec<u32>) -> Option<Self> {
        (rows.checked_mul(cols) == Some(values.len())).then_some(Self { rows, cols, values })
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
    ///
    /// Where there is no such row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}

/// Inputs: row `i` of the numbers and row `i` of the tokens are one input. What a task has none of has no columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// The numbers of each input.
    pub numbers: Matrix,
    /// The tokens of each input, as many rows.
    pub tokens: TokenMatrix,
}

impl Inputs {
    /// Number of inputs.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }
}

/// Labelled examples: row `i` of the inputs has class `labels[i]`, below the task's number of classes.
#[derive(Clone, Debug)]
pub struct MultimodalDataset {
    /// One row an example; may have no rows.
    pub inputs: Inputs,
    /// The class of each row.
    pub labels: Vec<u32>,
}

/// A method that learns to classify inputs of any kind; a value of the type is a trained agent, a belief over functions.
pub trait MultimodalClassifier: Sized + 'static {
    /// What the agent says of itself: the same at every call.
    fn describe() -> Description;

    /// Learns from the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn train(
        task: &MultimodalTask,
        data: &MultimodalDataset,
        validation: Option<&MultimodalDataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    /// Class probabilities of the functions that the draws name, at every row: `out[(m * rows + t) * num_classes + k]`.
    ///
    /// A draw names the same function in every call, whatever the other rows and draws are. Draws 0, 1, 2, ... are a sample
    /// from the agent's belief.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>;

    /// A draw that names the same function: override it where functions repeat, so that each is asked for once.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }
}

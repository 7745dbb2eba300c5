//! The information that a classifier has before any data.

/// The information that a classifier has before any data.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Number of numeric features of an input; 0 if an input consists of tokens only.
    pub input_dim: usize,
    /// Number of classes, at least 2.
    pub num_classes: usize,
    /// The shape of the image that the numbers form, with values from 0 to 1; `None` if they are no image.
    pub image: Option<ImageShape>,
    /// The kind of the tokens of an input.
    pub tokens: Tokens,
    /// Temperature of the environment's softmax if it is known; a low temperature is a strong signal.
    pub temperature: Option<f32>,
    /// Number of hidden layers of the environment's network if it is known.
    pub hidden_layers: Option<u32>,
}

impl Task {
    /// Returns the task of classifying rows of plain numbers, without further information about the environment.
    pub fn new(input_dim: usize, num_classes: usize) -> Self {
        Self { input_dim, num_classes, image: None, tokens: Tokens::Absent, temperature: None, hidden_layers: None }
    }
}

/// The size of an image. Its values are stored row after row, pixel after pixel, channel after channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// Numbers per pixel: 1 for grey, 3 for red, green and blue.
    pub channels: usize,
}

/// The kind of the tokens of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Inputs have no tokens.
    Absent,
    /// The words of a text, in order; id 0 pads a short text, id 1 stands for every unknown word.
    Text {
        /// Number of word ids; every id is below this.
        vocabulary: u32,
        /// Number of ids in a row.
        length: usize,
    },
    /// One category per column: every id of column j is below element j.
    Categories(Vec<u32>),
}

impl Tokens {
    /// Returns the number of tokens of an input.
    pub fn columns(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { length, .. } => *length,
            Self::Categories(sizes) => sizes.len(),
        }
    }

    /// Returns whether every id of a row is in its vocabulary.
    pub fn contain(&self, row: &[u32]) -> bool {
        match self {
            Self::Absent => row.is_empty(),
            Self::Text { vocabulary, .. } => row.iter().all(|id| id < vocabulary),
            Self::Categories(sizes) => row.iter().zip(sizes).all(|(id, size)| id < size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    #[test]
    fn ids_are_held_to_their_vocabulary() {
        let text = Tokens::Text { vocabulary: 3, length: 2 };
        assert_eq!((text.columns(), text.contain(&[0, 2]), text.contain(&[0, 3])), (2, true, false));
        let categories = Tokens::Categories(vec![2, 4, 1]);
        assert_eq!(categories.columns(), 3);
        assert!(categories.contain(&[1, 3, 0]) && !categories.contain(&[2, 0, 0]) && !categories.contain(&[0, 0, 1]));
        assert!(Tokens::Absent.columns() == 0 && Tokens::Absent.contain(&[]) && !Tokens::Absent.contain(&[0]));
    }
}

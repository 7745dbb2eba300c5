//! What the settings ask for.

use jointly_sdk::{SettingValue, choices};

choices! {
    /// What kind of network reads the inputs.
    #[derive(Default)]
    pub enum Architecture {
        /// Embeddings where there are tokens, otherwise dense layers.
        #[default]
        Auto = "auto",
        /// Dense layers on numbers, or on the pixels of an image.
        Mlp = "mlp",
        /// Convolutions on an image.
        Lenet = "lenet",
        /// Embeddings of words or categories, and numbers beside them.
        Embedding = "embedding",
    }
}

/// A setting that is left to the task, or given.
#[derive(Clone, Debug, PartialEq)]
pub struct Auto<T>(pub Option<T>);

impl<T: SettingValue> SettingValue for Auto<T> {
    fn expected() -> String {
        format!("auto, or {}", T::expected())
    }

    fn parse_value(text: &str) -> Option<Self> {
        match text.trim() {
            "auto" => Some(Self(None)),
            text => T::parse_value(text).map(|value| Self(Some(value))),
        }
    }
}

/// What network is wanted, and how it is trained.
#[derive(Clone, Debug)]
pub struct Design {
    /// What kind of network.
    pub network: Architecture,
    /// Widths of the hidden dense layers, where they are given.
    pub hidden: Option<Vec<usize>>,
    /// Filters of each convolution of a LeNet.
    pub filters: Vec<usize>,
    /// Numbers that stand for a word or a category, where it is given.
    pub embedding_width: Option<usize>,
    /// Passes over the examples, where they are given.
    pub epochs: Option<usize>,
    /// Examples in a batch; the last batch of a pass is what is left.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
}

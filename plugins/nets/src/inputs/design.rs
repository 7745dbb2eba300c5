//! The parts of a network and its training that settings determine; settings that are `auto` are left to the task.

use std::ops::Deref;

use jointly_sdk::{Failure, SettingValue, Task, Tokens, choices};

use crate::Penalty;

choices! {
    /// The kind of network that reads the inputs.
    #[derive(Default)]
    pub enum Architecture {
        /// Embeddings if there are tokens, otherwise dense layers.
        #[default]
        Auto = "auto",
        /// Dense layers on numbers, or on the pixels of an image.
        Mlp = "mlp",
        /// Convolutions on an image.
        Lenet = "lenet",
        /// Twenty layers of convolutions with shortcuts on an image.
        Resnet20 = "resnet20",
        /// Embeddings of words or categories, with numbers beside them.
        Embedding = "embedding",
        /// A long short-term memory over the embeddings of the words of a text.
        Lstm = "lstm",
    }
}

/// The sort of a task's inputs, which determines the settings that are `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Rows of plain numbers.
    Numbers,
    /// Numbers that form an image.
    Image,
    /// Texts.
    Text,
    /// Categories, with or without numbers.
    Categories,
}

impl Sort {
    /// Returns the sort of a task's inputs.
    pub fn of(task: &Task) -> Self {
        match (&task.tokens, task.image) {
            (Tokens::Absent, None) => Self::Numbers,
            (Tokens::Absent, Some(_)) => Self::Image,
            (Tokens::Text { .. }, _) => Self::Text,
            (Tokens::Categories(_), _) => Self::Categories,
        }
    }

    /// Returns `numbers` for plain numbers, otherwise `others`.
    pub fn choose<T>(self, numbers: T, others: T) -> T {
        if self == Self::Numbers { numbers } else { others }
    }
}

/// A setting with a given value, or `None` for the value that suits the task.
#[derive(Clone, Debug, PartialEq)]
pub struct Auto<T>(pub Option<T>);

impl<T: Deref<Target: Copy>> Auto<T> {
    /// Returns the given value, or else `of_task`.
    pub fn or(&self, of_task: T::Target) -> T::Target {
        self.0.as_deref().copied().unwrap_or(of_task)
    }
}

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

/// The length of a network's training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Steps of the optimiser.
    Steps(usize),
    /// Passes over the examples.
    Epochs(usize),
}

/// Default passes over images and texts, and over rows of categories. Embeddings of rare categories memorise their
/// examples, so networks on categories train for one pass, as is usual for click data.
const EPOCHS: Length = Length::Epochs(20);
const EPOCHS_OF_CATEGORIES: Length = Length::Epochs(1);

/// Default steps on plain numbers.
const STEPS: Length = Length::Steps(1000);

impl Length {
    /// Returns the length of training from two settings of which at most one may be given; if neither is, the default
    /// of the task.
    ///
    /// # Errors
    ///
    /// Fails if both are given.
    pub fn new(steps: Option<usize>, epochs: Option<usize>, sort: Sort) -> Result<Self, Failure> {
        match (steps, epochs) {
            (Some(steps), Some(epochs)) => Err(Failure::InvalidSetting(format!(
                "steps={steps} and epochs={epochs} are two lengths of the training: leave one at auto"
            ))),
            (Some(steps), None) => Ok(Self::Steps(steps)),
            (None, Some(epochs)) => Ok(Self::Epochs(epochs)),
            (None, None) => Ok(match sort {
                Sort::Numbers => STEPS,
                Sort::Image | Sort::Text => EPOCHS,
                Sort::Categories => EPOCHS_OF_CATEGORIES,
            }),
        }
    }

    /// Returns the number of steps on `examples` examples in minibatches of `batch_size`.
    pub fn steps(self, examples: usize, batch_size: usize) -> usize {
        match self {
            Self::Steps(steps) => steps,
            Self::Epochs(epochs) => epochs.saturating_mul(examples.div_ceil(batch_size)),
        }
    }
}

/// The wanted network for a task, and how it is trained.
#[derive(Clone, Debug)]
pub struct Design {
    /// The kind of network.
    pub network: Architecture,
    /// Widths of the hidden dense layers, if given.
    pub hidden: Option<Vec<usize>>,
    /// Filters of each convolution of a LeNet.
    pub filters: Vec<usize>,
    /// Numbers per embedding of a word or a category, if given.
    pub embedding_width: Option<usize>,
    /// Units of an LSTM.
    pub units: usize,
    /// The length of training.
    pub length: Length,
    /// Examples per minibatch.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
    /// The penalty on the squares of the network's parameters; embedding tables have no penalty.
    pub penalty: Penalty,
}

impl Design {
    /// Returns the design for an agent that is uncertain about every layer, or drops units of every layer; `what` says
    /// so.
    ///
    /// # Errors
    ///
    /// Fails if the network is a ResNet, whose convolutions are a point estimate.
    pub fn with_uncertain_convolutions(self, what: &str) -> Result<Self, Failure> {
        if self.network == Architecture::Resnet20 {
            return Err(Failure::InvalidSetting(format!(
                "network=resnet20 has one estimate of its convolutions and their batch normalisation, and {what}: use \
                 network=lenet, or resnet20 with mlp, temperature-scaling, ensemble, ll-dropout or ll-svi"
            )));
        }
        Ok(self)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use jointly_sdk::Count;

    use super::*;

    /// Returns a design that leaves to the task whatever can be left to it.
    pub(in crate::inputs) fn design() -> Design {
        Design {
            network: Architecture::Auto,
            hidden: None,
            filters: vec![3, 5],
            embedding_width: None,
            units: 32,
            length: EPOCHS,
            batch_size: 16,
            learning_rate: 1e-3,
            penalty: Penalty::NONE,
        }
    }

    #[test]
    fn what_is_given_holds_and_the_rest_is_told_by_the_task() {
        let value = |text: &str| Auto::<Count>::parse_value(text).unwrap().or(7);
        assert_eq!((value("auto"), value("3")), (7, 3));
        assert_eq!(Auto::<Count>::parse_value("0"), None);
        let images = Sort::Image;
        assert_eq!(Length::new(None, None, Sort::Numbers), Ok(Length::Steps(1000)));
        assert_eq!(Length::new(None, None, images), Ok(Length::Epochs(20)));
        assert_eq!(Length::new(None, None, Sort::Categories), Ok(Length::Epochs(1)));
        assert_eq!(Length::new(Some(5), None, images), Ok(Length::Steps(5)));
        assert_eq!(Length::new(None, Some(5), Sort::Numbers), Ok(Length::Epochs(5)));
        assert!(matches!(Length::new(Some(5), Some(5), images), Err(Failure::InvalidSetting(_))));
        assert_eq!((Length::Epochs(3).steps(101, 100), Length::Steps(3).steps(101, 100)), (6, 3));
    }
}

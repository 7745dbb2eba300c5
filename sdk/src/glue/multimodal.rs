//! A [`MultimodalClassifier`] as the interface `multimodal` wants it.

use std::marker::PhantomData;

use super::convert::{matrix, settings};
use crate::bindings::agent::jointly::agent::types as wit;
use crate::bindings::multimodal::exports::jointly::agent::multimodal;
use crate::{ImageShape, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, TokenMatrix, Tokens};

/// Implements the interface's export for an author's type.
pub struct MultimodalGlue<T>(PhantomData<T>);

/// The resource `model`: a trained agent and what its inputs must be.
pub struct MultimodalModel<T> {
    trained: T,
    task: MultimodalTask,
}

impl<T: MultimodalClassifier> multimodal::Guest for MultimodalGlue<T> {
    type Model = MultimodalModel<T>;

    fn train(
        task: multimodal::Task,
        train: multimodal::Dataset,
        validation: Option<multimodal::Dataset>,
        given: Vec<wit::Setting>,
        seed: u64,
    ) -> Result<multimodal::Model, wit::Failure> {
        super::report_panics();
        let task = MultimodalTask::from(task);
        let train = dataset(train, &task)?;
        let validation = validation.map(|validation| dataset(validation, &task)).transpose()?;
        let trained = T::train(&task, &train, validation.as_ref(), &settings(given), seed)?;
        Ok(multimodal::Model::new(MultimodalModel { trained, task }))
    }
}

impl<T: MultimodalClassifier> multimodal::GuestModel for MultimodalModel<T> {
    fn sample_probs(&self, given: multimodal::Inputs, draws: Vec<u64>) -> Result<Vec<f32>, wit::Failure> {
        let inputs = inputs(given, &self.task)?;
        let mut probs = vec![0.0; draws.len() * inputs.rows() * self.task.num_classes];
        self.trained.sample_probs(&inputs, &draws, &mut probs)?;
        Ok(probs)
    }

    fn canonical_draws(&self, draws: Vec<u64>) -> Vec<u64> {
        draws.into_iter().map(|draw| self.trained.canonical_draw(draw)).collect()
    }
}

impl From<multimodal::Task> for MultimodalTask {
    fn from(task: multimodal::Task) -> Self {
        let image = |multimodal::Image { height, width, channels }| ImageShape {
            height: height as usize,
            width: width as usize,
            channels: channels as usize,
        };
        Self {
            num_classes: task.num_classes as usize,
            numbers: task.numbers as usize,
            image: task.image.map(image),
            tokens: match task.tokens {
                multimodal::Tokens::Absent => Tokens::Absent,
                multimodal::Tokens::Text(multimodal::Text { vocabulary, length }) => {
                    Tokens::Text { vocabulary, length: length as usize }
                }
                multimodal::Tokens::Categories(sizes) => Tokens::Categories(sizes),
            },
        }
    }
}

impl MultimodalTask {
    /// Tokens of an input.
    fn token_columns(&self) -> usize {
        match &self.tokens {
            Tokens::Absent => 0,
            Tokens::Text { length, .. } => *length,
            Tokens::Categories(sizes) => sizes.len(),
        }
    }

    /// Whether the ids of a row are below what they must be.
    fn knows(&self, row: &[u32]) -> bool {
        match &self.tokens {
            Tokens::Absent => true,
            Tokens::Text { vocabulary, .. } => row.iter().all(|id| id < vocabulary),
            Tokens::Categories(sizes) => row.iter().zip(sizes).all(|(id, size)| id < size),
        }
    }
}

/// Inputs as the task says that they are, so that an agent may index tables by their ids.
fn inputs(given: multimodal::Inputs, task: &MultimodalTask) -> Result<Inputs, wit::Failure> {
    let refuse = |reason: &str| wit::Failure::Internal(reason.into());
    let numbers = matrix(given.numbers)?;
    let multimodal::TokenMatrix { rows, cols, values } = given.tokens;
    let tokens = TokenMatrix::new(rows as usize, cols as usize, values)
        .ok_or_else(|| refuse("a matrix of tokens whose shape is not its size"))?;
    if numbers.rows() != tokens.rows() || numbers.cols() != task.numbers || tokens.cols() != task.token_columns() {
        return Err(refuse("inputs that are not the task's"));
    }
    if !(0..tokens.rows()).all(|row| task.knows(tokens.row(row))) {
        return Err(refuse("a token that is not in the vocabulary"));
    }
    Ok(Inputs { numbers, tokens })
}

fn dataset(dataset: multimodal::Dataset, task: &MultimodalTask) -> Result<MultimodalDataset, wit::Failure> {
    let inputs = inputs(dataset.inputs, task)?;
    let fits = inputs.rows() == dataset.labels.len();
    if fits && dataset.labels.iter().all(|label| (*label as usize) < task.num_classes) {
        return Ok(MultimodalDataset { inputs, labels: dataset.labels });
    }
    Err(wit::Failure::Internal("labels that are not one class for each row".into()))
}

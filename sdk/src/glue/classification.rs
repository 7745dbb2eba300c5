//! Adapts a classifier to the interface `classification`.

use std::marker::PhantomData;

use super::convert::{matrix, settings};
use super::learner::{Learner, Lesson};
use crate::bindings::agent::jointly::agent::types as wit;
use crate::bindings::classification::exports::jointly::agent::{classification, classification_parts};
use crate::{Dataset, ImageShape, Inputs, Task, TokenMatrix, Tokens};

/// Implements the interface's export for an author's type.
pub struct ClassificationGlue<L>(PhantomData<L>);

/// The resource `model`: a trained agent and the task that its inputs must match.
pub struct ClassificationModel<L> {
    trained: L,
    task: Task,
}

impl<L: Learner> classification::Guest for ClassificationGlue<L> {
    type Model = ClassificationModel<L>;

    fn train(
        task: classification::Task,
        train: classification::Dataset,
        validation: Option<classification::Dataset>,
        unlabelled: Option<classification::Inputs>,
        given: Vec<wit::Setting>,
        seed: u64,
    ) -> Result<classification::Model, wit::Failure> {
        let lesson = lesson(task, train, validation, unlabelled, given, seed)?;
        let task = lesson.task.clone();
        Ok(classification::Model::new(ClassificationModel { trained: L::learn(lesson)?, task }))
    }
}

impl<L: Learner> classification_parts::Guest for ClassificationGlue<L> {
    fn count(task: classification::Task, given: Vec<wit::Setting>) -> Result<Option<u32>, wit::Failure> {
        super::report_panics();
        Ok(L::parts(&task.into(), &settings(given))?)
    }

    fn train_part(
        task: classification::Task,
        train: classification::Dataset,
        validation: Option<classification::Dataset>,
        unlabelled: Option<classification::Inputs>,
        given: Vec<wit::Setting>,
        seed: u64,
        part: u32,
    ) -> Result<Vec<u8>, wit::Failure> {
        Ok(L::learn_part(lesson(task, train, validation, unlabelled, given, seed)?, part)?)
    }

    fn join(
        task: classification::Task,
        train: classification::Dataset,
        validation: Option<classification::Dataset>,
        unlabelled: Option<classification::Inputs>,
        given: Vec<wit::Setting>,
        seed: u64,
        parts: Vec<Vec<u8>>,
    ) -> Result<classification::Model, wit::Failure> {
        let lesson = lesson(task, train, validation, unlabelled, given, seed)?;
        let task = lesson.task.clone();
        Ok(classification::Model::new(ClassificationModel { trained: L::join(lesson, &parts)?, task }))
    }
}

/// Converts the arguments of a training and checks them against the task.
fn lesson(
    task: classification::Task,
    train: classification::Dataset,
    validation: Option<classification::Dataset>,
    unlabelled: Option<classification::Inputs>,
    given: Vec<wit::Setting>,
    seed: u64,
) -> Result<Lesson, wit::Failure> {
    super::report_panics();
    let task = Task::from(task);
    let data = dataset(train, &task)?;
    let validation = validation.map(|validation| dataset(validation, &task)).transpose()?;
    let unlabelled = unlabelled.map(|unlabelled| inputs(unlabelled, &task)).transpose()?;
    Ok(Lesson { task, data, validation, unlabelled, settings: settings(given), seed })
}

impl<L: Learner> classification::GuestModel for ClassificationModel<L> {
    fn sample_probs(&self, given: classification::Inputs, draws: Vec<u64>) -> Result<Vec<f32>, wit::Failure> {
        let inputs = inputs(given, &self.task)?;
        let mut probs = vec![0.0; draws.len() * inputs.rows() * self.task.num_classes];
        self.trained.sample_probs(&inputs, &draws, &mut probs)?;
        Ok(probs)
    }

    fn canonical_draws(&self, draws: Vec<u64>) -> Vec<u64> {
        draws.into_iter().map(|draw| self.trained.canonical_draw(draw)).collect()
    }
}

impl From<classification::Task> for Task {
    fn from(task: classification::Task) -> Self {
        let image = |classification::Image { height, width, channels }| ImageShape {
            height: height as usize,
            width: width as usize,
            channels: channels as usize,
        };
        Self {
            input_dim: task.input_dim as usize,
            num_classes: task.num_classes as usize,
            image: task.image.map(image),
            tokens: match task.tokens {
                classification::Tokens::Absent => Tokens::Absent,
                classification::Tokens::Text(classification::Text { vocabulary, length }) => {
                    Tokens::Text { vocabulary, length: length as usize }
                }
                classification::Tokens::Categories(sizes) => Tokens::Categories(sizes),
            },
            temperature: task.temperature,
            hidden_layers: task.hidden_layers,
        }
    }
}

/// Converts inputs and checks them against the task, so that an agent may index tables by their ids.
fn inputs(given: classification::Inputs, task: &Task) -> Result<Inputs, wit::Failure> {
    let refuse = |reason: &str| wit::Failure::Internal(reason.into());
    let numbers = matrix(given.numbers)?;
    let classification::TokenMatrix { rows, cols, values } = given.tokens;
    let tokens = TokenMatrix::new(rows as usize, cols as usize, values)
        .ok_or_else(|| refuse("a matrix of tokens whose shape is not its size"))?;
    if numbers.rows() != tokens.rows() || numbers.cols() != task.input_dim || tokens.cols() != task.tokens.columns() {
        return Err(refuse("inputs that are not the task's"));
    }
    if !(0..tokens.rows()).all(|row| task.tokens.contain(tokens.row(row))) {
        return Err(refuse("a token that is not in the vocabulary"));
    }
    Ok(Inputs { numbers, tokens })
}

fn dataset(dataset: classification::Dataset, task: &Task) -> Result<Dataset<Inputs>, wit::Failure> {
    let inputs = inputs(dataset.inputs, task)?;
    let fits = inputs.rows() == dataset.labels.len();
    if fits && dataset.labels.iter().all(|label| (*label as usize) < task.num_classes) {
        return Ok(Dataset { inputs, labels: dataset.labels });
    }
    Err(wit::Failure::Internal("labels that are not one class for each row".into()))
}

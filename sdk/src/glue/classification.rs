//! A [`Classifier`] as the interface `classification` wants it.

use std::marker::PhantomData;

use super::convert::{matrix, settings};
use crate::bindings::agent::jointly::agent::types as wit;
use crate::bindings::classification::exports::jointly::agent::classification;
use crate::{Classifier, Dataset, Task};

/// Implements the interface's export for an author's type.
pub struct ClassifierGlue<T>(PhantomData<T>);

/// The resource `model`: a trained agent and what is needed to size its answers.
pub struct ClassifierModel<T> {
    trained: T,
    num_classes: usize,
}

impl<T: Classifier> classification::Guest for ClassifierGlue<T> {
    type Model = ClassifierModel<T>;

    fn train(
        task: classification::Task,
        train: classification::Dataset,
        validation: Option<classification::Dataset>,
        given: Vec<wit::Setting>,
        seed: u64,
    ) -> Result<classification::Model, wit::Failure> {
        super::report_panics();
        let task = Task {
            input_dim: task.input_dim as usize,
            num_classes: task.num_classes as usize,
            temperature: task.temperature,
            hidden_layers: task.hidden_layers,
        };
        let train = dataset(train, task.num_classes)?;
        let validation = validation.map(|validation| dataset(validation, task.num_classes)).transpose()?;
        let trained = T::train(&task, &train, validation.as_ref(), &settings(given), seed)?;
        let num_classes = task.num_classes;
        Ok(classification::Model::new(ClassifierModel { trained, num_classes }))
    }
}

impl<T: Classifier> classification::GuestModel for ClassifierModel<T> {
    fn sample_probs(&self, inputs: wit::Matrix, draws: Vec<u64>) -> Result<Vec<f32>, wit::Failure> {
        let inputs = matrix(inputs)?;
        let mut probs = vec![0.0; draws.len() * inputs.rows() * self.num_classes];
        self.trained.sample_probs(&inputs, &draws, &mut probs)?;
        Ok(probs)
    }

    fn canonical_draws(&self, draws: Vec<u64>) -> Vec<u64> {
        draws.into_iter().map(|draw| self.trained.canonical_draw(draw)).collect()
    }
}

fn dataset(dataset: classification::Dataset, num_classes: usize) -> Result<Dataset, wit::Failure> {
    let inputs = matrix(dataset.inputs)?;
    let fits = inputs.rows() == dataset.labels.len();
    if fits && dataset.labels.iter().all(|label| (*label as usize) < num_classes) {
        return Ok(Dataset { inputs, labels: dataset.labels });
    }
    Err(wit::Failure::Internal("labels that are not one class for each row".into()))
}

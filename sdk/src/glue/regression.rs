//! Adapts a [`Regressor`] to the interface `regression`.

use std::marker::PhantomData;

use super::convert::{matrix, settings};
use crate::bindings::agent::jointly::agent::types as wit;
use crate::bindings::regression::exports::jointly::agent::regression;
use crate::{Bounds, RegressionTask, Regressor, Targets};

/// Implements the interface's export for an author's type.
pub struct RegressorGlue<T>(PhantomData<T>);

/// The resource `model`.
pub struct RegressorModel<T>(T);

impl<T: Regressor> regression::Guest for RegressorGlue<T> {
    type Model = RegressorModel<T>;

    fn train(
        task: regression::Task,
        train: regression::Dataset,
        validation: Option<regression::Dataset>,
        given: Vec<wit::Setting>,
        seed: u64,
    ) -> Result<regression::Model, wit::Failure> {
        super::report_panics();
        let task = RegressionTask { input_dim: task.input_dim as usize, noise_std: task.noise_std };
        let validation = validation.map(targets).transpose()?;
        let trained = T::train(&task, &targets(train)?, validation.as_ref(), &settings(given), seed)?;
        Ok(regression::Model::new(RegressorModel(trained)))
    }
}

impl<T: Regressor> regression::GuestModel for RegressorModel<T> {
    fn sample_functions(
        &self,
        inputs: wit::Matrix,
        draws: Vec<u64>,
    ) -> Result<regression::FunctionSamples, wit::Failure> {
        let samples = self.0.sample_functions(&matrix(inputs)?, &draws)?;
        Ok(regression::FunctionSamples { means: samples.means, noise_stds: samples.noise_stds })
    }

    fn canonical_draws(&self, draws: Vec<u64>) -> Vec<u64> {
        draws.into_iter().map(|draw| self.0.canonical_draw(draw)).collect()
    }

    fn gaussian(&self, inputs: wit::Matrix) -> Result<Option<regression::Gaussian>, wit::Failure> {
        let gaussian = self.0.gaussian(&matrix(inputs)?)?;
        Ok(gaussian.map(|gaussian| regression::Gaussian {
            mean: gaussian.mean,
            covariance: gaussian.covariance,
            noise_variance: gaussian.noise_variance,
        }))
    }

    fn intervals(&self, inputs: wit::Matrix, level: f64) -> Result<Option<regression::Intervals>, wit::Failure> {
        let bounds = |Bounds { lower, upper }| regression::Bounds { lower, upper };
        let intervals = self.0.intervals(&matrix(inputs)?, level)?;
        Ok(intervals.map(|intervals| regression::Intervals {
            confidence: intervals.confidence.map(bounds),
            prediction: bounds(intervals.prediction),
        }))
    }
}

fn targets(dataset: regression::Dataset) -> Result<Targets, wit::Failure> {
    let inputs = matrix(dataset.inputs)?;
    if inputs.rows() == dataset.targets.len() {
        return Ok(Targets { inputs, targets: dataset.targets });
    }
    Err(wit::Failure::Internal("targets that are not one for each row".into()))
}

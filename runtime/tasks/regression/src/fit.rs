//! Trains an agent on standardised data, and keeps the standardisation to undo it.

use thiserror::Error;

use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::regression::regressor::Regressor;

use super::standardize::{Standardization, StandardizeError};

/// Why an agent gives no prediction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FitError<E> {
    /// The agent failed.
    #[error("{0}")]
    Agent(E),
    /// The agent answered the same question in two ways; the text says where and how.
    #[error("{0}")]
    Inconsistent(String),
    /// The data cannot be standardised.
    #[error(transparent)]
    Data(#[from] StandardizeError),
    /// The agent's moments are invalid; the text says which and why.
    #[error("{0}")]
    Moments(String),
    /// The problem's own function or its oracle cannot be computed; the text says why.
    #[error("{0}")]
    Oracle(String),
    /// The error of the predicting agent, if another agent selects.
    #[error("{0}")]
    Predictor(Box<Self>),
}

/// A trained agent and the units in which it sees the data.
#[derive(Clone, Debug)]
pub struct Fitted<B> {
    pub(super) belief: B,
    pub(super) standardization: Standardization,
}

impl<B> Fitted<B> {
    /// Combines a trained agent with the standardisation in which it sees the data.
    pub fn new(belief: B, standardization: Standardization) -> Self {
        Self { belief, standardization }
    }

    /// Returns the standardisation in which the agent sees the data.
    pub fn standardization(&self) -> &Standardization {
        &self.standardization
    }
}

/// Trains an agent on training examples, and on validation examples if there are any, all
/// [standardised](Standardization) by the training examples.
///
/// # Errors
/// Errors of the agent, unchanged; or when an example leaves the range of `f32` once standardised.
pub fn fit<R: Regressor>(
    regressor: &mut R,
    task: &RegressionTask,
    train: &Targets,
    validation: Option<&Targets>,
    seed: u64,
) -> Result<Fitted<R::Belief>, FitError<R::Error>> {
    fit_in(regressor, task, Standardization::of(train), train, validation, seed)
}

/// Trains an agent on examples in a given standardisation, which need not be that of the training examples.
///
/// # Errors
/// As for [`fit`](fn@fit).
///
/// # Panics
/// When the standardisation has another number of features.
pub fn fit_in<R: Regressor>(
    regressor: &mut R,
    task: &RegressionTask,
    standardization: Standardization,
    train: &Targets,
    validation: Option<&Targets>,
    seed: u64,
) -> Result<Fitted<R::Belief>, FitError<R::Error>> {
    let train = standardization.examples(train)?;
    let validation = validation.map(|examples| standardization.examples(examples)).transpose()?;
    let task = standardization.task(task);
    let belief = regressor.train(&task, &train, validation.as_ref(), seed).map_err(FitError::Agent)?;
    Ok(Fitted { belief, standardization })
}

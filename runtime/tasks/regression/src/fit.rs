//! Trains an agent on standardised data and keeps what is needed to undo that.

use thiserror::Error;

use jointly_core::regression::dataset::{RegressionTask, Targets};
use jointly_core::regression::regressor::Regressor;

use super::standardize::{Standardization, StandardizeError};

/// Why there is no prediction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FitError<E> {
    /// The agent failed.
    #[error("{0}")]
    Agent(E),
    /// The agent gave two answers to one question: where, and which.
    #[error("{0}")]
    Inconsistent(String),
    /// The data cannot be standardised.
    #[error(transparent)]
    Data(#[from] StandardizeError),
    /// The agent's moments are no belief: which, and why.
    #[error("{0}")]
    Moments(String),
    /// The problem's own function or its oracle cannot be computed: why.
    #[error("{0}")]
    Oracle(String),
    /// What is wrong with the agent that predicts, where another one selects.
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
    /// A belief whose answers are in the units of that standardisation.
    pub fn new(belief: B, standardization: Standardization) -> Self {
        Self { belief, standardization }
    }

    /// The units in which the agent sees the data.
    pub fn standardization(&self) -> &Standardization {
        &self.standardization
    }
}

/// Trains an agent on examples, and validation examples where there are some, all [standardised](Standardization) by the
/// training examples.
///
/// # Errors
/// Those of the agent, as they are; or when an example leaves the range of `f32` once standardised.
pub fn fit<R: Regressor>(
    regressor: &mut R,
    task: &RegressionTask,
    train: &Targets,
    validation: Option<&Targets>,
    seed: u64,
) -> Result<Fitted<R::Belief>, FitError<R::Error>> {
    fit_in(regressor, task, Standardization::of(train), train, validation, seed)
}

/// The same in units that are given, where others than the training examples decide them.
///
/// # Errors
/// As [`fit`](fn@fit).
///
/// # Panics
/// When the units are of another number of features.
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

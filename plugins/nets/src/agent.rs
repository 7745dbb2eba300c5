//! Makes an agent of an ensemble with any recipe.

use std::marker::PhantomData;

use jointly_sdk::{Classifier, Dataset, Description, Failure, Given, Matrix, Progress, Setting, Task};

use crate::ensemble::{Ensemble, Members};
use crate::learned::{restored, several};
use crate::predict::Rows;
use crate::recipe::Recipe;

/// An agent that trains an ensemble: its description, and the recipe for its settings.
pub trait EnsembleAgent: 'static {
    /// Describes the agent.
    fn describe() -> Description;

    /// Returns the ensemble's recipe for the settings.
    ///
    /// # Errors
    ///
    /// Fails if a setting is unknown, malformed or out of range.
    fn recipe(settings: &[Setting]) -> Result<Recipe, Failure>;
}

/// The classifier of an [`EnsembleAgent`].
#[derive(Debug)]
pub struct Agent<A> {
    ensemble: Ensemble,
    agent: PhantomData<A>,
}

impl<A: EnsembleAgent> Classifier for Agent<A> {
    fn describe() -> Description {
        A::describe()
    }

    fn train(
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::train_with_unlabelled(task, data, validation, None, settings, seed)
    }

    fn train_with_unlabelled(
        task: &Task,
        data: &Dataset,
        _validation: Option<&Dataset>,
        unlabelled: Option<&Matrix>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        let ensemble = Ensemble::train_with_unlabelled(&A::recipe(settings)?, task, data, unlabelled, seed)?;
        Ok(Self { ensemble, agent: PhantomData })
    }

    /// Members are parts, unless there is one, or they share an autoencoder, which each part would train anew.
    fn parts(_: &Task, settings: &[Setting]) -> Result<Option<u32>, Failure> {
        let recipe = A::recipe(settings)?;
        Ok(if recipe.needs_encoder() { None } else { several(recipe.size) })
    }

    fn train_part(given: Given<'_>, part: u32) -> Result<Vec<u8>, Failure> {
        let recipe = A::recipe(given.settings)?;
        let members = Members::new(&recipe, given.task, given.data, given.unlabelled, given.seed)?;
        Ok(members.train(part.into(), &mut Progress::new(recipe.steps))?.learned())
    }

    fn join(given: Given<'_>, parts: &[Vec<u8>]) -> Result<Self, Failure> {
        let recipe = A::recipe(given.settings)?;
        let members = Members::new(&recipe, given.task, given.data, given.unlabelled, given.seed)?;
        let ensemble =
            Ensemble::new(given.seed, restored(recipe.size, parts, |part, bytes| members.restore(part, bytes))?);
        Ok(Self { ensemble, agent: PhantomData })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.ensemble.probs(&Rows::of(inputs), draw, out)
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        self.ensemble.canonical_draw(draw)
    }

    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        self.ensemble.sample_probs(&Rows::of(inputs), draws, out)
    }
}

//! Trains classifiers by steps of Adam on minibatches of the examples.

use jointly_sdk::{Dataset, Failure, Task};

use crate::adam::Adam;
use crate::examples::{Examples, Likelihood, check};
use crate::front::Front;
use crate::network::Network;
use crate::predict::outputs;
use crate::recipe::Recipe;
use crate::simd::Lanes;
use crate::stream::Stream;
use jointly_sdk::Progress;

/// Trains the members of an ensemble, one after the other on the same minibatches.
#[derive(Debug)]
pub struct Training<'a> {
    recipe: &'a Recipe,
    task: &'a Task,
    data: &'a Dataset,
    seed: u64,
    /// The derivative of the penalty with respect to a parameter, divided by the parameter.
    decay: f32,
}

impl<'a> Training<'a> {
    /// Prepares the training of the recipe's members.
    ///
    /// # Errors
    ///
    /// Fails if the data do not fit the task, or if the inputs are not images of the recipe's shape.
    pub fn new(recipe: &'a Recipe, task: &'a Task, data: &'a Dataset, seed: u64) -> Result<Self, Failure> {
        check(task, data)?;
        if let Some(image) = recipe.front.as_ref().map(Front::image).filter(|image| image.numbers() != task.input_dim) {
            let dim = task.input_dim;
            return Err(Failure::Unsupported(format!("inputs of {dim} numbers are no images of {image:?}")));
        }
        let decay = 2.0 * recipe.penalty.factor(task, data.labels.len());
        Ok(Self { recipe, task, data, seed, decay })
    }

    /// Trains a member: minimises the mean cross-entropy of `network + prior` plus the penalty on `network`.
    ///
    /// # Errors
    ///
    /// Fails if the loss stops being finite.
    pub fn run(
        &self,
        member: u64,
        mut network: Network,
        prior: Option<&Network>,
        weights: &[f32],
        progress: &mut Progress,
    ) -> Result<Network, Failure> {
        let recipe = self.recipe;
        let offsets = prior.map_or(Vec::new(), |prior| outputs(prior, self.data.inputs.values()));
        let rng = Stream::Batches.rng(self.seed, 0);
        let examples = Examples::new(self.task, self.data, recipe.batch_size, rng)?;
        let mut examples = examples.weighted(weights).offset(offsets);
        let mut likelihood = Likelihood::new(&network, examples.max_rows());
        let mut adam = Adam::new(network.parameters.len(), recipe.learning_rate);
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        for step in 0..recipe.steps {
            examples.next_batch();
            if !likelihood.differentiate(&network, &examples, examples.targets(), &mut gradient) {
                return Err(Failure::Diverged(format!("the loss of member {member} is not finite at step {step}")));
            }
            adam.update(&mut network.parameters, &gradient, self.decay);
            progress.step();
        }
        Ok(network)
    }
}

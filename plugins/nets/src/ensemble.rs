//! Ensembles of networks that differ in their initial parameters and in whatever else the recipe randomises.

use std::borrow::Cow;

use jointly_sdk::{Dataset, Failure, Matrix, Progress, Rng, Task};

use crate::finite::{Finite, Function};
use crate::learned;
use crate::network::{FirstBiases, Network, widths};
use crate::penalty::temperature;
use crate::predict::{Rows, predict};
use crate::recipe::{Prior, Recipe, Weighting};
use crate::simd::{floats, floats_mut};
use crate::stream::Stream;
use crate::training::Training;
use crate::vae::Encoder;

impl Recipe {
    /// Returns whether the prior function needs an autoencoder, which all members share.
    pub fn needs_encoder(&self) -> bool {
        self.prior == Prior::Vae && self.prior_scale > 0.0
    }

    /// Trains the autoencoder and returns its encoder, if the prior function needs one.
    fn encoder(
        &self,
        task: &Task,
        inputs: &Matrix,
        unlabelled: Option<&Matrix>,
        seed: u64,
    ) -> Result<Option<Encoder>, Failure> {
        if !self.needs_encoder() {
            return Ok(None);
        }
        let inputs = stacked(inputs, unlabelled)?;
        Encoder::train(task, &inputs, self.vae_steps, self.batch_size, seed).map(Some)
    }

    /// Returns the untrained network of member `index`.
    pub fn start(&self, task: &Task, seed: u64, index: u64) -> Network {
        let mut rng = Stream::Start.rng(seed, index);
        match &self.front {
            Some(front) => Network::convolutional(front.clone(), &self.hidden, task.num_classes, &mut rng),
            None => Network::new(&widths(task, &self.hidden), self.first_biases, &mut rng),
        }
    }

    fn member(&self, task: &Task, encoder: Option<&Encoder>, seed: u64, index: u64) -> Member {
        let (widths, linear) = (widths(task, &self.hidden), widths(task, &[]));
        let network = self.start(task, seed, index);
        let rng = &mut Stream::Prior.rng(seed, index);
        let prior = match (self.prior, encoder) {
            _ if self.prior_scale == 0.0 => None,
            (Prior::Mlp, _) => Some(Network::new(&widths, FirstBiases::Normal, rng)),
            (Prior::Linear, _) => Some(Network::new(&linear, FirstBiases::Normal, rng)),
            (Prior::Vae, Some(encoder)) => Some(encoder.linear_function(task.num_classes, rng)),
            (Prior::None | Prior::Vae, _) => None,
        };
        Member { network, prior: prior.map(|prior| prior.scaled(self.prior_scale / temperature(task).sqrt())) }
    }

    /// Draws the weight of each training example for a member; empty if all weights are 1.
    fn weights(&self, examples: usize, seed: u64, index: u64) -> Vec<f32> {
        let mut rng = Stream::Bootstrap.rng(seed, index);
        let draw: fn(&mut Rng) -> f32 = match self.weighting {
            Weighting::Equal => return Vec::new(),
            Weighting::Bernoulli => |rng| if rng.uniform() < 0.5 { 0.0 } else { 2.0 },
            Weighting::Exponential => Rng::exponential,
        };
        (0..examples).map(|_| draw(&mut rng)).collect()
    }
}

/// A member of an ensemble.
#[derive(Clone, Debug)]
pub struct Member {
    network: Network,
    /// The prior function: added to the network both in training and in prediction; never trained.
    prior: Option<Network>,
}

impl Member {
    /// Returns what training has changed, for [`Members::restore`].
    pub fn learned(&self) -> Vec<u8> {
        learned::keep([floats(&self.network.parameters)])
    }
}

impl Function<Rows> for Member {
    fn probs(&self, inputs: &Rows, out: &mut [f32]) -> Result<(), Failure> {
        match &self.prior {
            None => predict(&[&self.network], inputs, out),
            Some(prior) => predict(&[&self.network, prior], inputs, out),
        }
    }
}

/// A trained ensemble; each draw names a member at random.
pub type Ensemble = Finite<Member>;

/// The training of the members of an ensemble, each of which depends on its own number alone.
#[derive(Debug)]
pub struct Members<'a> {
    recipe: &'a Recipe,
    task: &'a Task,
    data: &'a Dataset,
    seed: u64,
    training: Training<'a>,
    encoder: Option<Encoder>,
}

impl<'a> Members<'a> {
    /// Prepares the training; the autoencoder of a prior function also learns from unlabelled inputs.
    ///
    /// # Errors
    ///
    /// Fails if the data do not fit the task.
    pub fn new(
        recipe: &'a Recipe,
        task: &'a Task,
        data: &'a Dataset,
        unlabelled: Option<&Matrix>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let training = Training::new(recipe, task, data, seed)?;
        let encoder = recipe.encoder(task, &data.inputs, unlabelled, seed)?;
        Ok(Self { recipe, task, data, seed, training, encoder })
    }

    /// Trains member `index`.
    ///
    /// # Errors
    ///
    /// Fails if the member's loss stops being finite.
    pub fn train(&self, index: u64, progress: &mut Progress) -> Result<Member, Failure> {
        let Member { network, prior } = self.untrained(index);
        let weights = self.recipe.weights(self.data.labels.len(), self.seed, index);
        let network = self.training.run(index, network, prior.as_ref(), &weights, progress)?;
        Ok(Member { network, prior })
    }

    /// Returns a trained member from the bytes that [`Member::learned`] gave of it.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of a member of this recipe.
    pub fn restore(&self, index: u64, bytes: &[u8]) -> Result<Member, Failure> {
        let mut member = self.untrained(index);
        learned::restore(bytes, [floats_mut(&mut member.network.parameters)])?;
        Ok(member)
    }

    fn untrained(&self, index: u64) -> Member {
        self.recipe.member(self.task, self.encoder.as_ref(), self.seed, index)
    }
}

impl Ensemble {
    /// Trains all members.
    ///
    /// # Errors
    ///
    /// Fails if a member's loss stops being finite, or if the data do not fit the task.
    pub fn train(recipe: &Recipe, task: &Task, data: &Dataset, seed: u64) -> Result<Self, Failure> {
        Self::train_with_unlabelled(recipe, task, data, None, seed)
    }

    /// Trains all members; the autoencoder of a prior function also learns from unlabelled inputs.
    ///
    /// # Errors
    ///
    /// Fails if a member's loss stops being finite, or if the data do not fit the task.
    pub fn train_with_unlabelled(
        recipe: &Recipe,
        task: &Task,
        data: &Dataset,
        unlabelled: Option<&Matrix>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let members = Members::new(recipe, task, data, unlabelled, seed)?;
        let mut progress = Progress::new(recipe.size.saturating_mul(recipe.steps));
        let trained = (0..recipe.size as u64).map(|index| members.train(index, &mut progress));
        Ok(Self::new(seed, trained.collect::<Result<_, _>>()?))
    }
}

/// Returns the training inputs followed by the unlabelled inputs.
fn stacked<'a>(inputs: &'a Matrix, unlabelled: Option<&Matrix>) -> Result<Cow<'a, Matrix>, Failure> {
    let Some(unlabelled) = unlabelled.filter(|unlabelled| unlabelled.rows() > 0) else {
        return Ok(Cow::Borrowed(inputs));
    };
    let values = [inputs.values(), unlabelled.values()].concat();
    let rows = Matrix::new(inputs.rows() + unlabelled.rows(), unlabelled.cols(), values);
    rows.map(Cow::Owned).ok_or_else(|| Failure::Internal("inputs without labels that are not the task's".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Penalty;

    /// Upper bound of the mean negative log-likelihood of a network that has learnt separable classes.
    const LOW_LOSS: f32 = 0.1;
    /// Tolerance of a probability against one half, after minimising the penalty alone.
    const TOLERANCE: f32 = 1e-3;

    fn recipe() -> Recipe {
        Recipe {
            hidden: vec![10, 7],
            steps: 300,
            learning_rate: 1e-2,
            penalty: Penalty { l2: 0.0, adaptive: None },
            prior: Prior::Mlp,
            vae_steps: 100,
            ..Recipe::default()
        }
    }

    fn task(classes: usize) -> Task {
        Task { temperature: Some(0.25), ..Task::new(2, classes) }
    }

    /// Returns examples whose classes are sectors of the plane.
    fn data(examples: usize, classes: usize) -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs: Vec<f32> = (0..2 * examples).map(|_| rng.normal()).collect();
        let sector = |row: &[f32]| (row[1].atan2(row[0]) / std::f32::consts::TAU + 0.5) * classes as f32;
        let labels = inputs.chunks(2).map(|row| (sector(row) as u32).min(classes as u32 - 1)).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn probs(ensemble: &Ensemble, inputs: &Matrix, classes: usize, draw: u64) -> Vec<f32> {
        let mut out = vec![0.0; inputs.rows() * classes];
        ensemble.probs(&Rows::of(inputs), draw, &mut out).unwrap();
        out
    }

    #[test]
    fn separable_classes_are_learnt() {
        for classes in [2, 3] {
            for examples in [60, 250] {
                let data = data(examples, classes);
                let ensemble = Ensemble::train(&recipe(), &task(classes), &data, 0).unwrap();
                let probs = probs(&ensemble, &data.inputs, classes, 0);
                let rows = probs.chunks(classes).zip(&data.labels);
                let loss = rows.map(|(row, label)| -row[*label as usize].ln()).sum::<f32>() / examples as f32;
                assert!(loss < LOW_LOSS, "{classes} classes, {examples} examples: {loss}");
            }
        }
    }

    #[test]
    fn training_depends_on_the_seed_alone() {
        let recipe = Recipe { size: 2, steps: 50, prior_scale: 3.0, weighting: Weighting::Exponential, ..recipe() };
        let data = data(130, 2);
        let train = |seed| Ensemble::train(&recipe, &task(2), &data, seed).unwrap();
        let (one, same, other) = (train(1), train(1), train(2));
        assert_eq!(probs(&one, &data.inputs, 2, 5), probs(&same, &data.inputs, 2, 5));
        assert_ne!(probs(&one, &data.inputs, 2, 5), probs(&other, &data.inputs, 2, 5));
    }

    #[test]
    fn no_prior_is_a_prior_of_no_scale_and_others_differ() {
        let recipe = Recipe { steps: 20, prior_scale: 3.0, ..recipe() };
        let data = data(40, 2);
        let probs = |prior, prior_scale| {
            let recipe = Recipe { prior, prior_scale, ..recipe.clone() };
            probs(&Ensemble::train(&recipe, &task(2), &data, 0).unwrap(), &data.inputs, 2, 0)
        };
        let none = probs(Prior::None, 3.0);
        let others = [Prior::Mlp, Prior::Linear, Prior::Vae].map(|prior| {
            assert_eq!(none, probs(prior, 0.0));
            probs(prior, 3.0)
        });
        for (i, other) in others.iter().enumerate() {
            assert!(*other != none && others[..i].iter().all(|earlier| earlier != other));
        }
    }

    #[test]
    fn without_data_the_penalty_alone_is_minimised() {
        let nothing = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        let recipe = Recipe { penalty: Penalty { l2: 1.0, adaptive: None }, steps: 1000, ..recipe() };
        let ensemble = Ensemble::train(&recipe, &task(2), &nothing, 0).unwrap();
        let probs = probs(&ensemble, &data(5, 2).inputs, 2, 0);
        assert!(probs.iter().all(|p| (p - 0.5).abs() < TOLERANCE), "{probs:?}");
    }

    #[test]
    fn one_example_is_enough() {
        let data = data(1, 2);
        let ensemble = Ensemble::train(&recipe(), &task(2), &data, 0).unwrap();
        let probs = probs(&ensemble, &data.inputs, 2, 0);
        assert!(probs[data.labels[0] as usize] > 0.9, "{probs:?}");
    }

    #[test]
    fn no_hidden_layer_is_logistic_regression() {
        let recipe = Recipe { hidden: Vec::new(), steps: 1000, ..recipe() };
        let half_plane = {
            let mut data = data(200, 2);
            data.labels = data.inputs.values().chunks(2).map(|row| u32::from(row[0] > 0.0)).collect();
            data
        };
        let ensemble = Ensemble::train(&recipe, &task(2), &half_plane, 0).unwrap();
        let mirrored = Matrix::new(2, 2, vec![0.7, -0.3, -0.7, 0.3]).unwrap();
        let probs = probs(&ensemble, &mirrored, 2, 0);
        assert!(probs[1] > 0.9 && probs[2] > 0.9, "{probs:?}");
    }

    #[test]
    fn a_row_has_the_same_bits_in_any_company() {
        let recipe = Recipe { size: 3, steps: 20, prior_scale: 3.0, ..recipe() };
        let ensemble = Ensemble::train(&recipe, &task(3), &data(30, 3), 0).unwrap();
        let inputs = data(150, 3).inputs;
        let draws = [7, 0, 3, 7, 1];
        let mut together = vec![0.0; draws.len() * inputs.rows() * 3];
        ensemble.sample_probs(&Rows::of(&inputs), &draws, &mut together).unwrap();
        for (draw, together) in draws.into_iter().zip(together.chunks(inputs.rows() * 3)) {
            assert_eq!(together, probs(&ensemble, &inputs, 3, draw));
            assert_eq!(together, probs(&ensemble, &inputs, 3, ensemble.canonical_draw(draw)));
            for (i, expected) in together.chunks(3).enumerate() {
                let alone = Matrix::new(1, 2, inputs.row(i).to_vec()).unwrap();
                assert_eq!(expected, probs(&ensemble, &alone, 3, draw), "row {i}");
            }
        }
    }

    #[test]
    fn weights_follow_their_laws() {
        let weights = |weighting| Recipe { weighting, ..recipe() }.weights(4000, 0, 0);
        assert!(weights(Weighting::Equal).is_empty());
        let bernoulli = weights(Weighting::Bernoulli);
        assert!(bernoulli.iter().all(|weight| [0.0, 2.0].contains(weight)));
        for weights in [bernoulli, weights(Weighting::Exponential)] {
            // Five standard errors; the variance is one.
            let mean = weights.iter().sum::<f32>() / weights.len() as f32;
            assert!((mean - 1.0).abs() < 5.0 / (weights.len() as f32).sqrt(), "{mean}");
        }
        let other = Recipe { weighting: Weighting::Exponential, ..recipe() }.weights(10, 0, 1);
        assert_ne!(other, weights(Weighting::Exponential)[..10]);
    }

    #[test]
    fn divergence_names_the_step() {
        let data = Dataset { inputs: Matrix::new(1, 2, vec![f32::INFINITY, 0.0]).unwrap(), labels: vec![0] };
        let failure = Ensemble::train(&recipe(), &task(2), &data, 0).unwrap_err();
        assert_eq!(failure, Failure::Diverged("the loss of member 0 is not finite at step 0".into()));
    }
}

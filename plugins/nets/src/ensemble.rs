//! Ensembles: networks that differ in where they start, and in what else a recipe says.

use jointly_sdk::{Dataset, Failure, Matrix, Rng, Task};

use crate::network::{FirstBiases, Network};
use crate::predict::predict;
use crate::stream::Stream;
use crate::training::Training;

/// How the members of an ensemble weigh the examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// All the same.
    Equal,
    /// Zero or two, by the toss of a coin for each example and member.
    Bernoulli,
    /// Exponential with mean one, drawn for each example and member.
    Exponential,
}

/// What an ensemble is made of and how it is trained.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Number of members.
    pub size: usize,
    /// Widths of the hidden layers; none is logistic regression.
    pub hidden: Vec<usize>,
    /// Steps of Adam.
    pub steps: usize,
    /// Examples in a batch.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
    /// Weight of the squares of the parameters, before it is divided by the number of examples.
    pub l2: f32,
    /// Whether that weight is also multiplied by the input's dimension and the root of the temperature.
    pub adaptive: bool,
    /// How the first layer's biases start.
    pub first_biases: FirstBiases,
    /// What the logits of a fixed random network of the environment's law are multiplied by, over the root of the
    /// temperature, before they are added to a member's; zero where there is no such network.
    pub prior_scale: f32,
    /// How members weigh the examples.
    pub weighting: Weighting,
}

/// The temperature where a task states none.
const DEFAULT_TEMPERATURE: f32 = 1.0;

impl Recipe {
    /// The factor of the sum of squares in a member's loss.
    ///
    /// # Formula
    ///
    /// l2 / T, and times d sqrt(temperature) where adaptive; with no examples T counts as 1, with no known
    /// temperature it is 1.
    pub fn penalty(&self, task: &Task, examples: usize) -> f32 {
        let temperature = task.temperature.unwrap_or(DEFAULT_TEMPERATURE);
        let signal = if self.adaptive { temperature.sqrt() * task.input_dim as f32 } else { 1.0 };
        self.l2 * signal / examples.max(1) as f32
    }

    fn widths(&self, task: &Task) -> Vec<usize> {
        [&[task.input_dim], &self.hidden[..], &[task.num_classes]].concat()
    }

    fn member(&self, task: &Task, seed: u64, index: u64) -> Member {
        let widths = self.widths(task);
        let network = Network::new(&widths, self.first_biases, &mut Stream::Start.rng(seed, index));
        let prior = (self.prior_scale > 0.0).then(|| {
            let scale = self.prior_scale / task.temperature.unwrap_or(DEFAULT_TEMPERATURE).sqrt();
            Network::new(&widths, FirstBiases::Normal, &mut Stream::Prior.rng(seed, index)).scaled(scale)
        });
        Member { network, prior }
    }

    /// How much each example counts for a member; empty where all count one.
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

/// One function of the belief.
#[derive(Clone, Debug)]
struct Member {
    network: Network,
    /// Added to the network, in training as in prediction; never trained.
    prior: Option<Network>,
}

impl Member {
    fn probs(&self, inputs: &Matrix, out: &mut [f32]) -> Result<(), Failure> {
        match &self.prior {
            None => predict(&[&self.network], inputs, out),
            Some(prior) => predict(&[&self.network, prior], inputs, out),
        }
    }
}

/// A trained ensemble: each draw names a member, at random.
#[derive(Debug)]
pub struct Ensemble {
    members: Vec<Member>,
    /// The first draw that names each member.
    canonical: Vec<u64>,
    choice_seed: u64,
}

impl Ensemble {
    /// Trains every member.
    ///
    /// # Errors
    ///
    /// A member whose loss stopped being finite, or data that do not fit the task.
    pub fn train(recipe: &Recipe, task: &Task, data: &Dataset, seed: u64) -> Result<Self, Failure> {
        let mut training = Training::new(recipe, task, data, seed)?;
        let members = (0..recipe.size as u64)
            .map(|index| {
                let Member { network, prior } = recipe.member(task, seed, index);
                let weights = recipe.weights(data.labels.len(), seed, index);
                let network = training.run(network, prior.as_ref(), &weights)?;
                Ok(Member { network, prior })
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let choice_seed = Stream::Choice.seed(seed);
        Ok(Self { canonical: first_draws(choice_seed, members.len()), members, choice_seed })
    }

    /// Class probabilities of the member that `draw` names.
    ///
    /// # Errors
    ///
    /// Inputs of another dimension than the task's.
    pub fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        self.members[self.member(draw)].probs(inputs, out)
    }

    /// The first draw that names the same member.
    pub fn canonical_draw(&self, draw: u64) -> u64 {
        self.canonical[self.member(draw)]
    }

    /// Class probabilities of many draws, one after the other; each member is asked once.
    ///
    /// # Errors
    ///
    /// Inputs of another dimension than the task's.
    pub fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let block = out.len() / draws.len().max(1);
        let mut computed = vec![None; self.members.len()];
        for (i, draw) in draws.iter().enumerate() {
            let member = self.member(*draw);
            let to = i * block;
            match computed[member] {
                Some(from) => out.copy_within(from..from + block, to),
                None => self.members[member].probs(inputs, &mut out[to..to + block])?,
            }
            computed[member] = Some(to);
        }
        Ok(())
    }

    fn member(&self, draw: u64) -> usize {
        choose(self.choice_seed, draw, self.members.len())
    }
}

fn choose(seed: u64, draw: u64, members: usize) -> usize {
    Rng::new(seed, draw).below(members)
}

/// For each member, the first draw that names it.
fn first_draws(seed: u64, members: usize) -> Vec<u64> {
    let mut first = vec![None; members];
    let mut missing = members;
    for draw in 0.. {
        if missing == 0 {
            break;
        }
        let member = &mut first[choose(seed, draw, members)];
        if member.is_none() {
            *member = Some(draw);
            missing -= 1;
        }
    }
    first.into_iter().flatten().collect()
}

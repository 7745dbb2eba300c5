//! Fits a network to labelled examples: on plain numbers as the Neural Testbed does, otherwise by passes of Adam over
//! the examples, each in a random order.

use std::borrow::Cow;

use crate::adam::Adam;
use crate::convolution::Images;
use crate::fit::{check_parameters, shuffle};
use crate::learned;
use crate::loss::{CrossEntropy, Targets};
use crate::noisy::Deviations;
use crate::simd::Lanes;
use crate::training::Training;
use crate::{Network, Noisy, Progress, Recipe, Stream};
use jointly_sdk::{Dataset, Failure, Inputs, Task};

use super::design::{Design, Sort};
use super::encoder::{Encoder, EncoderSteps};
use super::fitted::Fitted;
use super::plan::Plan;
use super::reader::Reader;
use super::resnet::{Resnet, ResnetSteps};

/// The data, the task and the settings for training all networks of an agent.
#[derive(Debug)]
pub struct Setup<'a> {
    pub(super) design: &'a Design,
    task: &'a Task,
    reader: Reader,
    data: &'a Dataset<Inputs>,
    /// The numbers of the examples as the networks read them.
    numbers: Cow<'a, [f32]>,
    /// The task and its examples if they are plain numbers; inputs without numbers get a single zero.
    plain: Option<(Task, Dataset)>,
    pub(super) seed: u64,
}

impl<'a> Setup<'a> {
    /// Prepares the training of `networks` networks.
    ///
    /// # Errors
    ///
    /// Fails if the network does not suit the task, or if the data do not fit the task.
    pub fn new(
        design: &'a Design,
        task: &'a Task,
        data: &'a Dataset<Inputs>,
        networks: usize,
        seed: u64,
    ) -> Result<Self, Failure> {
        let plan = Plan::new(design, task, networks)?;
        let fits = data.inputs.rows() == data.labels.len();
        if !fits || data.labels.iter().any(|label| *label as usize >= task.num_classes) {
            return Err(Failure::Internal("labels that are not one class for each row".into()));
        }
        let reader = Reader::new(plan, &data.inputs)?;
        let numbers = reader.numbers(&data.inputs)?;
        let plain = if Sort::of(task) == Sort::Numbers {
            let examples = Dataset { inputs: reader.plain(&data.inputs)?.into_owned(), labels: data.labels.clone() };
            Some((Task { input_dim: reader.plan().inputs, ..task.clone() }, examples))
        } else {
            None
        };
        Ok(Self { design, task, reader, data, numbers, plain, seed })
    }

    /// The shape of the networks.
    pub fn plan(&self) -> &Plan {
        self.reader.plan()
    }

    /// The reader of the networks' inputs.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The task and its examples, if they are plain numbers.
    pub fn plain(&self) -> Option<(&Task, &Dataset)> {
        self.plain.as_ref().map(|(task, data)| (task, data))
    }

    /// The number of examples.
    pub fn examples(&self) -> usize {
        self.data.labels.len()
    }

    /// Steps of the training of one network.
    pub fn steps(&self) -> usize {
        self.design.length.steps(self.examples(), self.design.batch_size)
    }

    /// Trains a member: minimises the mean cross-entropy and the penalty. On plain numbers this is the testbed's
    /// training, with a fixed number of steps even without examples; otherwise a network without examples stays
    /// untrained.
    ///
    /// # Errors
    ///
    /// Fails if the loss stops being finite.
    pub fn fit(&self, member: u64, progress: &mut Progress) -> Result<Fitted, Failure> {
        match &self.plain {
            Some((task, data)) => self.fit_numbers(task, data, member, progress),
            None => self.fit_dropping(&[], member, progress),
        }
    }

    /// Trains a member with a [`Recipe`], on the minibatches that all members share.
    fn fit_numbers(
        &self,
        task: &Task,
        data: &Dataset,
        member: u64,
        progress: &mut Progress,
    ) -> Result<Fitted, Failure> {
        let plan = self.plan();
        let Design { batch_size, learning_rate, penalty, .. } = *self.design;
        let recipe = Recipe { steps: self.steps(), batch_size, learning_rate, penalty, ..Recipe::default() };
        let training = Training::new(&recipe, task, data, self.seed)?;
        let network = training.run(member, plan.network(self.seed, member), None, &[], progress)?;
        let (encoder, resnet) = (plan.encoder(self.seed, member), plan.resnet(self.seed, member));
        Ok(Fitted { reader: self.reader.clone(), encoder, resnet, network })
    }

    /// Returns a trained member from the bytes that [`Fitted::learned`] gave of it.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of a member of this shape.
    pub fn restore(&self, member: u64, bytes: &[u8]) -> Result<Fitted, Failure> {
        let mut fitted = self.untrained(member);
        learned::restore(bytes, fitted.learned_mut())?;
        Ok(fitted)
    }

    /// Returns a member before its training.
    pub(super) fn untrained(&self, member: u64) -> Fitted {
        let (plan, reader) = (self.plan(), self.reader.clone());
        let (encoder, resnet) = (plan.encoder(self.seed, member), plan.resnet(self.seed, member));
        Fitted { reader, encoder, resnet, network: plan.network(self.seed, member) }
    }

    /// Starts the training of a member without noise, and returns its untrained network.
    pub fn course<'s, 'p>(&'s self, member: u64, progress: &'p mut Progress) -> (Course<'s, 'p>, Network) {
        (Course::new(self, member, progress, |noisy| noisy), self.plan().network(self.seed, member))
    }

    /// Trains a member with dropout: each dense layer drops its inputs with its own probability. Nothing is dropped if
    /// `rates` is empty. Returns the untrained network if there are no examples.
    ///
    /// # Errors
    ///
    /// Fails if the loss stops being finite.
    pub fn fit_dropping(&self, rates: &[f32], member: u64, progress: &mut Progress) -> Result<Fitted, Failure> {
        let decay = 2.0 * self.design.penalty.factor(self.task, self.examples());
        let mut course = Course::new(self, member, progress, |noisy| match rates {
            [] => noisy,
            rates => noisy.dropping(rates),
        });
        let mut network = self.plan().network(self.seed, member);
        let mut adam = Adam::new(network.parameters.len(), self.design.learning_rate);
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        while course.next_batch()? {
            course.differentiate(&network, None, &mut gradient);
            adam.update(&mut network.parameters, &gradient, decay);
        }
        course.end(network)
    }
}

/// The training of one network by an optimiser of the caller: draws minibatches and computes the gradient at each. The
/// embedding tables, an LSTM and a residual network are updated here, by Adam.
#[derive(Debug)]
pub struct Course<'a, 'p> {
    setup: &'a Setup<'a>,
    encoder: Encoder,
    steps: EncoderSteps,
    resnet: Option<(Resnet, ResnetSteps)>,
    noisy: Noisy,
    loss: CrossEntropy,
    progress: &'p mut Progress,
    order: Vec<u32>,
    /// Steps made, passes begun, and examples of the current pass that were seen.
    step: usize,
    epoch: usize,
    next: usize,
    /// Whether every loss of the current pass was finite.
    finite: bool,
    batches: jointly_sdk::Rng,
    noise: jointly_sdk::Rng,
    /// The indices of the examples of the minibatch.
    batch: Vec<u32>,
    rows: Vec<f32>,
    labels: Vec<u32>,
    weights: Vec<f32>,
}

impl<'a, 'p> Course<'a, 'p> {
    /// Prepares the training of a member, under the noise that `with` adds.
    pub(super) fn new(
        setup: &'a Setup<'a>,
        member: u64,
        progress: &'p mut Progress,
        with: impl FnOnce(Noisy) -> Noisy,
    ) -> Self {
        let (plan, seed) = (setup.plan(), setup.seed);
        let encoder = plan.encoder(seed, member);
        let network = plan.network(seed, member);
        let mut noisy = with(Noisy::new(&network, setup.design.batch_size.min(setup.examples())));
        let resnet = plan.resnet(seed, member).map(|resnet| {
            let decay = 2.0 * setup.design.penalty.factor(setup.task, setup.examples());
            let rows = setup.design.batch_size.min(setup.examples());
            let steps = ResnetSteps::new(&resnet, rows, setup.design.learning_rate, decay);
            (resnet, steps)
        });
        if encoder.numbers() > 0 || resnet.is_some() {
            noisy = noisy.differentiating_inputs();
        }
        Self {
            setup,
            steps: EncoderSteps::new(&encoder, setup.design.learning_rate),
            resnet,
            encoder,
            noisy,
            loss: CrossEntropy::new(network.outputs()),
            progress,
            order: (0..setup.examples() as u32).collect(),
            step: 0,
            epoch: 0,
            next: setup.examples(),
            finite: true,
            batches: Stream::Batches.rng(seed, member),
            noise: Stream::Masks.rng(seed, member),
            batch: Vec::new(),
            rows: Vec::new(),
            labels: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Goes on to the next minibatch; returns false after the last step.
    ///
    /// # Errors
    ///
    /// Fails if a loss of the pass that has ended was not finite.
    pub fn next_batch(&mut self) -> Result<bool, Failure> {
        let Setup { design, data, numbers, .. } = self.setup;
        let done = self.step == self.setup.steps() || self.order.is_empty();
        if done || self.next == self.order.len() {
            if !self.finite {
                return Err(Failure::Diverged(format!("the loss is not finite in epoch {}", self.epoch - 1)));
            }
            if done {
                return Ok(false);
            }
            shuffle(&mut self.order, &mut self.batches);
            self.epoch += 1;
            self.next = 0;
        }
        let to = self.order.len().min(self.next.saturating_add(design.batch_size));
        self.batch.clear();
        self.batch.extend_from_slice(&self.order[self.next..to]);
        self.next = to;
        let (plan, rows) = (self.setup.plan(), self.batch.len());
        self.rows.resize(rows * plan.inputs, 0.0);
        let of = |example: &u32| &numbers[*example as usize * plan.numbers..][..plan.numbers];
        if let Some((resnet, steps)) = &mut self.resnet {
            steps.write(resnet, self.batch.iter().map(of), &mut self.rows);
        } else {
            for (example, row) in self.batch.iter().zip(self.rows.chunks_exact_mut(plan.inputs)) {
                row[..plan.numbers].copy_from_slice(of(example));
            }
            let tokens = tokens(data, &self.batch);
            self.steps.write(&self.encoder, &tokens, (plan.numbers, plan.inputs), &mut self.rows);
        }
        self.labels.clear();
        self.labels.extend(self.batch.iter().map(|example| data.labels[*example as usize]));
        self.weights.clear();
        self.weights.resize(rows, 1.0 / rows as f32);
        self.noisy.draw(rows, &mut self.noise);
        self.step += 1;
        self.progress.step();
        Ok(true)
    }

    /// Replaces the gradient by that of the mean cross-entropy of the minibatch, and updates what stands before the
    /// network.
    pub fn differentiate(&mut self, network: &Network, deviations: Option<Deviations<'_>>, gradient: &mut [Lanes]) {
        let Self { loss, labels, weights, .. } = self;
        let inputs = self.setup.plan().inputs;
        let images = Images { values: &self.rows, stride: inputs, count: labels.len() };
        let finite = self.noisy.differentiate(network, deviations, images, gradient, |outputs, stride| {
            loss.differentiate(outputs, stride, Targets { labels, weights, offsets: &[] })
        });
        self.finite &= finite;
        if let Some((resnet, steps)) = &mut self.resnet {
            steps.step(resnet, self.noisy.by_inputs().map(|slopes| &slopes[..inputs]));
        } else if self.encoder.numbers() > 0 {
            let place = self.setup.plan().numbers..inputs;
            let slopes = self.noisy.by_inputs().map(|slopes| &slopes[place.clone()]);
            self.steps.step(&mut self.encoder, &tokens(self.setup.data, &self.batch), slopes);
        }
    }

    /// Returns the trained network with its tables.
    ///
    /// # Errors
    ///
    /// Fails if a parameter is not finite.
    pub fn end(self, network: Network) -> Result<Fitted, Failure> {
        check_parameters(&network)?;
        if !self.encoder.is_finite() {
            return Err(Failure::Diverged(
                "an embedding or a parameter of an LSTM is not finite at the end of training".into(),
            ));
        }
        let resnet = self.resnet.map(|(resnet, _)| resnet);
        if resnet.as_ref().is_some_and(|resnet| !resnet.values().iter().all(|value| value.is_finite())) {
            return Err(Failure::Diverged("a parameter of the ResNet is not finite at the end of training".into()));
        }
        Ok(Fitted { reader: self.setup.reader.clone(), encoder: self.encoder, resnet, network })
    }
}

/// Returns the tokens of examples.
fn tokens<'a>(data: &'a Dataset<Inputs>, examples: &[u32]) -> Vec<&'a [u32]> {
    examples.iter().map(|example| data.inputs.tokens.row(*example as usize)).collect()
}

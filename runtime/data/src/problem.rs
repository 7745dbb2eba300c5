//! Problems on datasets: some examples for training, others for testing.

use std::ops::Range;
use std::sync::Arc;

use jointly_core::pick;
use jointly_core::stream::stream;
use jointly_core::tau_samples::{TauSamples, tau_sample_index};
use jointly_core::{Dataset, Inputs, Seed, Task};

use super::card::Card;
use super::examples::LoadedDataset;

/// The softmax temperature that agents are told, which means hardly any label noise. The reference implementation uses
/// the same value for every real dataset.
const TEMPERATURE: f32 = 0.01;

/// The most bytes of inputs without labels that an agent is given: a sixteenth of the memory that it has by default, or
/// 21,000 images of MNIST.
const MAX_UNLABELLED_BYTES: usize = 64 << 20;

/// A problem on real data.
///
/// It trains on T of the dataset's training examples: the first T of an order that a stream gives, named by the run's
/// seed, the dataset and the repetition, so that a smaller training set is part of a larger one. It is tested on
/// tau-samples drawn with replacement from the dataset's test examples, each by a stream of its own. The environment is
/// not known, so the metric is the negative log-likelihood.
///
/// Training examples beyond the first T are the problem's inputs without labels, in the same order: as many as fit in
/// 64 MiB. Test examples are not among them.
#[derive(Clone, Debug)]
pub struct RealProblem {
    card: &'static Card,
    train_size: u32,
    repetition: u32,
    data: Option<Arc<LoadedDataset>>,
}

impl RealProblem {
    /// Makes a problem with `train_size` training examples of a dataset, or with all if there are fewer.
    pub fn new(card: &'static Card, train_size: u32, repetition: u32) -> Self {
        Self { card, train_size: train_size.min(card.train_size), repetition, data: None }
    }

    /// Returns the card of the dataset.
    pub fn card(&self) -> &'static Card {
        self.card
    }

    /// Returns the number T of training examples.
    pub fn train_size(&self) -> u32 {
        self.train_size
    }

    /// Returns the number of bytes of the training inputs and labels.
    pub fn train_bytes(&self) -> u64 {
        u64::from(self.train_size) * (u64::from(self.card.input_dim) + 1) * size_of::<f32>() as u64
    }

    /// Returns the data, if they are attached.
    pub fn data(&self) -> Option<&LoadedDataset> {
        self.data.as_deref()
    }

    /// Attaches the data, which an instance needs.
    ///
    /// # Panics
    /// When the data belong to another dataset.
    pub fn attach(&mut self, data: &Arc<LoadedDataset>) {
        assert_eq!(data.card.name, self.card.name, "the data of the problem's own dataset");
        self.data = Some(Arc::clone(data));
    }

    /// Returns the task as agents are told.
    pub fn task(&self) -> Task {
        Task { temperature: Some(TEMPERATURE), ..Task::new(self.card.input_dim, self.card.num_classes) }
    }

    /// Makes the training set under a seed; test data are made on demand. `name` is the name of the problem.
    ///
    /// # Panics
    /// When the data are not attached.
    pub fn instance(&self, seed: Seed, name: &str) -> RealInstance {
        let data = self.data.clone().unwrap_or_else(|| panic!("{name}: the data of {} are attached", self.card.name));
        let subset = format!("{}/seed{}", self.card.name, self.repetition);
        let (all, size) = (self.card.train_size as usize, self.train_size as usize);
        let most = MAX_UNLABELLED_BYTES / (self.card.input_dim as usize * size_of::<f32>()).max(1);
        let mut rows = pick::prefix(all, size.saturating_add(most), &mut stream(seed, "train-subset", &subset, 0));
        let unlabelled = rows.split_off(size);
        let train = Dataset::new(&self.task(), data.train.inputs(self.card, &rows), data.train.labels(&rows))
            .expect("what is loaded is finite, and its labels are classes");
        RealInstance { data, train, unlabelled, seed, name: name.to_owned() }
    }
}

/// A problem on real data under one seed.
#[derive(Clone, Debug)]
pub struct RealInstance {
    data: Arc<LoadedDataset>,
    train: Dataset,
    /// Indices of the training examples whose labels agents are not given.
    unlabelled: Vec<usize>,
    seed: Seed,
    name: String,
}

impl RealInstance {
    /// Returns the training examples.
    pub fn train(&self) -> &Dataset {
        &self.train
    }

    /// Gathers the inputs without labels; returns `None` if all training examples have their labels.
    pub fn unlabelled(&self) -> Option<Inputs> {
        let inputs = || self.data.train.inputs(self.data.card, &self.unlabelled).into();
        (!self.unlabelled.is_empty()).then(inputs)
    }

    /// Draws the test tau-samples of a range of indices.
    pub fn test(&self, tau: u32, samples: Range<u32>) -> TauSamples {
        let card = self.data.card;
        let mut rows = Vec::with_capacity(samples.len() * tau as usize);
        for n in samples {
            let mut source = stream(self.seed, "test-inputs", &self.name, tau_sample_index(tau, n));
            rows.extend((0..tau).map(|_| pick::below(card.test_size as usize, &mut source)));
        }
        let test = &self.data.test;
        TauSamples { inputs: test.inputs(card, &rows).into(), labels: test.labels(&rows), log_likelihoods: None }
    }
}

//! An agent under test: trains it on small tasks and compares answers bit for bit.

use std::cell::Cell;

use jointly_core::regression::{Belief, RegressionTask, Regressor, Targets};
use jointly_core::{Classifier as _, Dataset, Inputs, Matrix, Model as _, Task};
use jointly_host::{Failure, Interface, Kind, Limits, Setting, Trace};
use jointly_record::settings::Settings;

use crate::agent::{Agent, TrainedClassifier, TrainedRegressor};

/// The seed of every training, unless a check asks for another.
pub(super) const SEED: u64 = 1;
/// The number of draws, enough that an ensemble repeats members.
pub(super) const DRAWS: u64 = 12;
/// Numbers in the answer of one draw at one row: probabilities of two classes, or a mean and the spread of the noise.
pub(super) const NUMBERS: usize = 2;

/// An agent with the settings and the interface that it is tested with.
pub struct Subject<'a> {
    pub(super) agent: &'a Agent,
    pub(super) interface: Interface,
    pub(super) settings: Vec<Setting>,
    pub(super) limits: Limits,
    spent: Cell<bool>,
    /// The largest difference between answers that were accepted as the same.
    difference: Cell<f32>,
}

/// A trained agent.
pub(super) enum Learned {
    Classifier(Box<TrainedClassifier>),
    Regressor(Box<TrainedRegressor>),
}

impl Learned {
    /// Returns the trained regressor.
    pub(super) fn regressor(&mut self) -> Result<&mut TrainedRegressor, String> {
        match self {
            Self::Regressor(trained) => Ok(trained),
            Self::Classifier(_) => Err("not a regressor".into()),
        }
    }

    pub(super) fn fuel_used(&self) -> Option<u64> {
        match self {
            Self::Classifier(trained) => trained.fuel_used(),
            Self::Regressor(trained) => trained.fuel_used(),
        }
    }

    pub(super) fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        match self {
            Self::Classifier(trained) => trained.canonical_draws(draws),
            Self::Regressor(trained) => trained.canonical_draws(draws),
        }
    }
}

impl<'a> Subject<'a> {
    /// Prepares an agent for tests through one of its interfaces, with the settings and limits that all trainings have.
    pub fn new(agent: &'a Agent, interface: Interface, settings: &Settings, limits: Limits) -> Self {
        Self {
            agent,
            interface,
            settings: settings.to_list(),
            limits,
            spent: Cell::default(),
            difference: Cell::default(),
        }
    }

    /// Returns whether a training used up its fuel.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Trains on a few points in the plane, with two classes or with targets.
    pub(super) fn trained(&self) -> Result<Learned, String> {
        self.train(2, 20, SEED, &self.settings).map_err(|failure| failure.to_string())
    }

    /// Trains a classifier as [`trained`](Self::trained) does, by one call even if it has parts.
    pub(super) fn trained_whole(&self) -> Result<Learned, String> {
        let (task, data) = spiral(2, 20);
        let mut agent = self.agent.classifier(self.settings.clone(), self.limits, Trace::default()).whole();
        let trained = self.note(agent.train(&task, &data, None, None, SEED));
        trained.map(|trained| Learned::Classifier(trained.into())).map_err(|failure| failure.to_string())
    }

    pub(super) fn train(
        &self,
        num_classes: u32,
        examples: usize,
        seed: u64,
        settings: &[Setting],
    ) -> Result<Learned, Failure> {
        match self.interface {
            Interface::Classification => {
                let (task, data) = spiral(num_classes, examples);
                let trained = self.train_on(&task, &data, None, None, seed, settings);
                trained.map(|trained| Learned::Classifier(trained.into()))
            }
            Interface::Regression => {
                let task = RegressionTask { input_dim: 2, noise_std: None };
                let mut agent = self.agent.regressor(settings.to_vec(), self.limits, Trace::default());
                let trained = self.note(agent.train(&task, &targets(examples), None, seed));
                trained.map(|trained| Learned::Regressor(trained.into()))
            }
        }
    }

    /// Trains on a classification task with inputs of any kind.
    pub(super) fn train_on(
        &self,
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
        settings: &[Setting],
    ) -> Result<TrainedClassifier, Failure> {
        let mut agent = self.agent.classifier(settings.to_vec(), self.limits, Trace::default());
        self.note(agent.train(task, data, validation, unlabelled, seed))
    }

    /// Returns the largest accepted difference since the last call, if answers differed.
    pub(super) fn take_difference(&self) -> Option<f32> {
        Some(self.difference.take()).filter(|difference| *difference > 0.0)
    }

    /// Reports the first place where two answers differ, for a component in a bit, for a native agent by more than its
    /// tolerance; `place` names the index.
    pub(super) fn same(&self, a: &[f32], b: &[f32], place: impl Fn(usize) -> String) -> Result<(), String> {
        let tolerance = self.agent.tolerance();
        for (at, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a.to_bits() != b.to_bits()) {
            let difference = (a - b).abs();
            if tolerance == 0.0 || difference > tolerance * a.abs().max(b.abs()).max(1.0) {
                return Err(format!("{}: {a} and {b}", place(at)));
            }
            self.difference.set(self.difference.get().max(difference));
        }
        Ok(())
    }

    /// Remembers that a training used up its fuel.
    fn note<T>(&self, trained: Result<T, Failure>) -> Result<T, Failure> {
        trained.inspect_err(|failure| self.spent.set(self.spent.get() || failure.kind == Kind::OutOfFuel))
    }
}

/// Returns a task of classes in the plane, and points on a spiral with their classes.
fn spiral(num_classes: u32, examples: usize) -> (Task, Dataset) {
    let task = Task { temperature: Some(0.1), hidden_layers: Some(2), ..Task::new(2, num_classes) };
    let labels = (0..examples as u32).map(|i| i % num_classes).collect();
    let data = Dataset::new(&task, points(examples, 0), labels).expect("a label in range for each row");
    (task, data)
}

/// Returns points on a spiral with targets that oscillate along it.
fn targets(examples: usize) -> Targets {
    let target = |i: usize| (libm::sin(0.7 * i as f64) + 0.1 * libm::cos(5.0 * i as f64)) as f32;
    Targets::new(points(examples, 0), (0..examples).map(target).collect()).expect("finite, one for each row")
}

/// Returns `rows` distinct inputs; a different `from` gives different ones.
pub(super) fn points(rows: usize, from: usize) -> Matrix {
    let point = |i: usize| {
        let angle = (from + i) as f64;
        let radius = 0.2 + 0.05 * angle;
        [(radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32]
    };
    Matrix::new(rows, 2, (0..rows).flat_map(point).collect()).expect("two values for each row")
}

/// Returns the predictions of draws at inputs, [`NUMBERS`] a row: (m, t, k) in one list.
pub(super) fn sample(model: &mut Learned, inputs: &Matrix, draws: &[u64]) -> Result<Vec<f32>, String> {
    match model {
        Learned::Classifier(trained) => {
            let inputs = Inputs::from(inputs.clone());
            trained.sample_probs(&inputs, draws).map_err(|failure| failure.to_string())
        }
        Learned::Regressor(trained) => {
            let samples = trained.sample_functions(inputs, draws).map_err(|failure| failure.to_string())?;
            Ok(samples.means().iter().zip(samples.noise_stds()).flat_map(|(mean, std)| [*mean, *std]).collect())
        }
    }
}

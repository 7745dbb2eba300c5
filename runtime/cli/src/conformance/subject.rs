//! An agent under test: small trainings, and comparing answers bit for bit.

use std::cell::Cell;

use jointly_core::{Classifier, Dataset, Matrix, Model, Task};
use jointly_host::{Agent, Failure, Kind, Limits, Setting, Trace, Trained};

use crate::agent_spec::Settings;

/// Seed of every training but those that ask for another.
pub(super) const SEED: u64 = 1;
/// Enough draws that an ensemble repeats members.
pub(super) const DRAWS: u64 = 12;

/// An agent with the settings that it is tested with.
pub(crate) struct Subject<'a> {
    pub(super) agent: &'a Agent,
    pub(super) settings: Vec<Setting>,
    pub(super) limits: Limits,
    spent: Cell<bool>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(agent: &'a Agent, settings: &Settings, limits: Limits) -> Self {
        Self { agent, settings: settings.to_list(), limits, spent: Cell::new(false) }
    }

    /// Whether a training used up its fuel.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Trained on a few points of two classes in the plane.
    pub(super) fn trained(&self) -> Result<Trained, String> {
        self.train(2, 20, SEED, &self.settings).map_err(|failure| failure.to_string())
    }

    pub(super) fn train(
        &self,
        num_classes: u32,
        examples: usize,
        seed: u64,
        settings: &[Setting],
    ) -> Result<Trained, Failure> {
        let task = Task { input_dim: 2, num_classes, temperature: Some(0.1), hidden_layers: Some(2) };
        let mut agent = self.agent.with(settings.to_vec(), self.limits, Trace::default());
        let trained = agent.train(&task, &examples_of(num_classes, examples), None, seed);
        trained.inspect_err(|failure| self.spent.set(self.spent.get() || failure.kind == Kind::OutOfFuel))
    }
}

/// Points on a spiral, so that none is like another, labelled in turn.
fn examples_of(num_classes: u32, examples: usize) -> Dataset {
    let labels = (0..examples as u32).map(|i| i % num_classes).collect();
    Dataset::new(points(examples, 0), labels, num_classes).expect("labels in range, one for each row")
}

/// `rows` distinct inputs; another `from` gives others.
pub(super) fn points(rows: usize, from: usize) -> Matrix {
    let point = |i: usize| {
        let angle = (from + i) as f64;
        let radius = 0.2 + 0.05 * angle;
        [(radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32]
    };
    Matrix::new(rows, 2, (0..rows).flat_map(point).collect()).expect("two values for each row")
}

/// The rows of a matrix that `pick` names, in that order.
pub(super) fn select(matrix: &Matrix, pick: &[usize]) -> Matrix {
    let values = pick.iter().flat_map(|row| matrix.row(*row).iter().copied()).collect();
    Matrix::new(pick.len(), matrix.cols(), values).expect("whole rows")
}

/// Class probabilities of draws at inputs: (m, t, k) in one list.
pub(super) fn sample(model: &mut Trained, inputs: &Matrix, draws: &[u64]) -> Result<Vec<f32>, String> {
    model.sample_probs(inputs, draws).map_err(|failure| failure.to_string())
}

/// Says where two answers differ in a bit; `place` names the index.
pub(super) fn same_bits(a: &[f32], b: &[f32], place: impl Fn(usize) -> String) -> Result<(), String> {
    match a.iter().zip(b).position(|(a, b)| a.to_bits() != b.to_bits()) {
        None => Ok(()),
        Some(at) => Err(format!("{}: {} and {}", place(at), a[at], b[at])),
    }
}

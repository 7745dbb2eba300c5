//! An agent with settings and limits as a classifier of the runtime, and the trained classifier.

use jointly_core::{Classifier, Dataset, Inputs, Model, Task, Tokens};

use crate::bindings::ClassifierPre;
use crate::copies::{Copies, Copy};
use crate::given::Given;
use crate::meter::Meter;
use crate::parts;
use crate::sandbox::{Sandbox, invalid, own_word};
use crate::{Description, Failure, Interface, Limits, Phase, Setting, Trace};

/// An agent with its settings and limits, for problems of classification.
#[derive(Clone)]
pub struct ConfiguredClassifier {
    /// The world `classifier`; None if the agent does not support classification.
    component: Option<ClassifierPre<Meter>>,
    /// Whether the agent takes inputs that have tokens.
    tokens: bool,
    /// Whether the agent uses inputs without labels.
    unlabelled: bool,
    /// Whether training is done in parts, if the agent has parts.
    in_parts: bool,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl ConfiguredClassifier {
    pub(crate) fn new(
        component: Option<ClassifierPre<Meter>>,
        description: &Description,
        settings: Vec<Setting>,
        limits: Limits,
        trace: Trace,
    ) -> Self {
        let &Description { tokens, unlabelled, .. } = description;
        Self { component, tokens, unlabelled, in_parts: true, settings, limits, trace }
    }

    /// Trains all parts together, by one call of one instance.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { in_parts: false, ..self }
    }
}

impl Classifier for ConfiguredClassifier {
    type Model = TrainedClassifier;
    type Error = Failure;

    /// Trains the agent in a store of its own, and its parts, if it has any, in stores of theirs, on the threads of the
    /// pool that the caller is in; their stacks must have room for guests. The agent gets `unlabelled` only if its
    /// description says that it uses them.
    ///
    /// # Errors
    /// The agent's failure. An agent that does not support classification, or tokens that the task has, fails before
    /// any of its code runs.
    fn train(
        &mut self,
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<TrainedClassifier, Failure> {
        let component = self.component.as_ref().ok_or_else(|| Failure::no_interface(Interface::Classification))?;
        if task.tokens != Tokens::Absent && !self.tokens {
            return Err(Failure::no_tokens());
        }
        let unlabelled = unlabelled.filter(|_| self.unlabelled);
        let given = Given::new(task, Some(data), validation, unlabelled, &self.settings, seed);
        let mut first = Sandbox::new(component, self.limits, self.trace.clone(), seed)?;
        let count = if self.in_parts { given.count_parts(&mut first)? } else { None };
        let (copies, memory) = if let Some(count) = count {
            let (spent, memory) = (first.fuel_used(), first.memory_used());
            // Only instances that work take memory.
            drop(first);
            let trained = parts::train(component, self.limits, &self.trace, given, spent, count)?;
            let spent = spent.saturating_add(trained.fuel);
            let copies = Copies::two(component, self.limits, &self.trace, given, spent, &trained.parts)?;
            (copies, memory.max(trained.memory))
        } else {
            let model = given.train(&mut first)?.map_err(|failure| own_word(Phase::Train, failure))?;
            (Copies::One(Copy { sandbox: first, model }), 0)
        };
        Ok(TrainedClassifier { copies, num_classes: task.num_classes as usize, memory })
    }
}

/// A trained classifier in its store, or, if it was trained in parts, two copies in theirs.
pub struct TrainedClassifier {
    copies: Copies,
    num_classes: usize,
    /// The most bytes of memory of an instance that was needed for training alone.
    memory: u64,
}

impl TrainedClassifier {
    /// Returns the units of fuel used so far, by training and all later calls.
    pub fn fuel_used(&self) -> u64 {
        self.copies.fuel_used()
    }

    /// Returns the bytes of the agent's memories, which never shrink: of the instance that has the most.
    pub fn memory_used(&self) -> u64 {
        self.copies.memory_used().max(self.memory)
    }
}

impl Model for TrainedClassifier {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let canonical = self.copies.canonical_draws(draws)?;
        if canonical.len() == draws.len() {
            return Ok(canonical);
        }
        Err(invalid(format!("{} canonical draws for {} draws", canonical.len(), draws.len())))
    }

    fn sample_probs(&mut self, asked: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        self.copies.sample_probs(asked, draws, self.num_classes)
    }
}

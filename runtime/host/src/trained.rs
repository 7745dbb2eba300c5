//! A trained classifier.

use jointly_core::{Matrix, Model};
use wasmtime::component::ResourceAny;

use crate::bindings::Classifier as World;
use crate::invalid::defect;
use crate::sandbox::{Sandbox, invalid, matrix, own_word};
use crate::{Failure, Phase};

/// A trained agent, alive in its store.
pub struct Trained {
    sandbox: Sandbox<World>,
    model: ResourceAny,
    num_classes: usize,
}

impl Trained {
    pub(crate) fn new(sandbox: Sandbox<World>, model: ResourceAny, num_classes: u32) -> Self {
        Self { sandbox, model, num_classes: num_classes as usize }
    }

    /// Fuel used so far: by training and by every call since.
    pub fn fuel_used(&self) -> u64 {
        self.sandbox.fuel_used()
    }

    /// Bytes of the agent's memories, which never shrink.
    pub fn memory_used(&self) -> u64 {
        self.sandbox.memory_used()
    }
}

impl Model for Trained {
    type Error = Failure;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        let model = self.model;
        let canonical = self.sandbox.call_for(Phase::Sample, size_of_val(draws), |world, store| {
            world.jointly_agent_classification().model().call_canonical_draws(store, model, draws)
        })?;
        if canonical.len() == draws.len() {
            return Ok(canonical);
        }
        Err(invalid(format!("{} canonical draws for {} draws", canonical.len(), draws.len())))
    }

    fn sample_probs(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<Vec<f32>, Failure> {
        let (model, rows) = (self.model, inputs.rows());
        let bytes = draws.len() * rows * self.num_classes * size_of::<f32>();
        let probs = self
            .sandbox
            .call_for(Phase::Sample, bytes, |world, store| {
                let inputs = matrix(inputs);
                world.jointly_agent_classification().model().call_sample_probs(store, model, inputs, draws)
            })?
            .map_err(|failure| own_word(Phase::Sample, failure))?;
        match defect(&probs, draws, rows, self.num_classes) {
            None => Ok(probs),
            Some(what) => Err(invalid(what)),
        }
    }
}

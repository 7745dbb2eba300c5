//! Remembers how often it was asked, and answers the same question otherwise each time.

use std::cell::Cell;

use jointly_guests::{card, fill};
use jointly_sdk::{
    Description, Failure, Inputs, MultimodalClassifier, MultimodalDataset, MultimodalTask, Rng, Setting, parse_settings,
};

/// Answers depend on the calls before.
pub struct RemembersCalls {
    classes: usize,
    calls: Cell<u64>,
}

impl MultimodalClassifier for RemembersCalls {
    fn describe() -> Description {
        card("remembers-calls", "answers depend on the calls before")
    }

    fn train(
        task: &MultimodalTask,
        _data: &MultimodalDataset,
        _validation: Option<&MultimodalDataset>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { classes: task.num_classes, calls: Cell::new(0) })
    }

    fn sample_probs(&self, _inputs: &Inputs, _draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        let call = self.calls.replace(self.calls.get() + 1);
        let first = Rng::new(1, call).uniform();
        fill(out, self.classes, first);
        Ok(())
    }
}

jointly_sdk::export!(multimodal: RemembersCalls);

//! Counts its calls, and answers the same question differently each time.

use std::cell::Cell;

use jointly_guests::{card_with_tokens, fill};
use jointly_sdk::{Dataset, Description, Failure, InputClassifier, Inputs, Rng, Setting, Task, parse_settings};

/// Answers depend on earlier calls.
pub struct RemembersCalls {
    classes: usize,
    calls: Cell<u64>,
}

impl InputClassifier for RemembersCalls {
    fn describe() -> Description {
        card_with_tokens("remembers-calls", "answers depend on the calls before")
    }

    fn train(
        task: &Task,
        _data: &Dataset<Inputs>,
        _validation: Option<&Dataset<Inputs>>,
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

jointly_sdk::export!(input_classifier: RemembersCalls);

//! Never finishes training on 18 or more examples, which active learning reaches in its third round at the latest.

use std::hint::black_box;

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// A number of examples that the third training of active learning reaches, and the second does not.
const MANY: usize = 18;

/// Trains for ever on many examples.
pub struct EndlessThirdTraining;

impl Regressor for EndlessThirdTraining {
    fn describe() -> Description {
        card("endless-third-training", "trains for ever on many examples")
    }

    fn train(
        _task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        // The optimiser must not see that nothing ever changes.
        while black_box(data.targets.len() >= MANY) {}
        Ok(Self)
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(functions(inputs, draws))
    }
}

jointly_sdk::export!(regressor: EndlessThirdTraining);

//! Refuses to learn from few examples.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// The number of examples that it needs.
const MANY: usize = 20;

/// Refuses fewer than 20 examples.
pub struct NeedsManyRows;

impl Regressor for NeedsManyRows {
    fn describe() -> Description {
        card("needs-many-rows", "refuses fewer than 20 examples")
    }

    fn train(
        _task: &RegressionTask,
        data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        match data.targets.len() {
            rows @ ..MANY => Err(Failure::Unsupported(format!("{rows} examples are too few; give {MANY} or more"))),
            _ => Ok(Self),
        }
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(functions(inputs, draws))
    }
}

jointly_sdk::export!(regressor: NeedsManyRows);

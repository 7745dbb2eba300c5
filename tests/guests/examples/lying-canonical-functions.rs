//! Claims to have two functions, but has one for each draw.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// Canonical draws name different functions than the draws they stand for.
pub struct LyingCanonicalFunctions;

impl Regressor for LyingCanonicalFunctions {
    fn describe() -> Description {
        card("lying-canonical-functions", "canonical draws name other functions")
    }

    fn train(
        _task: &RegressionTask,
        _data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self)
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(functions(inputs, draws))
    }

    fn canonical_draw(&self, draw: u64) -> u64 {
        draw % 2
    }
}

jointly_sdk::export!(regressor: LyingCanonicalFunctions);

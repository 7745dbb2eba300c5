//! Has intervals that are narrower the higher their level is.

use jointly_guests::{card, functions, intervals};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Intervals, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Narrows its intervals with the level.
pub struct ShrinkingIntervals;

impl Regressor for ShrinkingIntervals {
    fn describe() -> Description {
        card("shrinking-intervals", "narrows with the level")
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

    fn intervals(&self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        Ok(Some(intervals(inputs, 2.0 - level)))
    }
}

jointly_sdk::export!(regressor: ShrinkingIntervals);

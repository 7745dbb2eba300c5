//! Has infinite intervals, which cover everything and are uninformative.

use jointly_guests::{card, functions, intervals};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Intervals, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Covers everything.
pub struct EndlessIntervals;

impl Regressor for EndlessIntervals {
    fn describe() -> Description {
        card("endless-intervals", "covers everything")
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

    fn intervals(&self, inputs: &Matrix, _level: f64) -> Result<Option<Intervals>, Failure> {
        Ok(Some(intervals(inputs, f64::INFINITY)))
    }
}

jointly_sdk::export!(regressor: EndlessIntervals);

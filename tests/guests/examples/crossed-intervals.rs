//! Has intervals whose lower ends exceed their upper ends.

use jointly_guests::{card, functions, intervals};
use jointly_sdk::{
    Bounds, Description, Failure, FunctionSamples, Intervals, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Swaps the ends of its intervals.
pub struct CrossedIntervals;

impl Regressor for CrossedIntervals {
    fn describe() -> Description {
        card("crossed-intervals", "has its ends crossed")
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
        let Intervals { confidence, prediction } = intervals(inputs, level);
        let Bounds { lower, upper } = prediction;
        Ok(Some(Intervals { confidence, prediction: Bounds { lower: upper, upper: lower } }))
    }
}

jointly_sdk::export!(regressor: CrossedIntervals);

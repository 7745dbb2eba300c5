//! Has intervals that are narrower the more rows a call has.

use jointly_guests::{card, functions, intervals};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Intervals, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Intervals depend on the number of rows.
pub struct CrowdDependentIntervals;

impl Regressor for CrowdDependentIntervals {
    fn describe() -> Description {
        card("crowd-dependent-intervals", "intervals depend on the number of rows")
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
        Ok(Some(intervals(inputs, level / inputs.rows() as f64)))
    }
}

jointly_sdk::export!(regressor: CrowdDependentIntervals);

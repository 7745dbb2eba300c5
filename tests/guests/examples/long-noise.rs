//! Samples one standard deviation too many.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// Answers with one standard deviation too many.
pub struct LongNoise;

impl Regressor for LongNoise {
    fn describe() -> Description {
        card("long-noise", "says one standard deviation too many")
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
        let mut samples = functions(inputs, draws);
        samples.noise_stds.push(1.0);
        Ok(samples)
    }
}

jointly_sdk::export!(regressor: LongNoise);

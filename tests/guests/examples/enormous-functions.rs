//! Answers with hundreds of megabytes.

use jointly_guests::card;
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// The number of values, 384 MiB of them.
const VALUES: usize = 96 << 20;

/// Answers with as much as it can hold.
pub struct EnormousFunctions;

impl Regressor for EnormousFunctions {
    fn describe() -> Description {
        card("enormous-functions", "answers with all that it can hold")
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

    fn sample_functions(&self, _inputs: &Matrix, _draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(FunctionSamples { means: vec![0.5; VALUES], noise_stds: Vec::new() })
    }
}

jointly_sdk::export!(regressor: EnormousFunctions);

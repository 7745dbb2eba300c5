//! Uses much fuel in each training.

use std::hint::black_box;

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// The number of steps of a training, each of several instructions.
const STEPS: u32 = 50_000_000;

/// Uses much fuel in each training.
pub struct Thirsty;

impl Regressor for Thirsty {
    fn describe() -> Description {
        card("thirsty", "uses much fuel in each training")
    }

    fn train(
        _task: &RegressionTask,
        _data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        // The optimiser must not see that the loop has no effect.
        for step in 0..STEPS {
            black_box(step);
        }
        Ok(Self)
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        Ok(functions(inputs, draws))
    }
}

jointly_sdk::export!(regressor: Thirsty);

//! Uses a different function for the same draw in each call.

use std::cell::Cell;

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// Draws name different functions in different calls.
pub struct ForgetfulFunctions {
    calls: Cell<u64>,
}

impl Regressor for ForgetfulFunctions {
    fn describe() -> Description {
        card("forgetful-functions", "draws name other functions in another call")
    }

    fn train(
        _task: &RegressionTask,
        _data: &Targets,
        _validation: Option<&Targets>,
        settings: &[Setting],
        _seed: u64,
    ) -> Result<Self, Failure> {
        parse_settings(&[], settings)?;
        Ok(Self { calls: Cell::new(0) })
    }

    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let call = self.calls.replace(self.calls.get() + 1);
        let draws: Vec<u64> = draws.iter().map(|draw| draw + 1000 * call).collect();
        Ok(functions(inputs, &draws))
    }
}

jointly_sdk::export!(regressor: ForgetfulFunctions);

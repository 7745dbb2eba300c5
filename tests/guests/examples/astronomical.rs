//! Predicts numbers whose squares exceed the range of floating-point numbers.

use jointly_guests::{card, functions, moments};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Gaussian, Matrix, RegressionTask, Regressor, Setting, Targets,
    parse_settings,
};

/// Predicts astronomically large numbers.
pub struct Astronomical;

impl Regressor for Astronomical {
    fn describe() -> Description {
        card("astronomical", "predicts numbers without end")
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

    fn gaussian(&self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        let moments = moments(inputs);
        Ok(Some(Gaussian { mean: vec![1e300; inputs.rows()], ..moments }))
    }
}

jointly_sdk::export!(regressor: Astronomical);

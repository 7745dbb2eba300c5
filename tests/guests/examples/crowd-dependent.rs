//! Samples functions whose values depend on the number of rows of a call.

use jointly_guests::{card, functions};
use jointly_sdk::{
    Description, Failure, FunctionSamples, Matrix, RegressionTask, Regressor, Setting, Targets, parse_settings,
};

/// Values depend on the number of rows.
pub struct CrowdDependent;

impl Regressor for CrowdDependent {
    fn describe() -> Description {
        card("crowd-dependent", "values depend on the number of rows")
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
        samples.means.iter_mut().for_each(|mean| *mean += 1.0 / inputs.rows() as f32);
        Ok(samples)
    }
}

jointly_sdk::export!(regressor: CrowdDependent);

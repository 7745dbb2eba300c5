//! A native agent with settings as a regressor of the runtime, and the trained regressor.

use std::sync::Arc;
use std::time::Duration;

use jointly_core::failure::{Failure, Phase};
use jointly_core::interface::Interface;
use jointly_core::limits::Limits;
use jointly_core::regression::{
    AnswerError, Belief, Bounds, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets,
};
use jointly_core::setting::Setting;
use jointly_core::{Matrix, Trace};
use serde_json::json;

use crate::array::{Array, announced};
use crate::fault::Fault;
use crate::pool::Pool;
use crate::session::expect;
use crate::trained::{Trained, settings_of, short};

/// A native agent with its settings and limits, for problems of regression.
pub struct NativeRegressor {
    /// None if the agent does not support regression.
    pool: Option<Arc<Pool>>,
    settings: Vec<Setting>,
    limits: Limits,
    trace: Trace,
}

impl NativeRegressor {
    pub(crate) fn new(pool: Option<Arc<Pool>>, settings: Vec<Setting>, limits: Limits, trace: Trace) -> Self {
        Self { pool, settings, limits, trace }
    }
}

impl Regressor for NativeRegressor {
    type Belief = NativeBelief;
    type Error = Failure;

    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        validation: Option<&Targets>,
        seed: u64,
    ) -> Result<NativeBelief, Failure> {
        let pool = self.pool.as_ref().ok_or_else(|| Failure::no_interface(Interface::Regression))?;
        let mut arrays = Vec::new();
        for (name, data) in [("train", Some(train)), ("validation", validation)] {
            let Some(data) = data else { continue };
            arrays.push(matrix(&format!("{name}.inputs"), data.inputs()));
            arrays.push(Array::new(&format!("{name}.targets"), &[data.rows()], data.targets()));
        }
        let request = json!({
            "method": "train", "kind": "regression", "seed": seed.to_string(), "settings": settings_of(&self.settings),
            "task": { "input_dim": task.input_dim, "noise_std": task.noise_std.map(short) },
        });
        let timeout = Duration::from_secs(self.limits.timeout);
        Ok(NativeBelief { trained: Trained::train(pool, &request, &arrays, &self.trace, timeout)? })
    }
}

/// A trained regressor behind its connection.
pub struct NativeBelief {
    trained: Trained,
}

impl Belief for NativeBelief {
    type Error = Failure;

    fn tolerance(&self) -> f32 {
        crate::TOLERANCE
    }

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Failure> {
        self.trained.canonical_draws(draws)
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        let shape = [draws.len(), inputs.rows()];
        let arrays = [matrix("inputs", inputs), Array::new("draws", &[draws.len()], draws)];
        self.trained.ask(Phase::Sample, &json!({ "method": "sample_functions" }), &arrays, |session, reply| {
            expect(reply, &[announced::<f32>("means", &shape), announced::<f32>("noise_stds", &shape)])?;
            let (means, noise_stds) = (session.values(&shape)?, session.values(&shape)?);
            FunctionSamples::new(shape[1], shape[0], means, noise_stds).map_err(invalid)
        })
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        let rows = inputs.rows();
        let arrays = [matrix("inputs", inputs)];
        self.trained.ask(Phase::Sample, &json!({ "method": "gaussian" }), &arrays, |session, reply| {
            if reply.none {
                return Ok(None);
            }
            let shapes = [("mean", vec![rows]), ("covariance", vec![rows, rows]), ("noise_variance", vec![rows])];
            expect(reply, &shapes.each_ref().map(|(name, shape)| announced::<f64>(name, shape)))?;
            let [mean, covariance, noise] = shapes.map(|(_, shape)| session.values::<f64>(&shape));
            Gaussian::new(rows, mean?, covariance?, noise?).map(Some).map_err(invalid)
        })
    }

    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Failure> {
        let rows = inputs.rows();
        let (arrays, request) = ([matrix("inputs", inputs)], json!({ "method": "intervals", "level": level }));
        self.trained.ask(Phase::Sample, &request, &arrays, |session, reply| {
            if reply.none {
                return Ok(None);
            }
            let shape = [2, rows];
            let names: &[&str] = if reply.arrays.len() == 1 { &["prediction"] } else { &["prediction", "confidence"] };
            let expected: Vec<_> = names.iter().map(|name| announced::<f64>(name, &shape)).collect();
            expect(reply, &expected)?;
            let mut bounds = || -> Result<Bounds, Fault> {
                let lower = session.values(&[rows])?;
                Bounds::new(lower, session.values(&[rows])?).map_err(invalid)
            };
            let prediction = bounds()?;
            let confidence = (names.len() > 1).then(bounds).transpose()?;
            Ok(Some(Intervals { confidence, prediction }))
        })
    }
}

fn matrix<'a>(name: &str, matrix: &'a Matrix) -> Array<'a> {
    Array::new(name, &[matrix.rows(), matrix.cols()], matrix.values())
}

fn invalid(error: AnswerError) -> Fault {
    Fault::Invalid(error.to_string())
}

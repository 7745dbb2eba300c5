//! Asks an agent for its predictions at each row, and derives what it does not give.

use jointly_core::functions::Functions;
use jointly_core::matrix::Matrix;
use jointly_core::regression::answer::{Bounds, Gaussian, Intervals};
use jointly_core::regression::regressor::Belief;

use super::audit::{self, Audit};
use super::draws::Draws;
use super::{LevelIntervals, Origin, Prediction, PredictionOptions, Samples};
use crate::fit::{FitError, Fitted};

/// Maximum number of rows per call for moments; the answer is a covariance of all these rows.
pub(super) const GAUSSIAN_ROWS: usize = 256;

impl<B: Belief> Fitted<B> {
    /// Returns the agent's distinct functions among draws 0..M.
    pub(crate) fn functions(&mut self, options: &PredictionOptions) -> Result<Functions, FitError<B::Error>> {
        Functions::of(options.draws, |draws| self.belief.canonical_draws(draws)).map_err(FitError::Agent)
    }

    /// Returns the agent's predictions at the rows.
    ///
    /// # Formula
    /// For M draws with values `f_m` and noise of standard deviation `s_m`, the mean is `sum f_m / M`, the function's
    /// variance is `sum (f_m - mean)^2 / (M - 1)`, or 0 if there is only one distinct function, and the noise's
    /// variance is `sum s_m^2 / M`. A confidence interval of level c extends from the (1 - c)/2 quantile to the (1 +
    /// c)/2 quantile of the `f_m`, computed by [`weighted_quantile`](super::weighted_quantile): an agent with one
    /// function has intervals of width 0. A prediction interval extends between the same quantiles of the
    /// [mixture](super::NormalMixture). For Gaussian moments, both intervals are mean -+ z standard deviations.
    ///
    /// Draws are requested only if the agent gives no moments. Calls have a bounded size, which depends only on the
    /// numbers of rows and functions. Some answers are requested again together with other rows and draws: draws and
    /// intervals, also alone, and moments.
    ///
    /// # Errors
    /// Errors of the agent, unchanged; [`Inconsistent`](FitError::Inconsistent) when a repeated question gets another
    /// answer; or when an input leaves the range of `f32` once standardised.
    ///
    /// # Panics
    /// When an answer has another number of rows than the inputs.
    pub fn predict(&mut self, inputs: &Matrix, options: &PredictionOptions) -> Result<Prediction, FitError<B::Error>> {
        let functions = self.functions(options)?;
        self.predict_with(&functions, inputs, options)
    }

    /// Returns the agent's own joint moments of all rows, in the data's units; `None` if it only has samples. The
    /// moments of a few rows are requested again.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub fn gaussian(
        &mut self,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Option<Gaussian>, FitError<B::Error>> {
        let inputs = self.standardization.inputs(inputs)?;
        self.audited(&inputs, options)
    }

    /// Returns the agent's own moments at standardised inputs, converted to the data's units.
    fn audited(
        &mut self,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Option<Gaussian>, FitError<B::Error>> {
        let Some(gaussian) = self.belief.gaussian(inputs).map_err(FitError::Agent)? else { return Ok(None) };
        assert_eq!(gaussian.mean().len(), inputs.rows(), "a mean for each row");
        audit::moments(&mut self.belief, inputs, &gaussian, options)?;
        Ok(Some(self.standardization.undo_gaussian(&gaussian)))
    }

    /// Returns the intervals of this level that the method itself defines, in the data's units; `None` if it defines
    /// none. The intervals of a few rows are requested again.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub fn intervals(
        &mut self,
        inputs: &Matrix,
        level: f64,
        options: &PredictionOptions,
    ) -> Result<Option<Intervals>, FitError<B::Error>> {
        let inputs = self.standardization.inputs(inputs)?;
        self.audited_intervals(&inputs, level, options)
    }

    /// Returns the agent's own intervals at standardised inputs, converted to the data's units.
    fn audited_intervals(
        &mut self,
        inputs: &Matrix,
        level: f64,
        options: &PredictionOptions,
    ) -> Result<Option<Intervals>, FitError<B::Error>> {
        let Some(own) = self.belief.intervals(inputs, level).map_err(FitError::Agent)? else { return Ok(None) };
        assert_eq!(own.prediction.rows(), inputs.rows(), "a prediction interval for each row");
        audit::intervals(&mut self.belief, inputs, &own, level, options)?;
        Ok(Some(self.standardization.undo_intervals(&own)))
    }

    /// Returns the draws of these numbers of the function at all rows, in the data's units, in the order of the numbers.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub fn sample(
        &mut self,
        inputs: &Matrix,
        numbers: Vec<u64>,
        options: &PredictionOptions,
    ) -> Result<Samples, FitError<B::Error>> {
        let functions =
            Functions::among(numbers, |draws| self.belief.canonical_draws(draws)).map_err(FitError::Agent)?;
        let inputs = self.standardization.inputs(inputs)?;
        Ok(self.draws(&functions, &inputs, options)?.samples(&functions))
    }

    /// Returns each function at all rows, after asking again for a few of its values.
    pub(super) fn draws(
        &mut self,
        functions: &Functions,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Draws, FitError<B::Error>> {
        let draws = Draws::ask(&mut self.belief, functions, inputs, &self.standardization).map_err(FitError::Agent)?;
        Audit::of(functions, inputs, options).run(&mut self.belief, inputs, functions, &draws)?;
        Ok(draws)
    }

    pub(crate) fn predict_with(
        &mut self,
        functions: &Functions,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Prediction, FitError<B::Error>> {
        let inputs = self.standardization.inputs(inputs)?;
        let mut prediction = match self.moments(&inputs, options)? {
            Some(prediction) => prediction,
            None => self.sampled(functions, &inputs, options)?,
        };
        for &level in &options.levels {
            let own = self.audited_intervals(&inputs, level, options)?;
            let intervals = complete(&prediction, own, level);
            prediction.intervals.push(intervals);
        }
        Ok(prediction)
    }

    /// Returns the agent's own moments, in the data's units and in calls of a bounded number of rows.
    fn moments(
        &mut self,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Option<Prediction>, FitError<B::Error>> {
        let mut all = Prediction {
            mean: Vec::new(),
            function_variance: Vec::new(),
            noise_variance: Vec::new(),
            moments_from: Origin::Agent,
            intervals: Vec::new(),
            draws: None,
        };
        for rows in inputs.values().chunks(GAUSSIAN_ROWS * inputs.cols()) {
            let rows = Matrix::from_rows(inputs.cols(), rows.to_vec());
            let Some(gaussian) = self.audited(&rows, options)? else { return Ok(None) };
            all.mean.extend(gaussian.mean());
            all.function_variance.extend((0..rows.rows()).map(|row| gaussian.variance(row)));
            all.noise_variance.extend(gaussian.noise_variance());
        }
        Ok(Some(all))
    }

    /// Returns the moments of draws.
    fn sampled(
        &mut self,
        functions: &Functions,
        inputs: &Matrix,
        options: &PredictionOptions,
    ) -> Result<Prediction, FitError<B::Error>> {
        let draws = self.draws(functions, inputs, options)?;
        let rows = 0..inputs.rows();
        let moments: Vec<_> = rows.map(|row| draws.moments(row)).collect();
        Ok(Prediction {
            mean: moments.iter().map(|moments| moments.mean).collect(),
            function_variance: moments.iter().map(|moments| moments.function_variance).collect(),
            noise_variance: moments.iter().map(|moments| moments.noise_variance).collect(),
            moments_from: Origin::Draws,
            intervals: Vec::new(),
            draws: Some(draws),
        })
    }
}

/// Completes the agent's own intervals with derived ones.
fn complete(prediction: &Prediction, own: Option<Intervals>, level: f64) -> LevelIntervals {
    let (confidence, predictive) = match own {
        Some(intervals) => (intervals.confidence, Some(intervals.prediction)),
        None => (None, None),
    };
    let derived = prediction.derived();
    let derive = |interval: &dyn Fn(usize) -> (f64, f64)| {
        let mut bounds = Bounds::default();
        for row in 0..prediction.rows() {
            let (lower, upper) = interval(row);
            bounds.push(lower, upper);
        }
        bounds
    };
    let (confidence, confidence_from) = match confidence {
        Some(bounds) => (bounds, Origin::Agent),
        None => (derive(&|row| prediction.confidence(row, level)), derived),
    };
    let (predictive, prediction_from) = match predictive {
        Some(bounds) => (bounds, Origin::Agent),
        None => (derive(&|row| prediction.prediction(row, level)), derived),
    };
    assert_eq!(confidence.rows(), prediction.rows(), "a confidence interval for each row");
    assert_eq!(predictive.rows(), prediction.rows(), "a prediction interval for each row");
    LevelIntervals { level, confidence, confidence_from, prediction: predictive, prediction_from }
}

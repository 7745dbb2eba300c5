//! Scores of one agent on one test set, in a form that a journal reproduces to the bit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jointly_core::regression::answer::Bounds;
use jointly_core::score::Real;

use super::metric::{
    Calibration, QuantileScores, gaussian_crps, gaussian_nll, interval_score, mixture_crps, mixture_nll,
};
use super::predictive::{Component, LevelIntervals, Origin, Prediction};

/// Means over the rows of one test set, all in the data's units.
///
/// `nll`, `crps`, `check`, `interval`, the calibration errors and the sharpness are scores of the Gaussian with the
/// predicted mean and variance, as in the papers. The two scores of the mixture are those of the [predictive
/// distribution](Prediction::observation) itself; they are equal to the former if the agent's moments are Gaussian.
///
/// A distribution without variance is a point mass, a certain prediction. Its likelihood is infinite if it is right and
/// 0 if it is wrong, and a certain wrong prediction outweighs all others: the mean negative log-likelihood is inf if
/// any row has one, else -inf if any row has a certain right prediction. All other scores of a point mass are finite.
///
/// The scores have no standard error: the rows share one training set, so that training sets, or splits, are the
/// independent units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegressionScores {
    /// Number of rows.
    pub rows: u64,
    /// Number of rows with an infinite log-likelihood: certain predictions, right or wrong.
    pub certain: u64,
    /// Whether the moments are the agent's own or estimated from draws.
    pub moments_from: Origin,
    /// Root mean squared error of the predicted mean.
    pub rmse: Real,
    /// Negative log-likelihood, in nats.
    pub nll: Real,
    /// Negative log-likelihood of the mixture, in nats.
    pub nll_mixture: Real,
    /// Continuous ranked probability score.
    pub crps: Real,
    /// Continuous ranked probability score of the mixture.
    pub crps_mixture: Real,
    /// Check score, mean over 99 quantiles.
    pub check: Real,
    /// Interval score, mean over 99 levels.
    pub interval: Real,
    /// Mean absolute calibration error.
    pub calibration_mae: Real,
    /// Root mean squared calibration error.
    pub calibration_rmse: Real,
    /// Miscalibration area.
    pub miscalibration_area: Real,
    /// Root of the mean predicted variance.
    pub sharpness: Real,
    /// Observed share at each of the [levels](super::metric::CALIBRATION_LEVELS) of the calibration curve.
    pub calibration: Vec<Real>,
    /// The scores of the intervals at each level.
    pub levels: Vec<LevelScores>,
}

/// Scores of the intervals at one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelScores {
    /// The coverage that the intervals claim.
    pub level: f64,
    /// Origin of the prediction intervals.
    pub prediction_from: Origin,
    /// Origin of the confidence intervals.
    pub confidence_from: Origin,
    /// Prediction interval coverage probability: the share of observations within their prediction intervals.
    /// Sluijterman et al., definition 5.
    pub picp: Real,
    /// Mean width of the prediction intervals; inf if one of them is infinite.
    pub width: Real,
    /// Mean [interval score](interval_score) of the prediction intervals.
    pub interval: Real,
}

/// Sums of scores, added block by block.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    rows: u64,
    moments_from: Option<Origin>,
    squares: f64,
    nll: LogLoss,
    nll_mixture: LogLoss,
    crps: f64,
    crps_mixture: f64,
    check: f64,
    interval: f64,
    variance: f64,
    calibration: Calibration,
    quantiles: QuantileScores,
    levels: Vec<LevelTally>,
}

#[derive(Clone, Debug)]
struct LevelTally {
    level: f64,
    prediction_from: Origin,
    confidence_from: Origin,
    hits: u64,
    width: f64,
    interval: f64,
}

impl Tally {
    /// Adds the rows of a block.
    pub(super) fn add(&mut self, prediction: &Prediction, targets: &[f32]) {
        assert_eq!(prediction.rows(), targets.len(), "a target for each row");
        self.moments_from = Some(prediction.moments_from);
        for (row, &target) in targets.iter().enumerate() {
            let (y, mean, variance) = (f64::from(target), prediction.mean[row], prediction.variance(row));
            let deviation = variance.sqrt();
            let law = prediction.observation(row);
            self.rows += 1;
            self.squares += (y - mean) * (y - mean);
            self.nll.add(gaussian_nll(y, mean, deviation));
            self.nll_mixture.add(mixture_nll(y, &law));
            self.crps += gaussian_crps(y, mean, deviation);
            self.crps_mixture += mixture_crps(y, &law);
            self.check += self.quantiles.check(y, mean, deviation);
            self.interval += self.quantiles.interval(y, mean, deviation);
            self.variance += variance;
            self.calibration.add_standardized(Component { weight: 1.0, mean, deviation }.standardized(y));
        }
        if self.levels.is_empty() {
            self.levels = prediction.intervals.iter().map(LevelTally::of).collect();
        }
        for (tally, intervals) in self.levels.iter_mut().zip(&prediction.intervals) {
            tally.add(&intervals.prediction, targets);
        }
    }

    /// Returns the means.
    pub(super) fn finish(self) -> RegressionScores {
        let rows = self.rows as f64;
        let mean = |sum: f64| real(sum / rows);
        RegressionScores {
            rows: self.rows,
            certain: self.nll.certain().max(self.nll_mixture.certain()),
            moments_from: self.moments_from.unwrap_or(Origin::Draws),
            rmse: real((self.squares / rows).sqrt()),
            nll: mean(self.nll.sum()),
            nll_mixture: mean(self.nll_mixture.sum()),
            crps: mean(self.crps),
            crps_mixture: mean(self.crps_mixture),
            check: mean(self.check),
            interval: mean(self.interval),
            calibration_mae: real(self.calibration.mean_absolute_error()),
            calibration_rmse: real(self.calibration.root_mean_squared_error()),
            miscalibration_area: real(self.calibration.area()),
            sharpness: real((self.variance / rows).sqrt()),
            calibration: self.calibration.curve().into_iter().map(real).collect(),
            levels: self.levels.iter().map(|level| level.finish(rows)).collect(),
        }
    }
}

/// A sum of negative log-likelihoods, some of which may be infinite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogLoss {
    finite: f64,
    right: u64,
    wrong: u64,
}

impl LogLoss {
    pub(super) fn add(&mut self, loss: f64) {
        if loss == f64::INFINITY {
            self.wrong += 1;
        } else if loss == f64::NEG_INFINITY {
            self.right += 1;
        } else {
            self.finite += loss;
        }
    }

    fn certain(self) -> u64 {
        self.right + self.wrong
    }

    pub(super) fn sum(self) -> f64 {
        match self {
            Self { wrong: 1.., .. } => f64::INFINITY,
            Self { right: 1.., .. } => f64::NEG_INFINITY,
            Self { finite, .. } => finite,
        }
    }
}

impl LevelTally {
    fn of(intervals: &LevelIntervals) -> Self {
        let LevelIntervals { level, prediction_from, confidence_from, .. } = *intervals;
        Self { level, prediction_from, confidence_from, hits: 0, width: 0.0, interval: 0.0 }
    }

    fn add(&mut self, bounds: &Bounds, targets: &[f32]) {
        for (row, &target) in targets.iter().enumerate() {
            let y = f64::from(target);
            self.hits += u64::from(bounds.contains(row, y));
            self.width += bounds.width(row);
            self.interval += interval_score(y, bounds.lower()[row], bounds.upper()[row], self.level);
        }
    }

    fn finish(&self, rows: f64) -> LevelScores {
        LevelScores {
            level: self.level,
            prediction_from: self.prediction_from,
            confidence_from: self.confidence_from,
            picp: real(self.hits as f64 / rows),
            width: real(self.width / rows),
            interval: real(self.interval / rows),
        }
    }
}

/// Replaces every NaN by the same one, since the sign of NaNs differs by CPU.
fn real(x: f64) -> Real {
    Real(if x.is_nan() { f64::NAN } else { x })
}

//! What the intervals of one simulation cover at each test point.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packed::{Flags, Numbers};
use crate::predictive::{LevelIntervals, Origin, Prediction};
use crate::process::TestSet;

/// What the intervals of one simulation cover, level by level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulationCoverage {
    /// One for each level, in the order in which they were asked for.
    pub levels: Vec<LevelCoverage>,
}

/// What the intervals of one level cover at each test point of one simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelCoverage {
    /// The coverage that the intervals claim.
    pub level: f64,
    /// Where the prediction intervals come from.
    pub prediction_from: Origin,
    /// Where the confidence intervals come from.
    pub confidence_from: Origin,
    /// Whether the test set's own observation is in the prediction interval.
    pub observed: Flags,
    /// The probability that a new observation is, by the known law of the noise: equation 7 of the paper for normal noise.
    pub covered: Numbers,
    /// Widths of the prediction intervals.
    pub prediction_widths: Numbers,
    /// Whether the function's value is in the confidence interval.
    pub held: Flags,
    /// Widths of the confidence intervals.
    pub confidence_widths: Numbers,
}

impl SimulationCoverage {
    /// No test points yet.
    pub(crate) fn new(levels: &[f64]) -> Self {
        let level = |&level| LevelCoverage {
            level,
            prediction_from: Origin::Draws,
            confidence_from: Origin::Draws,
            observed: Flags::default(),
            covered: Numbers::default(),
            prediction_widths: Numbers::default(),
            held: Flags::default(),
            confidence_widths: Numbers::default(),
        };
        Self { levels: levels.iter().map(level).collect() }
    }

    /// Adds the test points from `start` on.
    pub(crate) fn add(&mut self, prediction: &Prediction, test: &TestSet, start: usize) {
        for (level, intervals) in self.levels.iter_mut().zip(&prediction.intervals) {
            level.add(intervals, test, start);
        }
    }

    /// Number of test points, if all lists have as many.
    pub(super) fn points(&self) -> Option<usize> {
        let points = self.levels.first()?.covered.0.len();
        let whole = |level: &LevelCoverage| {
            let numbers = [&level.covered, &level.prediction_widths, &level.confidence_widths];
            numbers.iter().all(|list| list.0.len() == points)
                && level.observed.0.len() == points
                && level.held.0.len() == points
                && level.covered.0.iter().all(|p| (0.0..=1.0).contains(p))
        };
        self.levels.iter().all(whole).then_some(points)
    }
}

impl LevelCoverage {
    fn add(&mut self, intervals: &LevelIntervals, test: &TestSet, start: usize) {
        self.prediction_from = intervals.prediction_from;
        self.confidence_from = intervals.confidence_from;
        let (prediction, confidence) = (&intervals.prediction, &intervals.confidence);
        for row in 0..prediction.rows() {
            let point = start + row;
            self.observed.0.push(prediction.contains(row, f64::from(test.data().targets()[point])));
            let covered = test.probability(point, prediction.lower()[row], prediction.upper()[row]);
            self.covered.0.push(covered as f32);
            self.prediction_widths.0.push(prediction.width(row) as f32);
            self.held.0.push(confidence.contains(row, test.truth()[point]));
            self.confidence_widths.0.push(confidence.width(row) as f32);
        }
    }

    /// Prediction interval coverage probability: the share of the test set's observations in their prediction intervals.
    pub fn picp(&self) -> f64 {
        self.observed.share()
    }

    /// Confidence interval coverage probability: the share of function values in their confidence intervals. Definition 6.
    pub fn cicp(&self) -> f64 {
        self.held.share()
    }

    /// The mean width of the confidence intervals; inf where one is endless.
    pub fn confidence_width(&self) -> f64 {
        let widths = &self.confidence_widths.0;
        widths.iter().map(|&width| f64::from(width)).sum::<f64>() / widths.len() as f64
    }
}

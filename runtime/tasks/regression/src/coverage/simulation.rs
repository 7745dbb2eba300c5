//! Coverage of the intervals of one simulation at each test point.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packed::{Flags, Numbers};
use crate::predictive::{LevelIntervals, Origin, Prediction};
use crate::process::TestSet;

/// Coverage of the intervals of one simulation at each level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulationCoverage {
    /// One entry per level, in the order of the options.
    pub levels: Vec<LevelCoverage>,
}

/// Coverage of the intervals of one level at each test point of one simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelCoverage {
    /// The coverage that the intervals claim.
    pub level: f64,
    /// Origin of the prediction intervals.
    pub prediction_from: Origin,
    /// Origin of the confidence intervals.
    pub confidence_from: Origin,
    /// Whether the prediction interval contains the test set's own observation.
    pub observed: Flags,
    /// The probability that the prediction interval contains a new observation, by the known noise distribution:
    /// equation 7 of the paper for normal noise.
    pub covered: Numbers,
    /// Widths of the prediction intervals.
    pub prediction_widths: Numbers,
    /// Whether the confidence interval contains the function's value.
    pub held: Flags,
    /// Widths of the confidence intervals.
    pub confidence_widths: Numbers,
}

impl SimulationCoverage {
    /// Creates an empty list of test points for each level.
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

    /// Returns the number of test points; `None` if the lists differ in length or a probability is not in [0, 1].
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

    /// Prediction interval coverage probability: the share of the test set's observations in their prediction
    /// intervals.
    pub fn picp(&self) -> f64 {
        self.observed.share()
    }

    /// Confidence interval coverage probability (definition 6): the share of function values in their confidence
    /// intervals.
    pub fn cicp(&self) -> f64 {
        self.held.share()
    }

    /// The mean width of the confidence intervals; inf if one of them is infinite.
    pub fn confidence_width(&self) -> f64 {
        let widths = &self.confidence_widths.0;
        widths.iter().map(|&width| f64::from(width)).sum::<f64>() / widths.len() as f64
    }
}

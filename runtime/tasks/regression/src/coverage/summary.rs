//! Summary of the coverage over many simulations.

use jointly_core::score::{Real, Score};
use serde::{Deserialize, Serialize};

use super::brier::{Brier, brier, mean_by_point};
use super::simulation::LevelCoverage;
use crate::predictive::Origin;

/// The coverage of one agent on one process, over simulations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoverageSummary {
    /// Number of simulations.
    pub simulations: u32,
    /// One entry per level.
    pub levels: Vec<LevelSummary>,
}

/// The coverage of intervals of one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelSummary {
    /// The coverage that the intervals claim.
    pub level: f64,
    /// Prediction intervals: PICP and PICF.
    pub prediction: IntervalSummary,
    /// Confidence intervals: CICP and CICF.
    pub confidence: IntervalSummary,
}

/// The coverage of one kind of interval at one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalSummary {
    /// Origin of the intervals.
    pub origin: Origin,
    /// The share of test points covered in each simulation, in the order of their numbers: PICP or CICP.
    pub by_simulation: Vec<Real>,
    /// Its mean and standard error over simulations.
    pub mean: Score,
    /// The lowest share of a simulation.
    pub lowest: Real,
    /// The highest share of a simulation.
    pub highest: Real,
    /// The coverage fraction at each test point over simulations: PICF, exact over the noise, or CICF.
    pub by_point: Vec<Real>,
    /// The [Brier score](Brier) of this coverage.
    pub brier: Brier,
    /// The mean width at each test point over simulations; inf if one interval there is infinite.
    pub width_by_point: Vec<Real>,
    /// The mean width over test points, with its standard error over simulations.
    pub width: Score,
}

impl LevelSummary {
    /// Summarises one level over at least one simulation.
    pub(super) fn of(simulations: &[&LevelCoverage]) -> Self {
        let level = simulations[0].level;
        let fractions = |flags: &[bool]| flags.iter().map(|&flag| f32::from(u8::from(flag))).collect::<Vec<f32>>();
        let prediction = Parts {
            shares: simulations.iter().map(|s| s.picp()).collect(),
            coverage: simulations.iter().map(|s| s.covered.0.clone()).collect(),
            widths: simulations.iter().map(|s| s.prediction_widths.0.clone()).collect(),
        };
        let confidence = Parts {
            shares: simulations.iter().map(|s| s.cicp()).collect(),
            coverage: simulations.iter().map(|s| fractions(&s.held.0)).collect(),
            widths: simulations.iter().map(|s| s.confidence_widths.0.clone()).collect(),
        };
        Self {
            level,
            prediction: prediction.summary(level, simulations[0].prediction_from),
            confidence: confidence.summary(level, simulations[0].confidence_from),
        }
    }
}

/// One kind of interval in each simulation.
struct Parts {
    shares: Vec<f64>,
    coverage: Vec<Vec<f32>>,
    widths: Vec<Vec<f32>>,
}

impl Parts {
    fn summary(&self, level: f64, origin: Origin) -> IntervalSummary {
        let reals = |values: &[f64]| values.iter().map(|&x| Real(x)).collect();
        let mean_width = |widths: &Vec<f32>| widths.iter().map(|&w| f64::from(w)).sum::<f64>() / widths.len() as f64;
        IntervalSummary {
            origin,
            by_simulation: reals(&self.shares),
            mean: Score::of(&self.shares),
            lowest: Real(self.shares.iter().copied().fold(f64::INFINITY, f64::min)),
            highest: Real(self.shares.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            by_point: reals(&mean_by_point(&self.coverage)),
            brier: brier(&self.coverage, level),
            width_by_point: reals(&mean_by_point(&self.widths)),
            width: Score::of(&self.widths.iter().map(mean_width).collect::<Vec<_>>()),
        }
    }
}

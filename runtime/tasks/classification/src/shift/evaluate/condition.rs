//! The scores of one condition, from the predictions at its inputs.

use jointly_core::metric;
use jointly_core::metric::{
    Bins, CALIBRATION_BINS, MarginalScores, PredictiveEntropy, accuracy_score, brier, confidence_curve,
    confidence_quantiles, confidence_thresholds, confidences, detection, nll, reliability_diagram,
};
use jointly_core::score::{Real, Score};

use super::means::Means;
use crate::shift::score::{Condition, ConditionScores, Detection, DetectionScores, ENTROPY_BINS, LabelledScores};

/// The number of largest probabilities of each input that `ece_top5` covers.
const TOP: usize = 5;

/// Returns the upper edges of the calibration bins of all conditions: quantiles of confidence at the unshifted inputs.
pub(super) fn edges(unshifted: &[f64], num_classes: usize) -> Vec<f64> {
    confidence_quantiles(unshifted, num_classes, 1, CALIBRATION_BINS)
}

/// Computes the scores of a condition, except those that compare it with another.
pub(super) fn score(
    condition: Condition,
    means: Means,
    labels: Option<&[u32]>,
    edges: &[f64],
    num_classes: usize,
) -> ConditionScores {
    let Means { marginals: probs, joint, brier_by_draws } = means;
    let entropy = PredictiveEntropy::of(&probs, num_classes);
    let rows = probs.len() / num_classes;
    // Without labels, `u32::MAX` stands for every label, which is never right.
    let nobody = vec![u32::MAX; rows];
    let curve = confidence_curve(&probs, labels.unwrap_or(&nobody), num_classes, &confidence_thresholds());
    let labelled = labels.map(|labels| {
        let parts = brier(&probs, labels, num_classes);
        let mut marginals = MarginalScores::default();
        marginals.add(&probs, labels, num_classes);
        let ece = |top, bins| Real(reliability_diagram(&probs, labels, num_classes, top, bins).error);
        let is_one = |label: &u32| *label == 1;
        let auc = || {
            let ones: Vec<f64> = probs.chunks_exact(2).map(|row| row[1]).collect();
            Real(metric::auc(&ones, &labels.iter().map(is_one).collect::<Vec<_>>()))
        };
        LabelledScores {
            accuracy: accuracy_score(&probs, labels, num_classes),
            auc: (num_classes == 2).then(auc),
            nll: nll(&probs, labels, num_classes).score,
            brier: parts.score,
            uncertainty: Real(parts.uncertainty),
            resolution: Real(parts.resolution),
            reliability: Real(parts.reliability),
            remainder: Real(parts.remainder),
            ece: Real(marginals.ece()),
            ece_quantile: ece(1, Bins::Edges(edges)),
            ece_top5: (num_classes > TOP).then(|| ece(TOP, Bins::EqualWidth(CALIBRATION_BINS))),
            marginal: marginals.values(),
            calibration: marginals.bins(),
            joint,
            brier_by_draws: brier_by_draws.into_iter().map(|(draws, brier)| (draws, Real(brier))).collect(),
        }
    });
    ConditionScores {
        condition,
        rows: rows as u32,
        confidence: Score::of(&confidences(&probs, num_classes)),
        entropy: entropy.mean(),
        confident: curve.iter().map(|point| [point.count as u32, point.hits as u32]).collect(),
        entropies: entropy.histogram(ENTROPY_BINS).into_iter().map(|count| count as u32).collect(),
        labelled,
        detection: None,
    }
}

impl DetectionScores {
    /// Compares marginal predictions at the unshifted inputs and at out-of-distribution inputs.
    pub(super) fn of(inside: &[f64], outside: &[f64], num_classes: usize) -> Self {
        let doubts = |probs: &[f64]| -> Vec<f64> { confidences(probs, num_classes).iter().map(|c| -c).collect() };
        let entropies = |probs: &[f64]| PredictiveEntropy::of(probs, num_classes).rows().to_vec();
        Self {
            confidence: Detection::of(&doubts(inside), &doubts(outside)),
            entropy: Detection::of(&entropies(inside), &entropies(outside)),
        }
    }
}

impl Detection {
    fn of(inside: &[f64], outside: &[f64]) -> Self {
        let metric::Detection { auroc, aupr_out, aupr_in, fpr95_out, fpr95_in } = detection(inside, outside);
        Self {
            auroc: Real(auroc),
            aupr_out: Real(aupr_out),
            aupr_in: Real(aupr_in),
            fpr95_out: Real(fpr95_out),
            fpr95_in: Real(fpr95_in),
        }
    }
}

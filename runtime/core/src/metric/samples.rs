//! Predictions shared by the tests of metrics.

use proptest::prelude::*;

use crate::stream::stream;

/// Marginal predictions with their labels.
#[derive(Clone, Debug)]
pub(super) struct Predictions {
    pub(super) probs: Vec<f64>,
    pub(super) labels: Vec<u32>,
    pub(super) num_classes: usize,
}

impl Predictions {
    /// Returns the rows in another order.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let row = |&r: &usize| &self.probs[r * self.num_classes..][..self.num_classes];
        Self {
            probs: order.iter().flat_map(row).copied().collect(),
            labels: order.iter().map(|&r| self.labels[r]).collect(),
            num_classes: self.num_classes,
        }
    }
}

/// Generates up to 40 rows of 2 to 5 classes: small integers divided by their sum, so that zeros and ties are common.
pub(super) fn predictions() -> impl Strategy<Value = Predictions> {
    (2usize..=5, 1usize..=40).prop_flat_map(|(num_classes, rows)| {
        let weights = prop::collection::vec(0u32..5, num_classes * rows);
        let labels = prop::collection::vec(0..num_classes as u32, rows);
        (weights, labels).prop_map(move |(weights, labels)| {
            let probs = weights.chunks_exact(num_classes).flat_map(distribution).collect();
            Predictions { probs, labels, num_classes }
        })
    })
}

/// Generates predictions, and an order of their rows.
pub(super) fn shuffled() -> impl Strategy<Value = (Predictions, Vec<usize>)> {
    predictions().prop_flat_map(|predictions| {
        let order: Vec<usize> = (0..predictions.labels.len()).collect();
        (Just(predictions), Just(order).prop_shuffle())
    })
}

fn distribution(weights: &[u32]) -> Vec<f64> {
    let sum: u32 = weights.iter().sum();
    let uniform = 1.0 / weights.len() as f64;
    weights.iter().map(|&w| if sum == 0 { uniform } else { f64::from(w) / f64::from(sum) }).collect()
}

/// Draws rows (1 - p, p) with p ~ U(0, 1), and labels from them.
pub(super) fn calibrated(rows: usize) -> Predictions {
    let mut source = stream(0, "test", "calibrated", 0);
    let mut predictions = Predictions { probs: Vec::new(), labels: Vec::new(), num_classes: 2 };
    for _ in 0..rows {
        let p = source.uniform();
        predictions.probs.extend([1.0 - p, p]);
        predictions.labels.push(u32::from(source.uniform() < p));
    }
    predictions
}

/// Draws rows of three classes with uniform weights, and labels from them.
pub(super) fn calibrated_threefold(rows: usize) -> Predictions {
    let mut source = stream(0, "test", "calibrated threefold", 0);
    let mut predictions = Predictions { probs: Vec::new(), labels: Vec::new(), num_classes: 3 };
    for _ in 0..rows {
        let weights = [source.uniform(), source.uniform(), source.uniform()];
        let sum: f64 = weights.iter().sum();
        let [first, second, third] = weights.map(|w| w / sum);
        let u = source.uniform();
        predictions.probs.extend([first, second, third]);
        predictions.labels.push(u32::from(u >= first) + u32::from(u >= first + second));
    }
    predictions
}

//! The gradient of the weighted cross-entropy with respect to the logits.

use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// The examples of a batch, as the loss sees them.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// The class of each row.
    pub labels: &'a [u32],
    /// How much each row counts: the loss is the weighted sum of their cross-entropies.
    pub weights: &'a [f32],
    /// What is added to the logits of each row, class by class; empty where nothing is.
    pub offsets: &'a [f32],
}

/// Room for the class probabilities of a few rows.
#[derive(Debug)]
pub struct CrossEntropy {
    columns: Vec<Lanes>,
}

impl CrossEntropy {
    /// A loss over so many classes.
    pub fn new(classes: usize) -> Self {
        Self { columns: vec![Lanes::splat(0.0); classes] }
    }

    /// Replaces the logits, `stride` numbers a row, by the loss's gradient with respect to them; tells whether the
    /// loss is finite.
    ///
    /// # Formula
    ///
    /// d loss / d z_tk = w_t (p_tk - [k is the label of t]).
    pub fn differentiate(&mut self, logits: &mut [f32], stride: usize, targets: Targets<'_>) -> bool {
        let classes = self.columns.len();
        let rows = targets.labels.len();
        // Zero times a number is zero, unless that number is infinite or none.
        let mut blemish = Lanes::splat(0.0);
        for from in (0..rows).step_by(LANES) {
            let to = rows.min(from + LANES);
            let logits = &mut logits[from * stride..to * stride];
            for (k, out) in self.columns.iter_mut().enumerate() {
                *out = column(logits, stride, k);
                if !targets.offsets.is_empty() {
                    *out = *out + column(&targets.offsets[from * classes..to * classes], classes, k);
                }
                blemish = out.mul_add(Lanes::splat(0.0), blemish);
            }
            softmax(&mut self.columns);
            for (k, column) in self.columns.iter().enumerate() {
                for (r, p) in column.to_array().into_iter().take(to - from).enumerate() {
                    let hit = if targets.labels[from + r] as usize == k { 1.0 } else { 0.0 };
                    logits[r * stride + k] = targets.weights[from + r] * (p - hit);
                }
            }
        }
        blemish.to_array().into_iter().all(|value| value == 0.0)
    }
}

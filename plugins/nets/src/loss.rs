//! The gradient of the weighted cross-entropy with respect to the logits.

use crate::simd::{LANES, Lanes};
use crate::softmax::{column, softmax};

/// The labels, weights and logit offsets of a minibatch.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// The class of each row.
    pub labels: &'a [u32],
    /// The weight of each row: the loss is the weighted sum of the rows' cross-entropies.
    pub weights: &'a [f32],
    /// The offsets of each row's logits, class by class; empty if there are none.
    pub offsets: &'a [f32],
}

/// The cross-entropy loss, with a scratch buffer for the class probabilities of a few rows.
#[derive(Debug)]
pub struct CrossEntropy {
    columns: Vec<Lanes>,
}

impl CrossEntropy {
    /// Makes a loss over `classes` classes.
    pub fn new(classes: usize) -> Self {
        Self { columns: vec![Lanes::splat(0.0); classes] }
    }

    /// Replaces the logits, `stride` numbers per row, by the gradient of the loss with respect to them, and returns
    /// whether the loss is finite.
    ///
    /// # Formula
    ///
    /// d loss / d z_tk = w_t (p_tk - [k is the label of t]).
    pub fn differentiate(&mut self, logits: &mut [f32], stride: usize, targets: Targets<'_>) -> bool {
        let classes = self.columns.len();
        let rows = targets.labels.len();
        // Zero times a number is zero, unless the number is infinite or NaN.
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

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn gradient_is_weight_times_probability_less_the_label() {
        // Three classes with probabilities 1/6, 2/6 and 3/6 after the offsets are added.
        let (two, three) = (2f32.ln(), 3f32.ln());
        let mut logits = [0.0, 0.0, 0.0, 9.0, 0.0, two, three, 9.0];
        let offsets = [0.0, two, three, 0.0, 0.0, 0.0];
        let targets = Targets { labels: &[1, 2], weights: &[0.5, 2.0], offsets: &offsets };
        assert!(CrossEntropy::new(3).differentiate(&mut logits, 4, targets));
        let expected = [0.5 / 6.0, -0.5 * 4.0 / 6.0, 0.5 * 3.0 / 6.0, 9.0, 2.0 / 6.0, 4.0 / 6.0, -1.0, 9.0];
        for (value, expected) in logits.iter().zip(expected) {
            assert!((value - expected).abs() < TOLERANCE, "{logits:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_told() {
        for blemish in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut logits = [0.0; 2 * 2 * LANES];
            logits[2 * LANES + 1] = blemish;
            let (labels, weights) = ([0; 2 * LANES], [1.0; 2 * LANES]);
            let targets = Targets { labels: &labels, weights: &weights, offsets: &[] };
            assert!(!CrossEntropy::new(2).differentiate(&mut logits, 2, targets), "{blemish}");
        }
    }
}

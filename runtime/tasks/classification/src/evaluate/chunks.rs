//! Divides an evaluation into calls by the sizes alone, because the calls made determine their fuel.

use std::ops::Range;

use crate::rule::Rule;

/// Bounds on the memory in use at one time.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    /// Probabilities that one call returns.
    pub(super) probs: usize,
    /// Rows of inputs that one call takes.
    pub(super) rows: usize,
    /// Bytes of inputs and estimates.
    pub(super) bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        // 32 MiB of probabilities, calls short enough to show progress, and 64 MiB of the host's memory minus the
        // scratch buffer for planes.
        Self { probs: 1 << 23, rows: 1 << 14, bytes: 60 << 20 }
    }
}

/// The number of tau-samples and of draws in a call, both at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    pub(super) samples: usize,
    pub(super) draws: usize,
}

impl Budget {
    /// Chooses as many whole tau-samples as fit with all `functions`; if none does, one tau-sample with as many
    /// functions as fit.
    pub(super) fn chunks(&self, rule: &Rule, input_dim: u32, functions: usize) -> Chunks {
        let bytes = rule.bytes(functions as u64).saturating_add(rule.input_bytes(input_dim));
        let samples = (self.probs / (rule.probs() * functions).max(1))
            .min(self.rows / (rule.tau as usize).max(1))
            .min((self.bytes as u64 / bytes.max(1)) as usize)
            .max(1);
        let draws = (self.probs / (rule.probs() * samples).max(1)).clamp(1, functions);
        Chunks { samples, draws }
    }
}

impl Chunks {
    /// Returns consecutive ranges of tau-samples that cover 0..`samples`.
    pub(super) fn blocks(self, samples: u32) -> impl Iterator<Item = Range<u32>> {
        let step = u32::try_from(self.samples).unwrap_or(u32::MAX);
        (0..samples).step_by(self.samples).map(move |start| start..start.saturating_add(step).min(samples))
    }
}

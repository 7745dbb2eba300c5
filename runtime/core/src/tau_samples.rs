//! Test tau-samples of classification.

use crate::inputs::Inputs;

/// Test tau-samples, one after another.
#[derive(Clone, Debug)]
pub struct TauSamples {
    /// N tau rows for N tau-samples: row n tau + t is input t of tau-sample n.
    pub inputs: Inputs,
    /// The label of each row.
    pub labels: Vec<u32>,
    /// Joint log-likelihood of each tau-sample's labels under the environment, in nats, if it is known.
    pub log_likelihoods: Option<Vec<f64>>,
}

/// Returns the index of the [stream](fn@crate::stream) for tau-sample `n` of order `tau`.
pub fn tau_sample_index(tau: u32, n: u32) -> u64 {
    u64::from(tau) << 32 | u64::from(n)
}

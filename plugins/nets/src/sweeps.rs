//! Sweeps that several agents suggest.

use jointly_sdk::{Sweep, sweep};

/// Sweeps the L2 penalty from nearly none to overwhelming, adaptive and not.
pub fn l2_by_adaptive() -> Sweep {
    let adaptive = ["yes", "no"];
    let l2 = ["1e-4", "1e-3", "1e-2", "0.1", "1", "10", "100"];
    let variants = adaptive.into_iter().flat_map(|adaptive| l2.map(|l2| vec![("l2", l2), ("adaptive", adaptive)]));
    sweep("l2", variants)
}

/// Sweeps one setting over some values.
pub fn one(name: &'static str, values: &[&'static str]) -> Sweep {
    sweep(name, values.iter().map(|value| vec![(name, *value)]))
}

/// Sweeps the widths of the hidden layers.
pub fn hidden() -> Sweep {
    one("hidden", &["50-50", "100-100", "50-50-50", "100-100-100"])
}

/// Sweeps the distribution of the bootstrap weights of training examples.
pub fn bootstrap() -> Sweep {
    one("bootstrap", &["none", "bernoulli", "exponential"])
}

/// Sweeps the number of ensemble members.
pub fn size() -> Sweep {
    one("size", &["1", "3", "10", "30", "100"])
}

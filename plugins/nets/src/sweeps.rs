//! The sweeps that several agents suggest.

use jointly_sdk::{Sweep, sweep};

/// The penalty from nearly none to overwhelming, adaptive or not.
pub fn l2_by_adaptive() -> Sweep {
    let adaptive = ["yes", "no"];
    let l2 = ["1e-4", "1e-3", "1e-2", "0.1", "1", "10", "100"];
    let variants = adaptive.into_iter().flat_map(|adaptive| l2.map(|l2| vec![("l2", l2), ("adaptive", adaptive)]));
    sweep("l2", variants)
}

/// One setting at each of some values.
pub fn one(name: &'static str, values: &[&'static str]) -> Sweep {
    sweep(name, values.iter().map(|value| vec![(name, *value)]))
}

/// Widths of the hidden layers.
pub fn hidden() -> Sweep {
    one("hidden", &["50-50", "100-100", "50-50-50", "100-100-100"])
}

/// The laws by which examples are weighed.
pub fn bootstrap() -> Sweep {
    one("bootstrap", &["none", "bernoulli", "exponential"])
}

/// The number of members.
pub fn size() -> Sweep {
    one("size", &["1", "3", "10", "30", "100"])
}

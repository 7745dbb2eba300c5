//! The sweeps that several agents suggest.

use jointly_sdk::{Sweep, sweep};

/// The penalty from nearly none to overwhelming, adaptive or not.
pub fn l2_by_adaptive() -> Sweep {
    let adaptive = ["yes", "no"];
    let l2 = ["1e-4", "1e-3", "1e-2", "0.1", "1", "10", "100"];
    let variants = adaptive.into_iter().flat_map(|adaptive| l2.map(|l2| vec![("l2", l2), ("adaptive", adaptive)]));
    sweep("l2", variants)
}

/// The number of members.
pub fn size() -> Sweep {
    sweep("size", ["1", "3", "10", "30", "100"].map(|size| vec![("size", size)]))
}

//! The state behind the interfaces; it knows nothing of the store that holds it.

mod clock;
mod output;
mod pollables;
mod random;
mod world;

pub(super) use clock::{Datetime, STEP};
pub(super) use pollables::Pollable;
pub(super) use random::{MOST_BYTES, Random};
pub(crate) use world::VirtualWorld;

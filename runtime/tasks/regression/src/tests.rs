//! Closed-form agents with known coverage: sections 3.2 and 3.4 of Sluijterman et al.

mod extremes;
pub(super) mod least_squares;
mod line;
pub(super) mod linear;
pub(super) mod oracle;
mod pair;
mod resemblance;
mod toolbox;

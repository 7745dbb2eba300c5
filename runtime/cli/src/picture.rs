//! Figure 5 of the paper: what agents believe of a problem on the plane.

mod belief;
mod colours;
mod contour;
mod plane;
mod png;
mod sheet;

pub(crate) use belief::believe;
pub(crate) use plane::Plane;
pub(crate) use sheet::{Row, Sheet};

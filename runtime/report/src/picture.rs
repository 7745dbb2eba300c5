//! Pictures of agents' predictions on problems that can be drawn: classes on the plane (Figure 5 of the paper), or a
//! function of one input (Figure 8 of the paper on coverage).

mod belief;
mod colours;
mod contour;
mod line_belief;
mod line_sheet;
mod pixels;
mod plane;
mod png;
mod sheet;

pub use belief::{Belief, MEAN_DRAWS};
pub use line_belief::LineBelief;
pub use line_sheet::{LineRow, LineSheet, grid};
pub(crate) use pixels::uri;
pub use plane::Plane;
pub use sheet::{Row, Sheet};

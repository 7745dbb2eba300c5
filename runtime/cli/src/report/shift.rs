//! Figures of dataset shift.

use crate::report::figure::Figure;
use crate::report::view::View;

/// Those that the run's problems can make.
pub(crate) fn figures(_view: &View) -> Vec<Figure> {
    Vec::new()
}

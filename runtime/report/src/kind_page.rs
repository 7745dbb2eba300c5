//! The part of a run's page that depends on the kind of task.

use jointly_core::Units;
use jointly_record::plan::Plan;

use crate::choices::Choices;
use crate::figure::Figure;
use crate::view::View;

/// The part of a run's page that depends on the kind of task.
pub(crate) trait KindPage: Sync {
    /// The figures, in their order.
    fn figures(&self, view: &View, choices: &Choices) -> Vec<Figure>;

    /// How predictions were evaluated: rows of the table of what was run.
    fn facts(&self, plan: &Plan) -> Vec<Vec<String>>;

    /// The meaning of ± where it is not the usual one.
    fn errors(&self, _units: Units) -> Option<&'static str> {
        None
    }

    /// Why a run has no figure.
    fn undrawn(&self) -> &'static str {
        "no agent has a result on any problem"
    }

    /// Whether the variants of an agent have markers of their own in the picture of the leaderboard.
    fn tells_variants_apart(&self) -> bool {
        false
    }

    /// Whether a score may be of either sign, so that its axis has no zero to begin at.
    fn is_signed(&self, _score: &str) -> bool {
        false
    }

    /// Whether differences to a baseline are explained even where there is none.
    fn always_compares(&self) -> bool {
        true
    }
}

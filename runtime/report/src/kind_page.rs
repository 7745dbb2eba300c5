//! The part of a run's page that depends on the kind of task.

use jointly_core::Units;
use jointly_record::plan::Plan;

use crate::choices::Choices;
use crate::figure::Figure;
use crate::view::View;

/// The part of a run's page that depends on the kind of task.
pub(crate) trait KindPage: Sync {
    /// Returns the figures, in order.
    fn figures(&self, view: &View, choices: &Choices) -> Vec<Figure>;

    /// Returns how predictions were evaluated, as rows of the table of the run's options.
    fn facts(&self, plan: &Plan) -> Vec<Vec<String>>;

    /// Explains the meaning of ± if it is not the usual one.
    fn errors(&self, _units: Units) -> Option<&'static str> {
        None
    }

    /// Says why a run has no figure.
    fn undrawn(&self) -> &'static str {
        "no agent has a result on any problem"
    }

    /// Returns whether the variants of an agent have markers of their own in the picture of the leaderboard.
    fn tells_variants_apart(&self) -> bool {
        false
    }

    /// Returns whether a score may have either sign, so that its axis does not begin at zero.
    fn is_signed(&self, _score: &str) -> bool {
        false
    }

    /// Returns whether differences to a baseline are explained even without a baseline.
    fn always_compares(&self) -> bool {
        true
    }
}

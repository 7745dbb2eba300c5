//! Where the scores of a kept run come from, `origin.json`: what neither its plan nor its scores say.

use serde::{Deserialize, Serialize};

/// The name of the file.
pub(crate) const ORIGIN: &str = "origin.json";

/// Where the scores of a run come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The commit whose build made the run.
    pub commit: String,
    /// The sum of the units' seconds, if the journal was at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

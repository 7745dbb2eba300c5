//! The list of entries that the close of a contest fixes, `closed.json`.

use jointly_record::format::Format;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Time;

/// The entries that were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryList {
    /// The number of the format.
    pub format: Format,
    /// When the contest was closed, by the organiser's clock.
    pub at: Time,
    /// The digests of the entries, in ascending order.
    pub entries: Vec<String>,
}

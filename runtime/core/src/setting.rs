//! A hyperparameter, as text.

use serde::{Deserialize, Serialize};

/// One setting of an agent; the agent parses the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// The parameter's name.
    pub name: String,
    /// Its value.
    pub value: String,
}

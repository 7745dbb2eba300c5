//! The format in which agents see user-supplied images, as a plan records it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The size and colours in which agents see the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedImages {
    /// The number of rows and of columns.
    pub side: u32,
    /// Whether colours are left out.
    pub grey: bool,
}

impl Default for PlannedImages {
    /// 32 by 32 pixels in colour.
    fn default() -> Self {
        Self { side: 32, grey: false }
    }
}

impl fmt::Display for PlannedImages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, grey } = self;
        write!(formatter, "{side} pixels a side{}", if *grey { " in grey" } else { "" })
    }
}

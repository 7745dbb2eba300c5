//! How a native agent is reached, as users and plans write it: `exec:COMMAND`, `socket:PATH`, `predictions:DIR` or a `.py`.

use std::path::Path;

/// The prefix of a folder of predictions.
pub const PREDICTIONS: &str = "predictions:";

/// Returns whether a text begins with one of the prefixes. Colons may follow in a command or a path, so its settings
/// follow a space and a colon.
pub fn has_prefix(text: &str) -> bool {
    ["exec:", "socket:", PREDICTIONS].iter().any(|prefix| text.starts_with(prefix))
}

/// Returns whether a text says how a native agent is reached.
pub fn is_place(text: &str) -> bool {
    has_prefix(text) || Path::new(text).extension().is_some_and(|extension| extension == "py")
}

//! Standard output, without a panic when nobody reads it.

use std::io::{self, Write};

/// Writes text and a line end.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.trim_end_matches('\n').as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// Writes a value as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(&serde_json::to_string_pretty(value)?)?)
}

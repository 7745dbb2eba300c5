//! The characters of untrusted text that may reach a terminal, and paths as messages show them.

use std::fmt::{Display, Formatter, Result, Write as _};
use std::path::Path;

/// Returns whether a character is visible and does not change how others are shown. Control characters, line and
/// paragraph separators, direction marks and invisible characters are not printable.
pub fn is_printable(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let unseen =
        matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !(c.is_control() || turns || ends_line || unseen)
}

/// The longest message of an agent that is kept.
const MESSAGE_CHARS: usize = 500;

/// Returns a text as one printable line of limited length; messages quote text of agents.
pub fn clean(message: &str) -> String {
    message.chars().map(|c| if is_printable(c) { c } else { ' ' }).take(MESSAGE_CHARS).collect()
}

/// Shows a path in messages and tables. `tests/house` forbids any other way, because whoever sends a file names it.
pub trait ShowPath {
    /// Returns the path with each unprintable character escaped.
    fn shown(&self) -> Shown<'_>;
}

impl ShowPath for Path {
    fn shown(&self) -> Shown<'_> {
        Shown(self)
    }
}

/// A path that shows each unprintable character as its number, such as `\u{1b}`.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(&'a Path);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for c in self.0.to_string_lossy().chars() {
            if is_printable(c) { f.write_char(c) } else { write!(f, "{}", c.escape_unicode()) }?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ShowPath as _;

    #[test]
    fn a_path_is_shown_without_what_moves_the_cursor_or_turns_text() {
        let shown = |path: &str| Path::new(path).shown().to_string();
        assert_eq!(shown("runs/größe 1/数据"), "runs/größe 1/数据");
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}\u{9b}"), "a\\u{1b}[31m\\u{a}b\\u{202e}\\u{9b}");
    }
}

//! The characters of untrusted text that may reach a terminal, and paths as messages show them.

use std::fmt::{Display, Formatter, Result, Write as _};
use std::path::Path;

/// Returns whether a character is visible and does not change how others are shown. Control characters, line and
/// paragraph separators, direction marks and invisible characters are not printable.
pub fn is_printable(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    // Unicode's Default_Ignorable_Code_Point, fillers, and a pattern of Braille without a dot.
    let unseen = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
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

    use super::{ShowPath as _, is_printable};

    /// Each of these stood in a name that looked like another.
    #[test]
    fn what_cannot_be_seen_is_not_printable() {
        let unseen = "\u{ad}\u{34f}\u{115f}\u{180e}\u{200c}\u{200d}\u{2061}\u{2062}\u{206a}\u{2800}\u{3164}\u{fe0f}\u{ffa0}\u{1d173}\u{e0100}";
        assert_eq!(unseen.chars().find(|c| is_printable(*c)), None);
        assert!("größe 数据 é π ♥ 𝛼".chars().all(is_printable));
    }

    #[test]
    fn a_path_is_shown_without_what_moves_the_cursor_or_turns_text() {
        let shown = |path: &str| Path::new(path).shown().to_string();
        assert_eq!(shown("runs/größe 1/数据"), "runs/größe 1/数据");
        assert_eq!(shown("a\u{1b}[31m\nb\u{202e}\u{9b}"), "a\\u{1b}[31m\\u{a}b\\u{202e}\\u{9b}");
    }
}

//! The characters of untrusted text that may reach a terminal.

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

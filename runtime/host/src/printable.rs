//! Messages of guests, as one line that a terminal can show.

use jointly_core::printable::is_printable;

/// The longest message of an agent that is kept.
const MESSAGE_CHARS: usize = 500;

/// One printable line of bounded length: messages quote what a guest wrote.
pub(crate) fn clean(message: &str) -> String {
    message.chars().map(|c| if is_printable(c) { c } else { ' ' }).take(MESSAGE_CHARS).collect()
}

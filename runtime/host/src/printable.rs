//! Messages of guests, cleaned to one printable line.

use jointly_core::printable::is_printable;

/// The longest message of an agent that is kept.
const MESSAGE_CHARS: usize = 500;

/// Returns a text as one printable line of limited length; messages quote text of guests.
pub(crate) fn clean(message: &str) -> String {
    message.chars().map(|c| if is_printable(c) { c } else { ' ' }).take(MESSAGE_CHARS).collect()
}

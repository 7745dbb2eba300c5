//! Limits text from untrusted sources that reaches a terminal.

use jointly_core::printable::is_printable;

/// The most characters kept of a message from an agent; log lines are limited to half as many bytes.
const MOST_SAID: usize = 4_096;

/// Returns the defect of a name that must be printable and have at most `most` characters, if it has one.
pub fn defect(what: &str, name: &str, most: usize) -> Option<String> {
    if name.chars().nth(most).is_some() {
        let start: String = name.chars().filter(|c| is_printable(*c)).take(40).collect();
        return Some(format!("{what} {start}... has more than {most} characters"));
    }
    let odd = name.chars().find(|c| !is_printable(*c))?;
    Some(format!("{what} {name:?} has U+{:04X} in it, which is not printable", u32::from(odd)))
}

/// Replaces each unprintable character of an agent's text by a blank.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_printable(c) { c } else { ' ' }).take(MOST_SAID).collect()
}

#[cfg(test)]
mod tests {
    use super::{MOST_SAID, clean, defect};

    #[test]
    fn what_moves_the_cursor_or_turns_text_is_no_part_of_a_name() {
        for odd in ['\x1b', '\n', '\u{85}', '\u{202e}', '\u{2066}', '\u{2028}', '\u{200b}'] {
            let said = defect("the agent", &format!("mlp{odd}"), 40).unwrap();
            assert!(said.starts_with("the agent \"mlp\\") && said.ends_with("is not printable"), "{said}");
            assert_eq!(clean(&format!("a{odd}b")), "a b");
        }
        for plain in ["ensemble+:size=30", "imported/größe", "数据 1"] {
            assert_eq!((defect("the agent", plain, 40), clean(plain).as_str()), (None, plain));
        }
    }

    #[test]
    fn names_and_messages_have_an_end() {
        assert_eq!(defect("the agent", &"x".repeat(40), 40), None);
        let said = defect("the agent", &"x".repeat(41), 40).unwrap();
        assert!(said.ends_with("... has more than 40 characters"), "{said}");
        assert_eq!(clean(&"x".repeat(2 * MOST_SAID)).len(), MOST_SAID);
    }
}

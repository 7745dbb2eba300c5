//! Which characters of a stranger's text reach a terminal.

/// The most characters of what an agent said that are kept: its lines have no more bytes than half of that.
const MOST_SAID: usize = 4_096;

/// Whether a character shows as itself and changes nothing about those beside it: no control, no end of a line or
/// paragraph, none that turns the direction of what follows, and none that nobody sees.
pub(crate) fn is_printable(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let unseen =
        matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !(c.is_control() || turns || ends_line || unseen)
}

/// What is wrong with a name that should be printable and have so many characters at most, if anything is.
pub(crate) fn defect(what: &str, name: &str, most: usize) -> Option<String> {
    if name.chars().nth(most).is_some() {
        let start: String = name.chars().filter(|c| is_printable(*c)).take(40).collect();
        return Some(format!("{what} {start}... has more than {most} characters"));
    }
    let odd = name.chars().find(|c| !is_printable(*c))?;
    Some(format!("{what} {name:?} has U+{:04X} in it, which is not printed", u32::from(odd)))
}

/// What an agent said, with a blank in place of whatever is not printed.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_printable(c) { c } else { ' ' }).take(MOST_SAID).collect()
}

#[cfg(test)]
mod tests {
    use super::{MOST_SAID, clean, defect};

    #[test]
    fn what_moves_the_cursor_or_turns_text_is_no_part_of_a_name() {
        for odd in ['\x1b', '\n', '\u{85}', '\u{202e}', '\u{2066}', '\u{2028}', '\u{200b}'] {
            let said = defect("the agent", &format!("mlp{odd}"), 40).unwrap();
            assert!(said.starts_with("the agent \"mlp\\") && said.ends_with("is not printed"), "{said}");
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

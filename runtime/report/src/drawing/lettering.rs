//! Estimates the width of texts without knowing the reader's fonts, as that of a wide font.

/// Returns the width of a text in a font of `size` pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Cuts a text to at most `most` characters; one that is cut ends in an ellipsis.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    kept + "…"
}

/// Returns the advance of a character, in heights of the font.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.34,
        'f' | 'r' | 't' | ' ' | '(' | ')' | '/' | '-' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.97,
        '+' | '=' | '±' => 0.84,
        'A'..='Z' => 0.75,
        c if c.is_ascii() => 0.64,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{shortened, width};

    #[test]
    fn wide_letters_take_more_room() {
        assert!(width("mmm", 12.0) > width("iii", 12.0) * 2.0);
        assert_eq!(width("", 12.0), 0.0);
    }

    #[test]
    fn a_long_name_is_cut_with_an_ellipsis() {
        assert_eq!(shortened("ensemble+", 9), "ensemble+");
        assert_eq!(shortened("ensemble+:size", 9), "ensemble…");
    }
}

//! Quotes words so that they can be pasted into a shell.

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("ensemble+:size=10"), "ensemble+:size=10");
        assert_eq!(quoted("{a,b}"), "'{a,b}'");
        assert_eq!(quoted("it's $(rm)"), "'it'\\''s $(rm)'");
    }
}

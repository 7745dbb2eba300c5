//! Formats counts for people.

/// Formats a count: `1 problem`, `3 problems`, `2 entries`.
pub fn counted(count: usize, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn a_plural_is_spelt_right() {
        assert_eq!([counted(1, "entry"), counted(0, "entry"), counted(2, "day")], ["1 entry", "0 entries", "2 days"]);
    }
}

//! Formats counts and lists for people.

/// Formats a count: `1 problem`, `3 problems`, `2 entries`.
pub fn counted(count: usize, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// Lists names: `a, b, c`, or the first `most` of them, `a, b and 7 more`.
pub fn listed<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, listed};

    #[test]
    fn a_long_list_says_how_many_names_are_left_out() {
        assert_eq!([listed(&["a", "b"], 2), listed(&["a", "b", "c", "d"], 2)], ["a, b", "a, b and 2 more"]);
    }

    #[test]
    fn a_plural_is_spelt_right() {
        assert_eq!([counted(1, "entry"), counted(0, "entry"), counted(2, "day")], ["1 entry", "0 entries", "2 days"]);
    }
}

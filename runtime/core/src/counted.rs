//! Formats counts for people.

/// Formats a count: `1 problem`, `3 problems`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

//! Patterns that select problems by name, as `--problems` does.

use anyhow::{Context, Result, bail};
use globset::{Glob, GlobMatcher};

/// Returns the matcher of the problems that `--problems` selects.
///
/// # Errors
/// When the pattern cannot be read.
pub fn matcher(pattern: &str) -> Result<GlobMatcher> {
    let glob = Glob::new(pattern).with_context(|| format!("failed to read the pattern {pattern}"))?;
    Ok(glob.compile_matcher())
}

/// Returns the matcher of a pattern after checking that it selects problems, among those of `names` that `place` has: the
/// pattern as a whole, and each of its alternatives.
///
/// # Errors
/// When the pattern cannot be read, or no name matches it or one of its alternatives.
pub fn checked(place: &str, names: &[&str], pattern: &str) -> Result<GlobMatcher> {
    let glob = matcher(pattern)?;
    let example = names.first().copied().unwrap_or_default();
    if !names.iter().any(|name| glob.is_match(name)) {
        bail!("no problem of {place} matches {pattern}; a name looks like {example}");
    }
    // One that is mistyped among others would be left out without a word.
    for (alternative, alone) in alternatives(pattern) {
        let alone = matcher(&alone)?;
        if !names.iter().any(|name| alone.is_match(name)) {
            let alternative = if alternative.is_empty() { "the empty alternative" } else { alternative };
            bail!("no problem of {place} matches {alternative} in {pattern}; a name looks like {example}");
        }
    }
    Ok(glob)
}

/// Returns a pattern that selects just `some` of the names in `all`: alternatives for each part between slashes if that is
/// enough, as in `quick/*/temp0.1/{seed0,seed1}`, and else the names.
pub fn selecting(all: &[&str], some: &[&str]) -> String {
    let parts = |name: &&str| name.split('/').map(str::to_owned).collect::<Vec<String>>();
    let (own, every): (Vec<Vec<String>>, Vec<Vec<String>>) =
        (some.iter().map(parts).collect(), all.iter().map(parts).collect());
    let length = own.first().map_or(0, Vec::len);
    let alternatives = |names: &[Vec<String>], place: usize| -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for part in names.iter().filter_map(|name| name.get(place)) {
            if !found.contains(part) {
                found.push(part.clone());
            }
        }
        found
    };
    let part = |place: usize| {
        let (own, every) = (alternatives(&own, place), alternatives(&every, place));
        match own.as_slice() {
            [only] => only.clone(),
            _ if own.len() == every.len() => "*".to_owned(),
            _ => format!("{{{}}}", own.join(",")),
        }
    };
    let pattern = (0..length).map(part).collect::<Vec<String>>().join("/");
    let selects = |glob: GlobMatcher| all.iter().filter(|name| glob.is_match(name)).eq(some.iter());
    if matcher(&pattern).is_ok_and(selects) { pattern } else { format!("{{{}}}", some.join(",")) }
}

/// Returns each alternative in braces, with the pattern that has it alone in their place. An alternative in another one stands
/// for both.
fn alternatives(pattern: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for (start, end, parts) in groups(pattern) {
        let alone = |part: &str| format!("{}{part}{}", &pattern[..start], &pattern[end..]);
        for part in parts {
            found.push((part, alone(part)));
            found.extend(alternatives(part).into_iter().map(|(inner, own)| (inner, alone(&own))));
        }
    }
    found
}

/// Returns where each pair of braces that is in no other begins and ends, with its alternatives. Braces and commas that are
/// escaped or in a class of characters are none.
fn groups(pattern: &str) -> Vec<(usize, usize, Vec<&str>)> {
    let (mut found, mut parts) = (Vec::new(), Vec::new());
    let (mut depth, mut start, mut from, mut at) = (0, 0, 0, 0);
    while let Some(byte) = pattern.as_bytes().get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => {
                // A bracket is in the class if it is its first character.
                let rest = pattern[at + 1..].trim_start_matches(['!', '^']);
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let class = rest.get(first..).and_then(|rest| rest.find(']')).unwrap_or(0);
                at = pattern.len() - rest.len() + first + class;
            }
            b'{' => {
                if depth == 0 {
                    (start, from) = (at, at + 1);
                }
                depth += 1;
            }
            b',' if depth == 1 => {
                parts.push(&pattern[from..at]);
                from = at + 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    parts.push(&pattern[from..at]);
                    found.push((start, at + 1, std::mem::take(&mut parts)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use globset::GlobMatcher;

    use super::{checked, selecting};

    #[test]
    fn a_pattern_is_short_where_problems_are_a_grid() {
        let all = ["a/t1/s0", "a/t1/s1", "a/t1/s2", "a/t2/s0", "a/t2/s1", "a/t2/s2"];
        let of = |places: &[usize]| selecting(&all, &places.iter().map(|place| all[*place]).collect::<Vec<_>>());
        assert_eq!(of(&[0, 1, 3, 4]), "a/*/{s0,s1}");
        assert_eq!(of(&[3, 4, 5]), "a/t2/*");
        assert_eq!(of(&[1]), "a/t1/s1");
        assert_eq!(of(&[0, 4]), "{a/t1/s0,a/t2/s1}");
        assert_eq!(selecting(&["a/x", "b", "a/y"], &["b", "a/y"]), "{b,a/y}");
    }

    #[test]
    fn an_alternative_that_nothing_matches_is_named() {
        let names = ["quick/t10/seed0", "quick/t10/seed1", "quick/t100/seed0"];
        let kept = |pattern: &str| {
            let kept = |glob: GlobMatcher| names.into_iter().filter(|name| glob.is_match(name)).collect::<Vec<_>>();
            checked("quick", &names, pattern).map(kept).map_err(|error| error.to_string())
        };
        assert_eq!(kept("*/{t10,t100}/seed0").unwrap(), [names[0], names[2]]);
        assert!(kept("*/t1{0,00}/seed{[0-9],1[0-9]}").unwrap_err().contains("matches 1[0-9] in */"));
        assert_eq!(kept("*/{t1{0,00}/seed0,t10/seed1}").unwrap(), names);
        assert_eq!(kept("*/t10/seed{[0,1],1}").unwrap(), names[..2]);
        let refused = |pattern: &str, alternative: &str| {
            let found = kept(pattern).unwrap_err();
            assert!(found.contains(&format!("matches {alternative} in ")), "{found}");
        };
        refused("*/{t1{0,9}/seed0,t10/seed1}", "9");
        refused("*/{t1{0,00}/seed0,t99/seed1}", "t99/seed1");
        refused("*/t10/seed{0,}", "the empty alternative");
        refused("*/t10/seed{[0,1],[]}{]}", "[]}{]");
        let refusal = kept("*/{t10,t1000}/*").unwrap_err();
        assert!(refusal.starts_with("no problem of quick matches t1000 in */{t10,t1000}/*; a name looks"), "{refusal}");
        assert!(kept("*/{t1,t2}/*").unwrap_err().starts_with("no problem of quick matches */{t1,t2}/*; a name"));
        assert!(kept("*/{t1").unwrap_err().starts_with("failed to read the pattern"));
    }
}

//! Selects problems of a suite: by the user's pattern, or those of a plan.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::suites;

/// Keeps the problems whose name matches a pattern, and returns the others. `name` returns the name of a problem.
///
/// # Errors
/// When the pattern cannot be read, or no problem matches it or one of its alternatives.
pub(crate) fn restrict<P>(
    suite: &str,
    problems: &mut Vec<P>,
    pattern: &str,
    name: impl Fn(&P) -> &str,
) -> Result<Vec<P>> {
    let glob = suites::matcher(pattern)?;
    let example = problems.first().map(|problem| name(problem).to_owned()).unwrap_or_default();
    let left_out: Vec<P> = problems.extract_if(.., |problem| !glob.is_match(name(problem))).collect();
    if problems.is_empty() {
        bail!("no problem of {suite} matches {pattern}; a name looks like {example}");
    }
    // One that is mistyped among others would be left out without a word.
    for (alternative, alone) in alternatives(pattern) {
        let alone = suites::matcher(&alone)?;
        if !problems.iter().any(|problem| alone.is_match(name(problem))) {
            let alternative = if alternative.is_empty() { "the empty alternative" } else { alternative };
            bail!("no problem of {suite} matches {alternative} in {pattern}; a name looks like {example}");
        }
    }
    Ok(left_out)
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

/// Returns the problems of a plan among all of its suite, in the plan's order.
///
/// # Errors
/// When the suite has no problem of a name in the plan.
pub(crate) fn of_plan<P: Clone>(plan: &Plan, all: &[P], name: impl Fn(&P) -> &str) -> Result<Vec<P>> {
    let known: HashMap<&str, &P> = all.iter().map(|problem| (name(problem), problem)).collect();
    let problem = |planned: &PlannedProblem| {
        let problem = known.get(planned.problem.as_str()).map(|problem| (*problem).clone());
        problem.with_context(|| format!("the suite {} has no problem {}", plan.suite, planned.problem))
    };
    plan.problems.iter().map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::restrict;

    #[test]
    fn an_alternative_that_nothing_matches_is_named() {
        let names = ["quick/t10/seed0", "quick/t10/seed1", "quick/t100/seed0"];
        let kept = |pattern: &str| {
            let mut problems = names.to_vec();
            restrict("quick", &mut problems, pattern, |name| name).map(|_| problems).map_err(|error| error.to_string())
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

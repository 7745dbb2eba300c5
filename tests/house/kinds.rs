//! Kinds of task are told apart in few places: their registries.
//!
//! Outside the modules of a kind, code uses what every kind has (`Kind`, `TaskOptions`, `TaskScores`, and the traits of
//! engine and report) and names no kind.

use std::collections::BTreeSet;

use crate::crates::{files, read};
use crate::text::{code, without_tests};

/// The most lines that may tell kinds apart, and the most files that may contain them.
const MOST_LINES: usize = 62;
const MOST_FILES: usize = 8;

/// The modules of kinds, as prefixes of paths.
const OWN: [&str; 14] = [
    "runtime/tasks/",
    "runtime/engine/src/kinds/",
    "runtime/engine/src/problems.rs",
    "runtime/engine/src/regression_suite.rs",
    "runtime/engine/src/shift_suite.rs",
    "runtime/score/src/scores/classification.rs",
    "runtime/score/src/scores/regression.rs",
    "runtime/report/src/bars.rs",
    "runtime/report/src/classification.rs",
    "runtime/report/src/decisions",
    "runtime/report/src/regression/",
    "runtime/report/src/shift/",
    "runtime/cli/src/commands/report/active.rs",
    // Invented runs for tests.
    "runtime/record/src/invented/",
];

/// Texts that name a kind: the variants that store its options and results, and its own type.
const NAMING: [&str; 16] = [
    "Terms::Evaluation",
    "Terms::Regression",
    "Terms::Shift",
    "Terms::Decisions",
    "Outcome::Scored",
    "Outcome::Regression",
    "Outcome::Shift",
    "Outcome::Decisions",
    "<Classification>",
    "<Regression>",
    "<DatasetShift>",
    "<Decisions>",
    "Classification::NAME",
    "Regression::NAME",
    "DatasetShift::NAME",
    "Decisions::NAME",
];
/// The variants as written within the registry, as variants of `Self`.
const WITHIN: [&str; 5] = ["Self::Evaluation", "Self::Regression", "Self::Shift", "Self::Decisions", "Self::Scored"];

/// Returns the lines of the runtime's crates, without tests, that name a kind outside its own modules.
fn naming() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in files("runtime", &["rs"]) {
        if OWN.iter().any(|own| path.starts_with(own)) || path.contains("/tests") {
            continue;
        }
        let (code, _) = without_tests(&code(&read(&path)));
        let registry = path.starts_with("runtime/record/");
        let within: &[&str] = if registry { &WITHIN } else { &[] };
        let names = |line: &&str| NAMING.iter().chain(within).any(|name| line.contains(name));
        found.extend(code.lines().filter(names).map(|line| (path.clone(), line.trim().to_owned())));
    }
    found
}

#[test]
fn few_lines_tell_kinds_apart() {
    let found = naming();
    let list: Vec<String> = found.iter().map(|(path, line)| format!("{path}: {line}")).collect();
    let files: BTreeSet<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    println!("{}\n{} lines in {} files", list.join("\n"), found.len(), files.len());
    assert!(
        found.len() <= MOST_LINES && files.len() <= MOST_FILES,
        "{} lines in {} files name a kind of task outside its own modules:\n{}\nask the kind by its trait instead",
        found.len(),
        files.len(),
        list.join("\n")
    );
    // Checks that the search finds the registries.
    assert!(
        files.contains("runtime/record/src/kinds.rs") && files.contains("runtime/engine/src/kinds.rs"),
        "{files:?}"
    );
}

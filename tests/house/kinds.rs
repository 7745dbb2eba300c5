//! Kinds of task are told apart in few places: their registries.
//!
//! Outside the modules of a kind, code asks what every kind has (`Kind`, `TaskOptions`, `TaskScores`, and the traits of engine and
//! report) and names no kind.

use std::collections::BTreeSet;

use crate::crates::{files, read};
use crate::text::{code, without_tests};

/// The most lines that may tell kinds apart, and the most files that they may be in.
const MOST_LINES: usize = 40;
const MOST_FILES: usize = 8;

/// The modules of a kind: what their paths begin with.
const OWN: [&str; 12] = [
    "runtime/tasks/",
    "runtime/engine/src/kinds/",
    "runtime/engine/src/problems.rs",
    "runtime/engine/src/regression_suite.rs",
    "runtime/engine/src/shift_suite.rs",
    "runtime/score/src/scores/regression.rs",
    "runtime/report/src/bars.rs",
    "runtime/report/src/classification.rs",
    "runtime/report/src/regression/",
    "runtime/report/src/shift/",
    "runtime/cli/src/commands/report/active.rs",
    // Runs that tests make up.
    "runtime/record/src/invented/",
];

/// What names a kind: the variants that store its options and results, and its own type.
const NAMING: [&str; 12] = [
    "Terms::Evaluation",
    "Terms::Regression",
    "Terms::Shift",
    "Outcome::Scored",
    "Outcome::Regression",
    "Outcome::Shift",
    "<Classification>",
    "<Regression>",
    "<DatasetShift>",
    "Classification::NAME",
    "Regression::NAME",
    "DatasetShift::NAME",
];
/// The variants within the registry, where they are of `Self`.
const WITHIN: [&str; 4] = ["Self::Evaluation", "Self::Regression", "Self::Shift", "Self::Scored"];

/// The lines of the runtime's crates that name a kind outside its own modules, tests left out.
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
    // The search finds what it is meant to find.
    assert!(
        files.contains("runtime/record/src/kinds.rs") && files.contains("runtime/engine/src/kinds.rs"),
        "{files:?}"
    );
}

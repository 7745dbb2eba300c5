//! Files of a crate do not import one another in a circle, so each can be read, and moved, after those that it imports.
//!
//! A file imports names of another through its `use` declarations and its paths: by `crate::`, `super::`, `self::`, or
//! by one of its own modules. A re-exported name (`pub use`) counts as imported from the file that defines it, so roots
//! that only re-export are in no circle, and re-exporting is no import. A module divided into files of its own folder
//! consists of them: its use of those files is no import, but their use of the module is one. Tests do not count, nor
//! do methods, which no path names.

use std::collections::{BTreeMap, BTreeSet};

use crate::crates::{of_runtime, within};
use crate::imports::{Crate, Taken};

/// The sets of files each of which takes from all others of its set, over whatever ways; those of one file left out.
fn circles(taken: &Taken) -> Vec<BTreeSet<String>> {
    let mut onward: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in taken.keys() {
        onward.entry(from).or_default().push(to);
        onward.entry(to).or_default();
    }
    let reached = |from: &str| -> BTreeSet<String> {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(next) = left.pop() {
            left.extend(onward[next].iter().filter(|other| seen.insert((**other).to_owned())));
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<String>> = onward.keys().map(|file| (*file, reached(file))).collect();
    let circle = |file: &str| -> BTreeSet<String> {
        all[file].iter().filter(|other| all[other.as_str()].contains(file)).cloned().collect()
    };
    let mut found: Vec<BTreeSet<String>> = onward.keys().map(|file| circle(file)).filter(|it| it.len() > 1).collect();
    found.sort();
    found.dedup();
    found
}

/// Describes a circle: which file imports which names from which file.
fn told(circle: &BTreeSet<String>, taken: &Taken) -> String {
    let within = taken.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
    let line = |((from, to), names): (&(String, String), &BTreeSet<String>)| {
        format!("  {from} takes from {to}: {}", names.iter().cloned().collect::<Vec<_>>().join(", "))
    };
    let lines: Vec<String> = within.map(line).collect();
    format!("{} files import one another:\n{}", circle.len(), lines.join("\n"))
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    let mut found = Vec::new();
    for folder in of_runtime().into_iter().chain(["sdk".to_owned()]).chain(within("plugins")) {
        let taken = Crate::read(&folder).taken();
        found.extend(circles(&taken).iter().map(|circle| told(circle, &taken)));
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

#[test]
fn a_circle_is_named_whatever_its_length() {
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let taken: Taken = ["ab", "bc", "ca", "cd", "de", "ed", "ef"]
        .map(|it| ((it[..1].to_owned(), it[1..].to_owned()), files(&["N"])))
        .into_iter()
        .collect();
    assert_eq!(circles(&taken), [files(&["a", "b", "c"]), files(&["d", "e"])]);
    assert!(told(&files(&["d", "e"]), &taken).ends_with("d takes from e: N\n  e takes from d: N"));
}

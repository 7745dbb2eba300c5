//! No files of a crate import one another in a circle: each can be read, and moved, after those that it takes from.
//!
//! A file takes from another what its `use` declarations and its paths name there: by `crate::`, `super::`, `self::`, or by one
//! of its own modules. A name that a file hands on (`pub use`) is taken from where it is defined, so that roots that only
//! re-export stand in no circle; handing on is no taking. A module that is divided into files of its own folder is made of
//! them: what it takes from those is no import, what they take from it is one. Tests do not count, and neither do methods,
//! which no path names.

use std::collections::{BTreeMap, BTreeSet};

use crate::crates::{of_runtime, within};
use crate::imports::{Crate, Taken};

/// Circles that are still there, to be broken, each by a folder and its files there: one of which nothing is left must leave this list.
const KNOWN: [(&str, &[&str]); 2] = [
    (
        "runtime/host/src/",
        &[
            "charge.rs",
            "meter.rs",
            "wasi/clocks.rs",
            "wasi/fault.rs",
            "wasi/io.rs",
            "wasi/link.rs",
            "wasi/random.rs",
            "wasi/world.rs",
        ],
    ),
    ("sdk/src/", &["description.rs", "glue.rs", "settings.rs"]),
];

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

/// A circle for a person: who takes what from whom.
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
    let files = |(folder, files): &(&str, &[&str])| files.iter().map(|file| format!("{folder}{file}")).collect();
    let known: Vec<BTreeSet<String>> = KNOWN.iter().map(files).collect();
    let (mut new, mut seen) = (Vec::new(), Vec::new());
    for folder in of_runtime().into_iter().chain(["sdk".to_owned()]).chain(within("plugins")) {
        let taken = Crate::read(&folder).taken();
        for circle in circles(&taken) {
            if !known.iter().any(|known| circle.is_subset(known)) {
                new.push(told(&circle, &taken));
            }
            seen.push(circle);
        }
    }
    assert!(new.is_empty(), "{}", new.join("\n\n"));
    let gone: Vec<_> =
        known.iter().filter(|known| !seen.iter().any(|circle: &BTreeSet<String>| circle.is_subset(known))).collect();
    assert!(gone.is_empty(), "these circles are gone: take them out of KNOWN: {gone:?}");
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

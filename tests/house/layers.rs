//! The crates of the runtime depend one way:
//!
//! ```text
//! core <- data <- tasks <- record <- score <- report <- cli
//!   \                        \---- engine ----------/
//!    \------ host, native ------/
//!            sinks <- host
//! ```
//!
//! Files on disk can be read, scored and drawn without the engine and without the sandbox.

use std::collections::BTreeMap;

use crate::crates::{of_runtime, read, within};
use crate::workspace;

/// The crates that each crate may depend on, including in tests. A folder that ends in `*` stands for all crates in it.
const ALLOWED: [(&str, &[&str]); 16] = [
    ("runtime/core", &[]),
    ("runtime/data", &["runtime/core"]),
    // Decisions are taken in the environments of classification, and by agents of regression in its units.
    ("runtime/tasks/decisions", &["runtime/core", "runtime/tasks/classification", "runtime/tasks/regression"]),
    ("runtime/tasks/*", &["runtime/core", "runtime/data"]),
    ("runtime/sinks", &[]),
    ("runtime/host", &["runtime/core", "runtime/sinks"]),
    ("runtime/native", &["runtime/core"]),
    ("runtime/record", &["runtime/core", "runtime/data", "runtime/tasks/*"]),
    (
        "runtime/engine",
        &[
            "runtime/core",
            "runtime/data",
            "runtime/tasks/*",
            "runtime/host",
            "runtime/native",
            "runtime/record",
            "plugins/bundle",
        ],
    ),
    ("runtime/fetch", &["runtime/core", "runtime/data", "runtime/record"]),
    ("runtime/score", &["runtime/core", "runtime/data", "runtime/tasks/*", "runtime/record"]),
    ("runtime/report", &["runtime/core", "runtime/data", "runtime/tasks/*", "runtime/record", "runtime/score"]),
    ("runtime/reproduce", &["runtime/core", "runtime/data", "runtime/record", "runtime/report"]),
    ("runtime/templates", &[]),
    ("runtime/contest", &["runtime/core", "runtime/data", "runtime/host", "runtime/record", "runtime/engine"]),
    ("runtime/cli", &["runtime/*", "runtime/tasks/*", "plugins/bundle"]),
];

/// External crates that few crates of the runtime may name: the sandbox's engine, and crates for the user interface.
const KEPT: [(&str, &[&str]); 6] = [
    ("wasmtime", &["runtime/host", "runtime/sinks"]),
    ("wasmparser", &["runtime/host", "runtime/sinks"]),
    ("clap", &["runtime/cli"]),
    ("ctrlc", &["runtime/cli"]),
    ("indicatif", &["runtime/cli"]),
    ("ureq", &["runtime/fetch"]),
];

/// Returns the names in all dependency tables of a manifest.
fn dependencies(manifest: &str) -> Vec<&str> {
    let (mut table, mut names) = ("", Vec::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']');
            // Tables of the form `[dependencies.NAME]`.
            names.extend(table.rsplit_once("dependencies.").map(|(_, name)| name));
        } else if table.ends_with("dependencies") {
            let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(line.len());
            names.extend((end > 0).then_some(&line[..end]));
        }
    }
    names
}

fn covers(pattern: &str, folder: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(parent) => folder.strip_prefix(parent).is_some_and(|rest| !rest.contains('/')),
        None => pattern == folder,
    }
}

/// Returns the folders of the workspace's crates by name.
fn folders() -> BTreeMap<String, String> {
    let crates = of_runtime().into_iter().chain(within("plugins")).chain(["sdk".to_owned()]);
    let name = |folder: String| {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("a crate has a name");
        (name.trim_matches('"').to_owned(), folder)
    };
    crates.map(name).collect()
}

#[test]
fn the_crates_of_the_runtime_depend_one_way() {
    let folders = folders();
    let mut wrong = Vec::new();
    for folder in of_runtime() {
        let Some((_, allowed)) = ALLOWED.iter().find(|(pattern, _)| covers(pattern, &folder)) else {
            wrong.push(format!("{folder}: say in ALLOWED what it may depend on"));
            continue;
        };
        for name in dependencies(&read(&format!("{folder}/Cargo.toml"))) {
            let own = folders
                .get(name)
                .is_some_and(|other| *other != folder && !allowed.iter().any(|pattern| covers(pattern, other)));
            let kept = KEPT.iter().any(|(kept, owners)| *kept == name && !owners.contains(&folder.as_str()));
            if own || kept {
                wrong.push(format!("{folder} depends on {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "against the order of the crates:\n{}", wrong.join("\n"));
}

#[test]
fn every_crate_of_the_runtime_but_the_command_denies_missing_docs() {
    for folder in of_runtime().into_iter().filter(|folder| folder != "runtime/cli") {
        let path = format!("{folder}/src/lib.rs");
        assert!(workspace().join(&path).is_file(), "{folder} is no library");
        assert!(read(&path).contains("#![deny(missing_docs)]"), "{path} does not deny missing docs");
    }
}

#[test]
fn manifests_name_their_dependencies_in_several_ways() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb-c = \"1\"\n\n# d\n[target.'cfg(unix)'.dependencies]\n\
                    e = { path = \"e\" }\n[dev-dependencies.f]\nversion = \"1\"\n[lints]\nworkspace = true\n";
    assert_eq!(dependencies(manifest), ["a", "b-c", "e", "f"]);
    assert!(covers("runtime/*", "runtime/core") && !covers("runtime/*", "runtime/tasks/x"));
}

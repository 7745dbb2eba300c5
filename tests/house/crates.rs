//! The crates of the workspace, by the folders that hold their manifests.

use std::fs;
use std::path::Path;

use crate::workspace;

/// Returns the folders directly within `folder` of the workspace that hold the manifest of a crate, ordered by name.
pub(crate) fn within(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(workspace().join(folder)).into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()));
    let mut crates: Vec<String> = names.filter(|name| workspace().join(name).join("Cargo.toml").is_file()).collect();
    crates.sort();
    crates
}

/// Returns the crates of the runtime, including those of its tasks.
pub(crate) fn of_runtime() -> Vec<String> {
    let mut crates = within("runtime");
    crates.extend(within("runtime/tasks"));
    crates
}

/// Returns the files below a folder with one of these extensions, as paths from the workspace's folder, in order.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(workspace().join(&folder)).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if entry.path().is_dir() {
                folders.extend((name != "target").then_some(path));
            } else if Path::new(&name).extension().is_some_and(|own| extensions.iter().any(|it| own == *it)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads a file.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

//! No file is longer than a reader can hold in mind.

use crate::crates::{files, read};

/// The most lines of a file.
const MOST: usize = 600;

/// Files that nobody writes: what wit-bindgen makes of the interface.
const GENERATED: &str = "sdk/src/bindings/";

#[test]
fn no_file_is_too_long() {
    let folders = ["runtime", "sdk", "plugins", "tests", "benches", "fuzz"];
    let files = folders.iter().flat_map(|folder| files(folder, &["rs", "py"]));
    let files = files.filter(|path| !path.starts_with(GENERATED));
    let longer: Vec<(String, usize)> = files
        .map(|path| {
            let lines = read(&path).lines().count();
            (path, lines)
        })
        .filter(|(_, lines)| *lines > MOST)
        .collect();
    assert!(longer.is_empty(), "longer than {MOST} lines: {longer:?}; divide them by what they are about");
}

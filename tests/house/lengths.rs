//! No file is longer than a reader can hold in mind.

use crate::crates::{files, read};

/// The most lines of a file.
const MOST: usize = 600;

/// Files that are longer still, to be shortened: a file that no longer is must leave this list.
const LONGER: [&str; 1] = ["plugins/nets/src/simd.rs"];

#[test]
fn no_file_is_too_long() {
    let folders = ["runtime", "sdk", "plugins", "tests", "benches", "fuzz"];
    let files = folders.iter().flat_map(|folder| files(folder, &["rs", "py"]));
    let longer: Vec<(String, usize)> = files
        .map(|path| {
            let lines = read(&path).lines().count();
            (path, lines)
        })
        .filter(|(_, lines)| *lines > MOST)
        .collect();
    let new: Vec<_> = longer.iter().filter(|(path, _)| !LONGER.contains(&path.as_str())).collect();
    assert!(new.is_empty(), "longer than {MOST} lines: {new:?}; divide them by what they are about");
    let gone: Vec<_> = LONGER.iter().filter(|path| !longer.iter().any(|(long, _)| long == *path)).collect();
    assert!(gone.is_empty(), "no longer above {MOST} lines: take {gone:?} out of LONGER");
}

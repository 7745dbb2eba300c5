//! Files that others may have made: how the runtime opens them, and how it shows their paths.

use crate::crates::{files, read};
use crate::text::{code, without_tests};

/// What opens a file, whatever it is, without a bound.
const OPENING: [&str; 4] = ["File::open(", "fs::read(", "read_to_string(", "OpenOptions::new("];

/// Files that may use some of these, and why.
const EXCEPT: [(&str, &str); 7] = [
    ("runtime/data/src/regular_file.rs", "it is what the others use"),
    ("runtime/record/src/journal.rs", "its options are passed to `regular_file::open_with`"),
    ("runtime/fetch/src/lib.rs", "its options are passed to `regular_file::open_with`"),
    ("runtime/cli/src/request.rs", "it prints the scores that it has just written"),
    ("runtime/contest/src/secret.rs", "it makes a new file"),
    ("runtime/host/src/code_cache.rs", "no other user can write to its directory, or it is not used"),
    ("runtime/native/src/pool.rs", "the file is a program of the user, which has run already"),
];

/// Returns the places in the runtime's crates, without tests, where a text stands.
fn places(texts: &[&str], except: &[&str]) -> Vec<String> {
    let sources = files("runtime", &["rs"]).into_iter();
    let sources = sources.filter(|path| path.contains("/src/") && !path.contains("/tests"));
    let mut found = Vec::new();
    for path in sources.filter(|path| !except.contains(&path.as_str())) {
        let (code, _) = without_tests(&code(&read(&path)));
        found.extend(texts.iter().filter(|text| code.contains(*text)).map(|text| format!("{path}: {text}")));
    }
    found
}

#[test]
fn files_are_opened_as_regular_files_of_bounded_size() {
    let except = EXCEPT.map(|(path, _)| path);
    let found = places(&OPENING, &except);
    assert!(found.is_empty(), "use jointly_data::regular_file, or say why not: {found:?}");
    for path in except {
        assert!(OPENING.iter().any(|text| read(path).contains(text)), "{path} is no exception any more");
    }
}

#[test]
fn paths_are_shown_without_unprintable_characters() {
    let found = places(&[".display()"], &[]);
    assert!(found.is_empty(), "use jointly_core::printable::ShowPath: {found:?}");
}

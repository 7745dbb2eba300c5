//! The guests: agents that misbehave, built from `tests/guests`.

use std::path::{Path, PathBuf};

/// Where a guest's module lies.
pub(crate) fn guest(name: &str) -> PathBuf {
    let path = Path::new(env!("GUESTS")).join(name.replace('-', "_")).with_extension("wasm");
    assert!(path.is_file(), "there is no guest {name}");
    path
}

/// A guest as an argument of the command.
pub(crate) fn argument(name: &str) -> String {
    guest(name).into_os_string().into_string().expect("a path in UTF-8")
}

#[test]
fn every_guest_has_a_test_that_bears_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = std::fs::read_dir(folder.join("all")).unwrap().map(|entry| entry.unwrap().path());
    let sources: Vec<PathBuf> = sources.filter(|path| path.is_file()).collect();
    let sources: String = sources.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut guests = 0;
    for entry in std::fs::read_dir(folder.join("guests/examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().replace('-', "_");
        assert!(sources.contains(&format!("#[test]\nfn {name}()")), "no test is called {name}");
        guests += 1;
    }
    assert!(guests > 30, "{guests} guests");
}

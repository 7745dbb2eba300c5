//! The guests: agents that misbehave, built from `tests/guests`.

use std::path::{Path, PathBuf};

use crate::command::workspace;

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

/// The tests that are named after guests.
mod named_tests {
    pub(super) use crate::{
        check::*, contest::*, hostile::*, oracle::*, pairing::*, regression_guests::*, shift_check::*, shift_guests::*,
        tokens::*, wasi::*,
    };
}

/// Compiles if a function of the name exists, and without a warning if it is a test, because nothing else uses it.
macro_rules! assert_test_exists {
    ($name:ident) => {
        #[expect(unused_imports, reason = "it is enough that there is one")]
        use named_tests::$name as _;
    };
}

for_each_guest!(assert_test_exists);

/// Returns the path of a guest's module.
pub(crate) fn guest(name: &str) -> PathBuf {
    let path = Path::new(env!("GUESTS")).join(name.replace('-', "_")).with_extension("wasm");
    assert!(path.is_file(), "there is no guest {name}");
    path
}

/// Returns a guest as an argument of the command.
pub(crate) fn argument(name: &str) -> String {
    guest(name).into_os_string().into_string().expect("a path in UTF-8")
}

/// The table of docs/security.md names a test, or a file of tests, for every attack.
#[test]
fn every_attack_of_the_table_has_its_tests() {
    let sources = ["tests/all", "fuzz/tests/corpus", "runtime/host/src"].map(|folder| workspace().join(folder));
    let files = sources.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let sources: String =
        files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap()).collect();
    // Tests of a module are nested deeper, and those of guests are visible in the whole crate.
    let sources = sources.replace("\n    ", "\n").replace("\npub(crate) fn ", "\nfn ");
    let document = std::fs::read_to_string(workspace().join("docs/security.md")).unwrap();
    let table = document.lines().skip_while(|line| !line.starts_with("| attack |")).skip(1);
    let rows: Vec<&str> =
        table.take_while(|line| line.starts_with('|')).filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 15, "{} rows", rows.len());
    for row in rows {
        let tests: Vec<&str> = row.split('|').nth(3).unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{row}");
        for test in tests {
            let name = test.rsplit("::").next().unwrap();
            let file = workspace().join("tests/all").join(name).with_extension("rs");
            assert!(file.is_file() || sources.contains(&format!("#[test]\nfn {name}()")), "no test is called {test}");
        }
    }
}

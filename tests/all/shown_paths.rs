//! Names of files that move the cursor or turn text: whoever sends an entry names its file.

use std::fs;
use std::path::Path;

use jointly_core::printable::is_printable;

use crate::command::run;
use crate::pack::packed;
use crate::run::{PROBLEM, RunDirectory};

/// A name that would colour a terminal, turn text around, and end a line.
const NAME: &str = "en\u{1b}[31m\u{202e}\u{9b}try\n2";

/// Runs a command and asserts that it writes nothing but printable text.
fn writes_text(arguments: &[&str], code: i32) {
    let finished = run(arguments);
    assert_eq!(finished.code, Some(code), "{arguments:?}: {finished:?}");
    for written in [&finished.stdout, &finished.stderr] {
        let odd = written.chars().find(|c| *c != '\n' && !is_printable(*c));
        assert_eq!(odd, None, "{arguments:?}: {written:?}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_name_of_an_entry_reaches_no_terminal_as_it_is() {
    let (one, other) = (RunDirectory::of(&["uniform", "prior"], PROBLEM), RunDirectory::of(&["uniform"], PROBLEM));
    let pack = packed(&one);
    let folder = one.path.parent().unwrap();
    let (odd, odd_pack) = (folder.join(NAME), folder.join(format!("{NAME}.jointly")));
    fs::rename(&one.path, &odd).unwrap();
    fs::rename(pack, &odd_pack).unwrap();
    for entry in [&odd, &odd_pack] {
        writes_text(&["verify", text(entry)], 0);
        for format in ["table", "csv", "json"] {
            writes_text(&["leaderboard", text(entry), other.argument(), "--format", format], 0);
        }
    }
    let out = folder.join(format!("out-{NAME}"));
    writes_text(&["report", text(&odd)], 0);
    writes_text(&["merge", text(&out), text(&odd)], 0);
    writes_text(&["pack", text(&odd), "--output", text(&odd_pack)], 0);
    writes_text(&["run", "--like", text(&odd), "--out", text(&folder.join(format!("again-{NAME}")))], 0);
    // What is refused is named, too.
    fs::write(odd.join("results.jsonl"), "garbage\n").unwrap();
    fs::write(&odd_pack, "garbage").unwrap();
    for entry in [&odd, &odd_pack] {
        writes_text(&["verify", text(entry)], 2);
        writes_text(&["leaderboard", text(entry)], 2);
    }
    writes_text(&["report", text(&odd)], 2);
}

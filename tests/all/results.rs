//! Published results: the pages that `make results-pages` makes of them, and the runs behind their numbers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{done, executable, finish, workspace};

/// Returns the folders of runs below a folder.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let own = folder.join("plan.json").is_file().then(|| folder.to_owned());
    own.into_iter().chain(folders.flat_map(|folder| runs(&folder))).collect()
}

#[test]
fn published_results_have_pages_and_journals_make_their_scores() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let script = workspace().join("docs/results/pages");
    let made = finish(Command::new(&script).arg(executable()).arg(&out));
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert!(made.stdout.lines().count() > 10, "{}", made.stdout);
    for page in made.stdout.lines() {
        assert!(fs::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"), "{page}");
    }

    let with_journals: Vec<PathBuf> =
        runs(&out).into_iter().filter(|run| run.join("results.jsonl").is_file()).collect();
    assert!(with_journals.len() >= 2, "{with_journals:?}");
    for run in with_journals {
        let path = run.to_str().unwrap();
        assert!(made.stdout.lines().any(|page| Path::new(page).starts_with(&run)), "{path} has no page");
        for (format, file) in [("json", "scores.json"), ("csv", "leaderboard.csv")] {
            let kept = fs::read_to_string(run.join(file)).unwrap();
            assert!(done(["report", path, "--format", format]) == kept, "{path}: its journal makes another {file}");
        }
    }

    let again = finish(Command::new(&script).arg(executable()).arg(&out));
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""), "{}", again.stderr);
    assert!(again.stderr.contains("give a new or empty folder"), "{}", again.stderr);
}

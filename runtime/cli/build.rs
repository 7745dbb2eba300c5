//! Tells the command which commit it was built from, for `jointly --version` and for `jointly reproduce --keep`.
//!
//! `JOINTLY_COMMIT` is the commit, followed by `+changes` if tracked files differed from it, or empty outside a checkout.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    // The log of HEAD grows with each commit and checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from);
    let sources =
        ["../../plugins", "../../sdk/src", "../../wit", "../../experiments", "../../Cargo.lock"].map(PathBuf::from);
    let crates = ["..", "../tasks"].into_iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let crates = crates.map(|entry| entry.path().join("src")).filter(|path| path.is_dir());
    for path in log.into_iter().chain(sources).chain(crates) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).map(|commit| {
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|changes| !changes.is_empty());
        if changed { commit + "+changes" } else { commit }
    });
    println!("cargo:rustc-env=JOINTLY_COMMIT={}", commit.unwrap_or_default());
}

/// Returns what git prints, or nothing without git or a checkout.
fn git(words: &[&str]) -> Option<String> {
    let done = Command::new("git").args(words).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

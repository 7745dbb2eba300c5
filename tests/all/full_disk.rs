//! A disk that fills up in the middle of a run.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::command::{is_one_line, skipped};
use crate::run::RunDirectory;

/// A file of a tmpfs takes whole pages of this many bytes.
const PAGE: u64 = 4096;
const AGENTS: [&str; 1] = ["uniform"];
/// Enough units that their journal needs more than one page.
const PROBLEMS: &str = "quick/*/*/*";

/// A small file system in memory, unmounted at the end.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    /// Mounts it, or returns `None` if this process may not mount.
    fn mount(place: &'a Path, bytes: u64) -> Option<Self> {
        std::fs::create_dir(place).unwrap();
        mount(&format!("size={bytes}"), place).then_some(Self(place))
    }

    fn resize(&self, bytes: u64) {
        assert!(mount(&format!("remount,size={bytes}"), self.0));
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

fn mount(options: &str, place: &Path) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(place);
    mount.output().is_ok_and(|output| output.status.success())
}

#[test]
fn finished_units_are_kept_and_the_run_goes_on_when_there_is_room() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    let journal = whole.file("results.jsonl").metadata().unwrap().len();
    assert!(journal > PAGE, "the journal fits a page");
    let before: u64 = [whole.file("plan.json"), whole.kept_agent()]
        .iter()
        .map(|file| file.metadata().unwrap().len().next_multiple_of(PAGE))
        .sum();

    // Space for the files written before the first unit, and for one page of the journal.
    let directory = RunDirectory::new();
    let Some(disk) = Disk::mount(&directory.path, before + PAGE) else {
        return skipped("full_disk", "mounting a small disk needs root");
    };
    let finished = directory.run(&AGENTS, PROBLEMS, &[]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    let error = finished.stderr.lines().last().unwrap();
    is_one_line(error, &["results.jsonl", "make room, and run the same command again", "No space left"]);
    let kept = directory.read("results.jsonl").lines().count();
    assert!(kept > 1, "{kept} units kept");
    assert!(!directory.file("scores.json").exists());

    disk.resize(before + 100 * PAGE);
    let finished = directory.run(&AGENTS, PROBLEMS, &[]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("units are done already"), "{}", finished.stderr);
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));
    assert_eq!(directory.read("leaderboard.csv"), whole.read("leaderboard.csv"));
}

#[test]
fn a_disk_without_room_for_the_agents_is_named() {
    let directory = RunDirectory::new();
    let Some(disk) = Disk::mount(&directory.path, 2 * PAGE) else {
        return skipped("full_disk", "mounting a small disk needs root");
    };
    let finished = directory.run(&AGENTS, PROBLEMS, &[]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    is_one_line(&finished.stderr, &[directory.argument(), "No space left"]);
    disk.resize(100 * PAGE);
    assert_eq!(directory.run(&AGENTS, PROBLEMS, &[]).code, Some(0));
}

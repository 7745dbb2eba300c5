//! The files of a run that have fixed names, and the most bytes of each that are read.

use crate::kept::Kept;

/// The rules of a contest, in the folder that has its run.
pub const CONTEST: &str = "contest.json";
/// The plan.
pub const PLAN: &str = "plan.json";
/// The journal.
pub const JOURNAL: &str = "results.jsonl";
/// The scores, which follow from plan and journal.
pub const SCORES: &str = "scores.json";
/// The leaderboard, which follows from the scores.
pub const LEADERBOARD: &str = "leaderboard.csv";
/// The choice of a sweep.
pub const SWEEP: &str = "sweep.json";

/// The most bytes of a plan.
pub const MOST_PLAN: u64 = 16 << 20;
/// The most bytes of a journal whose results are held.
pub const MOST_JOURNAL: u64 = 256 << 20;
/// The most bytes of a directory's journal that is read line by line.
pub const MOST_JOURNAL_IN_PARTS: u64 = 16 << 30;
/// The most bytes of scores.
const MOST_SCORES: u64 = 256 << 20;
/// The most bytes of a leaderboard or a choice.
const MOST_SUMMARY: u64 = 64 << 20;

/// Returns the most bytes of the file of that name, if a run may have one that others are sent.
pub(crate) fn most_bytes(name: &str) -> Option<u64> {
    match name {
        PLAN => Some(MOST_PLAN),
        JOURNAL => Some(MOST_JOURNAL),
        SCORES => Some(MOST_SCORES),
        LEADERBOARD | SWEEP => Some(MOST_SUMMARY),
        _ => Kept::of(name).map(|(kind, _)| kind.most_bytes()),
    }
}

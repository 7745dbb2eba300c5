//! Flipped bits in the files of a run: the command gives the same scores, or names what is damaged.

use std::fs;
use std::path::Path;

use crate::command::{Finished, finish, jointly, run};
use crate::npz::problem;
use crate::regression;
use crate::run::{PROBLEM, RunDirectory, contents};

const AGENTS: [&str; 2] = ["uniform", "prior"];
/// The number of bits that are flipped in each file, one at a time.
const BITS: usize = 24;

/// Returns the places of bits of a file of this length: the first, the last, and others between them.
fn bits(length: usize) -> Vec<usize> {
    let last = (8 * length).saturating_sub(1);
    // A step that is prime to 8 reaches every bit of a byte.
    let mut bits: Vec<usize> =
        (0..BITS).map(|i| i * last / (BITS - 1)).map(|bit| (bit + bit / 8 % 8) % (last + 1)).collect();
    bits.push(last);
    bits.dedup();
    bits
}

/// Flips bits of each file below the directory whose name `chosen` accepts, one at a time, and passes the outcome of
/// `command` to `check` with the name of the file. Returns the number of bits.
fn with_flipped_bits(
    directory: &RunDirectory,
    chosen: impl Fn(&Path) -> bool,
    command: impl Fn() -> Finished,
    check: impl Fn(&Path, &Finished),
) -> usize {
    let mut flips = 0;
    for (path, whole) in directory.contents().into_iter().filter(|(path, _)| chosen(path)) {
        for bit in bits(whole.len()) {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, flipped).unwrap();
            check(&path, &command());
            flips += 1;
        }
        fs::write(&path, whole).unwrap();
    }
    flips
}

/// Asserts that a command that failed says which file is at fault, in one line.
fn names(path: &Path, finished: &Finished) {
    assert_eq!(finished.code, Some(2), "{}: {finished:?}", path.display());
    let said = format!("{}{}", finished.stdout, finished.stderr);
    let last = said.trim_end().lines().last().unwrap_or_default();
    let name = path.file_name().unwrap().to_str().unwrap();
    // Scores, leaderboard and choice are compared with one another.
    let named = [name, "scores.json", "verification failed"].iter().any(|name| last.contains(name));
    assert!(named, "{}: {finished:?}", path.display());
}

/// Flips bits of every file of a finished run, and asserts that reports and rankings are the same or refused.
fn is_the_same_or_refused(directory: &RunDirectory) -> usize {
    let mut flips = 0;
    for command in [&["leaderboard", "--format", "csv"][..], &["report"]] {
        let asked = || run([command, &[directory.argument()]].concat());
        let whole = asked();
        assert_eq!(whole.code, Some(0), "{whole:?}");
        flips += with_flipped_bits(
            directory,
            |_| true,
            asked,
            |path, finished| match finished.code {
                Some(0) => assert_eq!(finished.stdout, whole.stdout, "{}", path.display()),
                _ => names(path, finished),
            },
        );
    }
    flips
}

#[test]
fn a_finished_run_is_ranked_and_reported_as_it_was_or_not_at_all() {
    let classification = RunDirectory::of(&AGENTS, PROBLEM);
    let (correlations, _) =
        regression::scored(&regression::AGENTS[..2], "quick/correlations", "quick/correlations/d1/set0", &[]);
    let mut flips = is_the_same_or_refused(&classification) + is_the_same_or_refused(&correlations);
    // Kept files are read where their bytes are needed.
    let kept = |path: &Path| path.parent().and_then(Path::file_name).is_some_and(|folder| folder != "run");
    for directory in [&classification, &correlations] {
        let pack = directory.path.with_extension("jointly");
        let packs = || run(["pack", directory.argument(), "--output", pack.to_str().unwrap()]);
        flips += with_flipped_bits(directory, kept, packs, |path, finished| {
            names(path, finished);
            assert!(!pack.exists());
        });
    }
    assert!(flips > 500, "{flips}");
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_scores_or_not_at_all() {
    let (whole, part) = (RunDirectory::of(&AGENTS, "quick/t10/temp0.1/*"), RunDirectory::new());
    let goes_on = |directory: &RunDirectory| directory.run(&AGENTS, "quick/t10/temp0.1/*", &[]);
    let journal = fs::read_to_string(whole.file("results.jsonl")).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let interrupted = [lines[..lines.len() - 2].concat(), lines[lines.len() - 2][..100].to_owned()].concat();
    let begin = || {
        for (path, bytes) in whole.contents() {
            let path = part.path.join(path.strip_prefix(&whole.path).unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        fs::write(part.file("results.jsonl"), &interrupted).unwrap();
        for name in ["scores.json", "leaderboard.csv"] {
            fs::remove_file(part.file(name)).unwrap();
        }
    };
    begin();
    let files: Vec<_> = contents(&part.path);
    let mut flips = 0;
    for (path, bytes) in files {
        for bit in bits(bytes.len()) {
            begin();
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, flipped).unwrap();
            let finished = goes_on(&part);
            match finished.code {
                Some(0) => assert_eq!(part.read("scores.json"), whole.read("scores.json"), "{}", path.display()),
                _ => names(&path, &finished),
            }
            flips += 1;
        }
    }
    assert!(flips > 90, "{flips}");
}

#[test]
fn shards_and_problems_of_others_are_the_same_or_refused() {
    let shards = ["1/2", "2/2"].map(|share| {
        let directory = RunDirectory::new();
        let finished = directory.run(&AGENTS, PROBLEM, &["--shard", share]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        directory
    });
    let (whole, out) = (RunDirectory::of(&AGENTS, PROBLEM), RunDirectory::new());
    let merge = || {
        let _ = fs::remove_dir_all(&out.path);
        run(["merge", out.argument(), shards[0].argument(), shards[1].argument()])
    };
    with_flipped_bits(
        &shards[0],
        |_| true,
        merge,
        |path, finished| match finished.code {
            Some(0) => assert_eq!(out.read("scores.json"), whole.read("scores.json"), "{}", path.display()),
            _ => assert_eq!(finished.code, Some(2), "{}: {finished:?}", path.display()),
        },
    );

    let mine = whole.path.with_file_name("mine.npz");
    fs::write(&mine, problem().bytes()).unwrap();
    let own = RunDirectory::new();
    let arguments = ["run", "uniform", "--problem", mine.to_str().unwrap(), "--out", own.argument()];
    assert_eq!(finish(jointly().args(arguments)).code, Some(0));
    let like = || {
        let _ = fs::remove_dir_all(&out.path);
        run(["run", "--like", own.argument(), "--out", out.argument()])
    };
    let kept = |path: &Path| path.extension().is_some_and(|extension| extension == "npz");
    assert!(with_flipped_bits(&own, kept, like, names) > BITS / 2);
}

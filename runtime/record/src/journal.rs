//! The journal of a run, `results.jsonl`: one line per finished unit, appended and flushed as it finishes.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jointly_core::kind::TaskScores;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::checksum;
use crate::files::{MOST_JOURNAL, MOST_JOURNAL_IN_PARTS};
use crate::lines::Lines;
use crate::plan::MOST_UNITS;
use crate::unit::UnitResult;

/// The remedy for a pack that is not as this command makes it: its reader cannot repair it.
pub const PACK_AGAIN: &str = "have it packed again";

/// The most bytes of a line.
const MOST_LINE: usize = 8 << 20;
/// The most taus, levels of intervals or rounds of active learning at which the results of a run have scores.
const MOST_PLACES: usize = 320;
/// The bytes that are read at a time.
const READ_AHEAD: usize = 256 << 10;

/// The journal, which one process at a time holds open. It knows which units have a result, and not the results.
pub struct Journal {
    file: File,
    path: PathBuf,
    lines: Lines,
    /// The number of bytes.
    end: u64,
}

impl Journal {
    /// Opens the journal to continue it. Drops a last line that a killed process left unfinished.
    ///
    /// # Errors
    /// When another process holds the journal, it cannot be read, or a line of it is damaged or no result.
    pub fn open(path: &Path) -> Result<Self> {
        let context = || format!("failed to open {}", path.shown());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = regular_file::open_with(&mut options, path).with_context(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{} is being written by another run; wait for it, or give another --out", path.shown())
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let text = regular_file::bounded(&file, MOST_JOURNAL_IN_PARTS).with_context(context)?;
        let mut lines = Lines::default();
        let end = walk(text, &path.shown().to_string(), IN_DIRECTORY, &mut lines, |_| ())?;
        file.set_len(end).with_context(context)?;
        file.seek(SeekFrom::End(0)).with_context(context)?;
        Ok(Self { file, path: path.to_owned(), lines, end })
    }

    /// Reads and holds the results of a journal without changing it, and ignores an unfinished last line.
    ///
    /// # Errors
    /// When it cannot be read, has more bytes than can be held, or a line of it is damaged or no result.
    pub fn read(path: &Path) -> Result<Vec<UnitResult>> {
        let mut results = Vec::new();
        find(path, MOST_JOURNAL, |result| results.push(result))?;
        Ok(results)
    }

    /// Returns where the results so far are.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Appends a result. It has been handed to the operating system when this returns.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&mut self, result: &UnitResult) -> Result<()> {
        let line = line(result)? + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| {
            format!(
                "failed to write {}; the units finished before are kept: make room, and run the same command again",
                self.path.shown()
            )
        })?;
        self.lines.add(result, self.end, line.trim_end().as_bytes())?;
        self.end += line.len() as u64;
        Ok(())
    }
}

/// Returns a result as a line of a journal, with its checksum and without its end.
///
/// # Errors
/// Never: a result can be written as JSON.
pub fn line(result: &UnitResult) -> serde_json::Result<String> {
    Ok(checksum::line(&serde_json::to_string(result)?))
}

/// Finds the results in a directory's journal of at most `most` bytes, and hands each to `visit`. Ignores an unfinished
/// last line.
///
/// # Errors
/// When it cannot be read, or a line of it is damaged or no result.
pub(crate) fn find(path: &Path, most: u64, visit: impl FnMut(UnitResult)) -> Result<Lines> {
    let mut lines = Lines::default();
    if path.exists() {
        let file = regular_file::open(path).and_then(|file| regular_file::bounded(file, most));
        let file = file.with_context(|| format!("failed to read {}", path.shown()))?;
        walk(file, &path.shown().to_string(), IN_DIRECTORY, &mut lines, visit)?;
    }
    Ok(lines)
}

/// Finds the results in a journal's text, and hands each to `visit`; `shown` names the journal in messages, and `remedy` says what
/// to do about a damaged one.
///
/// # Errors
/// When a line is damaged or no result, or repeats another.
pub(crate) fn find_in(text: &[u8], shown: &str, remedy: &str, visit: impl FnMut(UnitResult)) -> Result<Lines> {
    let mut lines = Lines::default();
    walk(text, shown, [remedy; 2], &mut lines, visit)?;
    Ok(lines)
}

/// Parses the results in a journal's text, as [`RunDirectory::results`](crate::directory::RunDirectory::results) does.
///
/// # Errors
/// When a line is damaged or no result, or repeats another.
pub fn parse(text: &[u8], shown: &str, remedy: &str) -> Result<Vec<UnitResult>> {
    let mut results = Vec::new();
    find_in(text, shown, remedy, |result| results.push(result))?;
    Ok(results)
}

/// The remedies in a run's directory for a line that is not a result, and for a line that repeats another.
const IN_DIRECTORY: [&str; 2] =
    ["delete the line, and the same `jointly run` runs its unit again", "delete one of them"];

/// Reads a journal line by line, and hands each result to `visit`. Returns the number of its bytes without a last line
/// that a killed process left unfinished.
fn walk(
    text: impl Read,
    shown: &str,
    [no_result, repeated]: [&str; 2],
    lines: &mut Lines,
    mut visit: impl FnMut(UnitResult),
) -> Result<u64> {
    let mut text = BufReader::with_capacity(READ_AHEAD, text);
    let (mut seen, mut scored_at) = (HashSet::new(), HashSet::new());
    let (mut line, mut number, mut at) = (Vec::new(), 0_usize, 0_u64);
    loop {
        line.clear();
        number += 1;
        let place = || format!("{shown} line {number}");
        let bytes = (&mut text).take(MOST_LINE as u64 + 2).read_until(b'\n', &mut line);
        let bytes = bytes.with_context(|| format!("failed to read {shown}"))? as u64;
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        ensure!(line.len() <= MOST_LINE, "{} has more than {MOST_LINE} bytes; {no_result}", place());
        if !whole {
            // A line whose end is damaged is no unfinished line.
            if checksum::is_more_than_a_line(&line) {
                bail!("{} is damaged: checksum mismatch; {no_result}", place());
            }
            return Ok(at);
        }
        if !line.is_empty() {
            ensure!(
                lines.len() < MOST_UNITS,
                "{} is one more than the {MOST_UNITS} units of the largest plan",
                place()
            );
            if !checksum::is_whole(&line) {
                bail!("{} is damaged: checksum mismatch; {no_result}", place());
            }
            let result: UnitResult =
                serde_json::from_slice(&line).with_context(|| format!("{} is not a result; {no_result}", place()))?;
            scored_at.extend(result.outcome.result().map(TaskScores::places).unwrap_or_default());
            ensure!(
                scored_at.len() <= MOST_PLACES,
                "{} has scores at more than {MOST_PLACES} taus, levels or rounds; {no_result}",
                place()
            );
            if !seen.insert(lines.add(&result, at, &line).with_context(|| format!("{}; {no_result}", place()))?) {
                bail!("{} repeats the unit {} on {}; {repeated}", place(), result.agent, result.problem);
            }
            visit(result.cleaned());
        }
        at += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::Journal;
    use crate::format::Format;
    use crate::unit::{Outcome, SampleDiagnosis, UnitResult};
    use jointly_classification::ProblemScores;
    use jointly_core::{JointScore, Real, Score};
    use std::io::Write;

    fn result(problem: &str) -> UnitResult {
        let nan = f64::NAN;
        let score = JointScore { mean: f64::INFINITY, stderr: nan, draw_error: nan, effective_draws: 1.5 };
        let scores = ProblemScores {
            draws: None,
            joint: vec![(1, score)],
            accuracy: Score { mean: 0.1 + 0.2, stderr: 0.1 },
            ece: Real(1e-300),
            marginal: jointly_core::metric::MarginalValues::default(),
            calibration: Vec::new(),
        };
        let diagnosis = SampleDiagnosis {
            r_hat: Real(f64::INFINITY),
            effective_draws: Real(0.1 + 0.2),
            acceptance: Real(1e-300),
            rounds: 3,
            converged: false,
        };
        let outcome = Outcome::Scored { scores, fuel: Some(u64::MAX), diagnosis: Some(diagnosis) };
        UnitResult {
            format: Format,
            agent: "mlp".into(),
            problem: problem.into(),
            seconds: Some(0.5),
            outcome,
            log: vec![],
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_the_rest_comes_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.append(&result("a")).unwrap();
        journal.append(&result("b")).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"agent\":\"ml").unwrap();

        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.lines().len(), 2);
        assert_eq!(Journal::read(&path).unwrap()[1].outcome, result("b").outcome);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        journal.append(&result("c")).unwrap();
        assert_eq!(Journal::read(&path).unwrap().len(), 3);
    }

    #[test]
    fn a_result_without_a_diagnosis_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut line = serde_json::to_value(result("a")).unwrap();
        line["scored"].as_object_mut().unwrap().remove("diagnosis").unwrap();
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let results = Journal::read(&path).unwrap();
        assert!(matches!(results[0].outcome, Outcome::Scored { diagnosis: None, .. }), "{results:?}");
    }

    #[test]
    fn garbage_in_the_middle_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, "garbage\n").unwrap();
        let error = Journal::read(&path).unwrap_err().to_string();
        assert!(error.contains("line 1 is not a result"), "{error}");
    }

    #[test]
    fn a_damaged_line_is_named_and_one_without_a_checksum_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        for problem in ["a", "b"] {
            journal.append(&result(problem)).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let read = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            let opened = Journal::open(&path).map(|journal| journal.lines().len());
            assert_eq!(opened.as_ref().ok(), Journal::read(&path).map(|results| results.len()).as_ref().ok());
            opened.map_err(|error| error.to_string())
        };
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match read(&flipped) {
                Ok(lines) => {
                    assert_eq!(lines, 2, "bit {bit}");
                    let results = Journal::read(&path).unwrap();
                    for (read, problem) in results.into_iter().zip(["a", "b"]) {
                        assert_eq!(super::line(&read).unwrap(), super::line(&result(problem)).unwrap(), "bit {bit}");
                    }
                }
                Err(error) => assert!(error.contains("results.jsonl line "), "{error}"),
            }
        }
        let mut flipped = whole.clone();
        flipped[whole.len() - 40] ^= 1;
        let error = read(&flipped).unwrap_err();
        assert!(
            error.ends_with(
                "results.jsonl line 2 is damaged: checksum mismatch; delete the line, and the same \
                                 `jointly run` runs its unit again"
            ),
            "{error}"
        );
        let old = ["a", "b"].map(|problem| serde_json::to_string(&result(problem)).unwrap() + "\n").concat();
        assert_eq!(read(old.as_bytes()), Ok(2));
    }

    #[test]
    fn two_processes_do_not_write_one_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let _held = Journal::open(&path).unwrap();
        let error = Journal::open(&path).err().unwrap().to_string();
        assert!(error.contains("another run"), "{error}");
    }
}

//! The files of an entry that are claimed to follow from its journal.

use std::io::{self, BufReader, Read, Write};

use anyhow::{Context, Result, ensure};
use jointly_record::difference::difference;
use jointly_record::directory::{self, JOURNAL, LEADERBOARD, RunDirectory, SCORES, SWEEP};
use serde::Deserialize;
use serde_json::Value;

use crate::leaderboard::Leaderboard;
use crate::scores::Scores;
use crate::selection::{Selection, Tune};
use crate::sweep_document::SweepDocument;

/// The remedy when a file is not there.
const FINISHED: &str = "a run writes it when it is finished";
/// The most bytes of a file in which a difference is named by its field, and not by its line.
const MOST_COMPARED: usize = 8 << 20;

/// The claims that are held; `scores.json` is read when it is compared.
pub(crate) struct Claims {
    pub(crate) leaderboard: String,
    /// The choice of a sweep, if the run is one.
    pub(crate) sweep: Option<String>,
}

impl Claims {
    pub(crate) fn read(directory: &RunDirectory) -> Result<Self> {
        ensure!(directory.has(SCORES), "there is no {}; {}", directory.shown(SCORES), directory.remedy(FINISHED));
        Ok(Self {
            leaderboard: read(directory, LEADERBOARD)?,
            sweep: if directory.has(SWEEP) { Some(read(directory, SWEEP)?) } else { None },
        })
    }

    /// Returns the first place in which the claims differ from what the scores give.
    pub(crate) fn defect(&self, directory: &RunDirectory, scores: &Scores) -> Result<Option<String>> {
        if let Some(place) = scores_defect(directory, scores)? {
            return Ok(Some(place));
        }
        let leaderboard = Leaderboard::new(scores);
        if leaderboard.to_csv() != self.leaderboard {
            return Ok(Some(format!("{LEADERBOARD} does not follow from {SCORES}")));
        }
        self.sweep_defect(scores, leaderboard.compared_by().map(|name| name.to_string()).as_deref())
    }

    /// Checks the choice of a sweep by computing it again. How the sweep was tuned is trusted, like the plan.
    fn sweep_defect(&self, scores: &Scores, by: Option<&str>) -> Result<Option<String>> {
        let Some(held) = &self.sweep else { return Ok(None) };
        let tuned: Option<Tuned> = serde_json::from_str(held).ok();
        let Some(tune) = tuned.and_then(|tuned| Tune::named(&tuned.tune)) else {
            return Ok(Some(format!("{SWEEP} does not say how it was tuned")));
        };
        let selections = Selection::all(scores, by.unwrap_or_default(), tune);
        let again = directory::to_json(&SweepDocument::new(scores.plan, by, tune, &selections))?;
        if again == *held {
            return Ok(None);
        }
        if held.len().max(again.len()) > MOST_COMPARED {
            return Ok(Some(line_of(SWEEP, first_other_line(held.as_bytes(), again.as_bytes()))));
        }
        by_field(held, &again, SWEEP).map(Some)
    }
}

/// Reads a file of an entry.
pub(crate) fn read(directory: &RunDirectory, name: &str) -> Result<String> {
    ensure!(directory.has(name), "there is no {}; {}", directory.shown(name), directory.remedy(FINISHED));
    let bytes = directory.read(name)?;
    String::from_utf8(bytes.into_owned()).with_context(|| unread(directory, name))
}

fn unread(directory: &RunDirectory, name: &str) -> String {
    format!("failed to read {}; {}", directory.shown(name), directory.remedy(FINISHED))
}

/// The field of a sweep's choice that is not computed.
#[derive(Deserialize)]
struct Tuned {
    tune: String,
}

/// Returns the first place in which `scores.json` differs from what the scores give.
fn scores_defect(directory: &RunDirectory, scores: &Scores) -> Result<Option<String>> {
    let reader = || directory.reader(SCORES).with_context(|| unread(directory, SCORES));
    let mut compared = Compared { held: BufReader::new(reader()?), line: 1, differs: false };
    let mut buffer = io::BufWriter::new(&mut compared);
    let written = directory::write_json(&mut buffer, scores).and_then(|()| buffer.flush());
    drop(buffer);
    if !compared.differs {
        written.with_context(|| format!("failed to compute {SCORES} again"))?;
        if compared.held.read(&mut [0]).with_context(|| unread(directory, SCORES))? == 0 {
            return Ok(None);
        }
    }
    let line = compared.line;
    // As values two files take many times the memory of their texts.
    let mut again = Bounded(Vec::new());
    let mut held = Vec::new();
    let start = reader()?.take(MOST_COMPARED as u64 + 1).read_to_end(&mut held);
    start.with_context(|| unread(directory, SCORES))?;
    if held.len() > MOST_COMPARED || directory::write_json(&mut again, scores).is_err() {
        return Ok(Some(line_of(SCORES, line)));
    }
    by_field(&String::from_utf8_lossy(&held), &String::from_utf8_lossy(&again.0), SCORES).map(Some)
}

fn line_of(file: &str, line: usize) -> String {
    format!("line {line} of {file} does not follow from {JOURNAL}")
}

/// Returns the number of the first line in which two texts differ.
fn first_other_line(held: &[u8], again: &[u8]) -> usize {
    let same = held.iter().zip(again).take_while(|(held, again)| held == again);
    1 + same.filter(|(byte, _)| **byte == b'\n').count()
}

/// Describes the first field in which a file differs from what it should be.
fn by_field(held: &str, again: &str, file: &str) -> Result<String> {
    let again: Value = serde_json::from_str(again)?;
    let held = serde_json::from_str(held);
    Ok(held.map_or_else(|_| format!("{file} is not JSON"), |held| difference(&held, &again, file)))
}

/// Compares what is written with a text, and ends at the first difference.
struct Compared<R> {
    held: R,
    /// The number of the line, from 1.
    line: usize,
    differs: bool,
}

impl<R: Read> Write for Compared<R> {
    fn write(&mut self, again: &[u8]) -> io::Result<usize> {
        let differ = || Err(io::Error::other("the texts differ"));
        // A buffer in between tries once more.
        if self.differs {
            return differ();
        }
        let mut held = Vec::with_capacity(again.len());
        (&mut self.held).take(again.len() as u64).read_to_end(&mut held)?;
        self.line += first_other_line(&held, again) - 1;
        self.differs |= held != again;
        if self.differs { differ() } else { Ok(again.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps what is written, up to [`MOST_COMPARED`] bytes.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_COMPARED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::Compared;

    #[test]
    fn texts_are_compared_part_by_part_and_the_line_of_a_difference_is_found() {
        let compare = |parts: &[&str]| {
            let mut compared = Compared { held: "one\ntwo\nthree\n".as_bytes(), line: 1, differs: false };
            let written = parts.iter().try_for_each(|part| compared.write_all(part.as_bytes()));
            assert!(written.is_ok() || compared.write_all(b"again\nand again").is_err());
            (written.is_ok(), compared.line)
        };
        assert_eq!(compare(&["one\nt", "wo\n", "three\n"]), (true, 4));
        assert_eq!(compare(&["one\nt", "wO\n", "three\n"]), (false, 2));
        assert_eq!(compare(&["one\ntwo\nthree\nfour"]), (false, 4));
    }
}

//! The directory of a run: its layout, and writing it so that no file is ever left half written.
//!
//! It holds `plan.json`, `results.jsonl` (the journal), `scores.json`, `leaderboard.csv` and, for a sweep,
//! `sweep.json`. So that anybody can run it again, it also keeps the agents in `agents/`, imported problems in
//! `problems/` and user-supplied tables in `tables/`, each named by its digest. For correlations, it keeps each agent's
//! predictions in `beliefs/`, because agents are scored against each other. A run that is kept for reading has some of these
//! files, compressed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::digest;
use jointly_core::digest::is_digest;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;

use crate::checksum;
use crate::compressed;
pub use crate::files::{CONTEST, JOURNAL, LEADERBOARD, PLAN, SCORES, SWEEP};
use crate::files::{MOST_JOURNAL_IN_PARTS, most_bytes};
use crate::format;
use crate::journal::{self, Journal, PACK_AGAIN};
use crate::kept::Kept;
use crate::lines::{self, Line, Lines};
use crate::plan::Plan;
use crate::suites;
use crate::unit::UnitResult;

/// The prefix of a file's name while it is being written.
pub const PART: &str = ".part-";

/// The remedy when a file of a run cannot be written.
const GO_ON: &str = "finished units are kept: make room, and run the same command again";

/// The remedy when a compressed file of a run is not as it must be.
const COPY_AGAIN: &str = "make the run again, or get another copy of the directory";

/// A run's directory, on disk or in a pack.
pub struct RunDirectory {
    /// The path of the directory, or of the pack's file.
    path: PathBuf,
    /// The files of a pack or of a directory of compressed files.
    held: Option<Held>,
}

/// Files that are held.
struct Held {
    by_name: HashMap<String, Vec<u8>>,
    /// The directory that has further files, which are not held.
    others: Option<PathBuf>,
    /// The remedy when one is not as it must be.
    remedy: &'static str,
}

impl Held {
    fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.other(name).is_some()
    }

    /// Returns the path of a file that is there and not held.
    fn other(&self, name: &str) -> Option<PathBuf> {
        self.others.as_ref().map(|directory| directory.join(name)).filter(|path| path.is_file())
    }
}

impl RunDirectory {
    /// Opens the directory of a plan, and makes it if necessary. Locks its journal before anything is read or written,
    /// so that one of two runs that start together is refused. Refuses a directory with another plan or other files.
    ///
    /// # Errors
    /// When the directory holds another plan or other files, is being written by another process, or cannot be written.
    pub fn for_plan(path: &Path, plan: &Plan) -> Result<(Self, Journal)> {
        let directory = Self { path: path.to_owned(), held: None };
        fs::create_dir_all(path)
            .with_context(|| format!("failed to make the directory {}; give another --out", path.shown()))?;
        if compressed::is_compressed(path) {
            bail!("{} holds a run with compressed files, which is only read; give another --out", path.shown());
        }
        if !directory.plan_path().exists() && directory.holds_other_files()? {
            bail!("{} holds files but no plan of a run; give a new or empty directory", path.shown());
        }
        let journal = Journal::open(&directory.journal())?;
        directory.sweep();
        if !directory.plan_path().exists() {
            directory.write(PLAN, &checksum::document(&to_json(plan)?))?;
        }
        if let Some(difference) = plan.difference(&directory.plan()?) {
            bail!(
                "{} holds another plan (this run has {difference}); give another --out, or run the same plan",
                path.shown()
            );
        }
        Ok((directory, journal))
    }

    /// Opens a directory that already holds a run, with files as a run writes them, or compressed.
    ///
    /// # Errors
    /// When there is no run at the path, or a compressed file cannot be read.
    pub fn existing(path: &Path) -> Result<Self> {
        if path.is_file() {
            bail!(
                "{} is a file, and a directory is needed here; `jointly verify` and `jointly leaderboard` take packs too",
                path.shown()
            );
        }
        if !path.exists() {
            bail!("there is no file or directory {}; give the directory of a run", path.shown());
        }
        if (path.join(PLAN).is_file() || compressed::has(path, PLAN)) && compressed::is_compressed(path) {
            let held = Held { by_name: compressed::members(path)?, others: Some(path.to_owned()), remedy: COPY_AGAIN };
            return Ok(Self { path: path.to_owned(), held: Some(held) });
        }
        if !path.join(PLAN).is_file() {
            if path.join(CONTEST).is_file() {
                bail!(
                    "{0} holds a contest: give {0}/run when it is finished, or see `jointly contest check {0}`",
                    path.shown()
                );
            }
            bail!("{} holds no run: there is no {PLAN} in it; make one with `jointly run --out`", path.shown());
        }
        Ok(Self { path: path.to_owned(), held: None })
    }

    /// Returns the directory in a pack.
    ///
    /// # Errors
    /// When the pack has no plan.
    pub fn packed(path: &Path, members: HashMap<String, Vec<u8>>) -> Result<Self> {
        if !members.contains_key(PLAN) {
            bail!("{} holds no run: there is no {PLAN} in it; {PACK_AGAIN}", path.shown());
        }
        Ok(Self::of_members(path, members))
    }

    /// Makes a directory of files in memory.
    pub fn of_members(path: &Path, members: HashMap<String, Vec<u8>>) -> Self {
        Self { path: path.to_owned(), held: Some(Held { by_name: members, others: None, remedy: PACK_AGAIN }) }
    }

    /// Returns a folder that keeps bytes by digest as the directory of a run does, and holds no run.
    pub fn of_kept_files(path: PathBuf) -> Self {
        Self { path, held: None }
    }

    /// Returns the path of the directory or of the pack's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the bytes of a file that a pack may have.
    ///
    /// # Errors
    /// When there is no such file, it cannot be read, or it is larger than such a file may be.
    pub fn read(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        let path = match &self.held {
            None => self.path.join(name),
            Some(held) => {
                if let Some(bytes) = held.by_name.get(name) {
                    return Ok(Cow::Borrowed(bytes.as_slice()));
                }
                let other = held.other(name);
                other.with_context(|| format!("{} has no {name}; {}", self.path.shown(), held.remedy))?
            }
        };
        let bytes = regular_file::read(&path, most_bytes(name).unwrap_or_default());
        bytes.map(Cow::Owned).with_context(|| format!("failed to read {}", self.shown(name)))
    }

    /// Opens a file that a pack may have, to read it part by part.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be opened.
    pub fn reader(&self, name: &str) -> Result<Box<dyn Read + '_>> {
        if self.held.is_some() {
            return Ok(Box::new(Cursor::new(self.read(name)?)));
        }
        let file = regular_file::open(&self.path.join(name));
        Ok(Box::new(file.with_context(|| format!("failed to read {}", self.shown(name)))?))
    }

    /// Returns whether it is only read: a pack, or a directory of compressed files.
    pub fn is_only_read(&self) -> bool {
        self.held.is_some()
    }

    /// Returns whether a file exists.
    pub fn has(&self, name: &str) -> bool {
        self.held.as_ref().map_or_else(|| self.path.join(name).exists(), |held| held.has(name))
    }

    /// Returns whether the run has scores and no journal, as a kept run whose journal was too large.
    pub fn lacks_journal(&self) -> bool {
        self.has(SCORES) && !self.has(JOURNAL)
    }

    /// Returns the name of a file for messages.
    pub fn shown(&self, name: &str) -> String {
        match self.held {
            None => self.path.join(name).shown().to_string(),
            Some(_) => format!("{name} of {}", self.path.shown()),
        }
    }

    /// Returns the remedy when a file is not as it must be: `in_directory` if this is a directory.
    pub fn remedy<'a>(&self, in_directory: &'a str) -> &'a str {
        self.held.as_ref().map_or(in_directory, |held| held.remedy)
    }

    /// Reads the plan and checks it. Problems without coordinates are given those of their suite.
    ///
    /// # Errors
    /// When it cannot be read, has another format, is damaged, or is no plan that this command makes.
    pub fn plan(&self) -> Result<Plan> {
        let mut plan = self.plan_as_written()?;
        suites::place(&mut plan);
        Ok(plan)
    }

    /// Reads the plan and checks it, without adding coordinates.
    ///
    /// # Errors
    /// As [`RunDirectory::plan`].
    pub fn plan_as_written(&self) -> Result<Plan> {
        let (shown, bytes) = (self.shown(PLAN), self.read(PLAN)?);
        // A plan in another format is read no further.
        if let Some(refusal) = format::refusal(&bytes, &shown) {
            bail!(refusal);
        }
        let remedy = self.remedy("run into another --out, or restore the file");
        if !checksum::is_whole(&bytes) {
            bail!("{shown} is damaged or was edited: checksum mismatch; {remedy}");
        }
        let plan: Plan =
            serde_json::from_slice(&bytes).with_context(|| format!("failed to read {shown} as a plan; {remedy}"))?;
        match plan.defect() {
            None => Ok(plan),
            Some(defect) => bail!("{shown} is not a plan that this command made: {defect}"),
        }
    }

    /// Finds the results in its journal, without opening the journal for writing, and hands each to `visit`.
    ///
    /// # Errors
    /// When the journal cannot be read, or a line of it is damaged or no result.
    pub fn find_results(&self, visit: impl FnMut(UnitResult)) -> Result<Lines> {
        match &self.held {
            None => journal::find(&self.journal(), MOST_JOURNAL_IN_PARTS, visit),
            Some(_) if !self.has(JOURNAL) => Ok(Lines::default()),
            Some(held) => journal::find_in(&self.read(JOURNAL)?, &self.shown(JOURNAL), held.remedy, visit),
        }
    }

    /// Reads results that were found in its journal, in the order in which they are asked for.
    ///
    /// # Errors
    /// When the journal can no longer be read, or is no longer what it was.
    pub fn read_results(&self, lines: &[Line]) -> Result<Vec<UnitResult>> {
        let shown = self.shown(JOURNAL);
        match &self.held {
            None => {
                let file = regular_file::open(&self.journal()).with_context(|| format!("failed to read {shown}"))?;
                lines::read(file, lines, &shown)
            }
            Some(_) => lines::read(Cursor::new(self.read(JOURNAL)?), lines, &shown),
        }
    }

    /// Reads and holds the results in its journal, without opening the journal for writing.
    ///
    /// # Errors
    /// When the journal cannot be read, or a line of it is damaged or no result.
    pub fn results(&self) -> Result<Vec<UnitResult>> {
        match &self.held {
            None => Journal::read(&self.journal()),
            Some(_) if !self.has(JOURNAL) => Ok(Vec::new()),
            Some(held) => journal::parse(&self.read(JOURNAL)?, &self.shown(JOURNAL), held.remedy),
        }
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// Returns the path of the scores.
    pub fn scores(&self) -> PathBuf {
        self.path.join(SCORES)
    }

    /// Returns the path of the leaderboard.
    pub fn leaderboard(&self) -> PathBuf {
        self.path.join(LEADERBOARD)
    }

    /// Returns the path at which the agent, problem, belief or table with a digest is kept.
    pub fn kept(&self, kind: Kept, digest: &str) -> PathBuf {
        self.path.join(kind.path(digest))
    }

    /// Keeps bytes under their digest, unless they are already there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&self, kind: Kept, digest: &str, bytes: &[u8]) -> Result<()> {
        let path = self.kept(kind, digest);
        if path.exists() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.shown()))?;
        write_whole(&path, bytes, GO_ON)
    }

    /// Reads an agent's predictions by the digest that a result names.
    ///
    /// # Errors
    /// When there is no such file, or its bytes have another digest.
    pub fn belief(&self, name: &str) -> Result<Vec<u8>> {
        self.whole(Kept::Belief, name)
    }

    /// Reads the bytes kept under a digest and checks that they have it.
    ///
    /// # Errors
    /// When the name is not a digest, there is no such file, or its bytes have another digest.
    pub fn whole(&self, kind: Kept, name: &str) -> Result<Vec<u8>> {
        // A result of a journal from elsewhere may name anything.
        if !is_digest(name) {
            bail!("{} names {name}, which is not a digest", self.shown(JOURNAL));
        }
        let file = kind.path(name);
        let bytes = self.read(&file)?;
        if digest(&bytes) != name {
            bail!("{} is damaged: checksum mismatch", self.shown(&file));
        }
        Ok(bytes.into_owned())
    }

    /// Writes a file of the directory, completely or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        write_whole(&self.path.join(name), text.as_bytes(), GO_ON)
    }

    /// Writes a value as [`to_json`] does, completely or not at all, without holding its text.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, or the file cannot be written.
    pub fn write_json(&self, name: &str, value: &impl serde::Serialize) -> Result<()> {
        write_parts(&self.path.join(name), GO_ON, |file| Ok(write_json(file, value)?))
    }

    fn plan_path(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// Returns whether there are files other than those that a run leaves when it is killed at its start.
    fn holds_other_files(&self) -> Result<bool> {
        let path = self.path();
        let entries = fs::read_dir(path).with_context(|| format!("failed to list {}", path.shown()))?;
        let own = |name: &OsStr| name.to_string_lossy().starts_with(PART) || name == JOURNAL;
        Ok(entries.filter_map(Result::ok).any(|entry| !own(&entry.file_name())))
    }

    /// Removes files that a killed run left half written. A file that cannot be removed does no harm.
    fn sweep(&self) {
        let kept = ["agents", "problems", "beliefs", "tables"].map(|folder| self.path.join(folder));
        let folders = std::iter::once(self.path.clone()).chain(kept);
        let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PART)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the last component of a path, resolved if possible, as it is shown.
pub fn name(path: &Path) -> String {
    let whole = path.canonicalize();
    let name = whole.as_deref().unwrap_or(path).file_name();
    name.map_or_else(|| "run".to_owned(), |name| Path::new(name).shown().to_string())
}

/// Formats a value as indented JSON with a final newline.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn to_json(value: &impl serde::Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Writes a value as [`to_json`] does, part by part.
///
/// # Errors
/// When the value cannot be written as JSON, or the writer fails.
pub fn write_json(mut writer: impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut writer, value)?;
    writer.write_all(b"\n")
}

/// Writes to a temporary file beside `path` and renames it, so that a reader sees either the old bytes or the new.
/// `remedy` tells the user what to do if that fails.
///
/// # Errors
/// When the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8], remedy: &str) -> Result<()> {
    write_parts(path, remedy, |file| Ok(file.write_all(bytes)?))
}

/// Writes as [`write_whole`] does what `write` writes.
///
/// # Errors
/// When `write` fails, or the file cannot be written.
pub fn write_parts(
    path: &Path,
    remedy: &str,
    write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> Result<()>,
) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> Result<()> {
        let mut builder = tempfile::Builder::new();
        // The user's mask decides who may read the file, as for any other new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.prefix(PART).tempfile_in(folder)?;
        let mut buffered = BufWriter::new(file.as_file_mut());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("failed to write {}; {remedy}", path.shown()))
}

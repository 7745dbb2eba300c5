//! The directory of a run: what lies where, and writing it so that nothing is ever half there.
//!
//! `plan.json`, `results.jsonl` (the journal), `scores.json`, `leaderboard.csv`, of a sweep `sweep.json`, and, so that
//! anybody can run it again, the agents in `agents/`, imported problems in `problems/` and a person's own tables in `tables/`,
//! each named by its digest; of correlations, what each agent believes in `beliefs/`, for agents are scored against each other.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::digest;
use jointly_core::regression::TableFormat;

use crate::journal::Journal;
use crate::plan::{Plan, is_digest};

/// How the name of a file begins while it is being written.
pub(crate) const PART: &str = ".part-";

pub(crate) const PLAN: &str = "plan.json";
pub(crate) const JOURNAL: &str = "results.jsonl";
pub(crate) const SCORES: &str = "scores.json";
pub(crate) const LEADERBOARD: &str = "leaderboard.csv";
/// What a sweep chose.
pub(crate) const SWEEP: &str = "sweep.json";
/// What helps where a file of a run cannot be written.
const GO_ON: &str = "finished units are kept: make room, and run the same command again";

/// A run's directory.
pub(crate) struct RunDirectory(PathBuf);

impl RunDirectory {
    /// The directory of a plan, made if need be, and its journal, held from before anything is read or written, so that
    /// of two runs that start together one is refused. Refuses a directory with another plan or other files.
    pub(crate) fn for_plan(path: &Path, plan: &Plan) -> Result<(Self, Journal)> {
        let directory = Self(path.to_owned());
        fs::create_dir_all(path)
            .with_context(|| format!("failed to make the directory {}; give another --out", path.display()))?;
        if !directory.plan_path().exists() && directory.holds_other_files()? {
            bail!("{} holds files but no plan of a run; give a new or empty directory", path.display());
        }
        let journal = Journal::open(&directory.journal())?;
        directory.sweep();
        if !directory.plan_path().exists() {
            directory.write(PLAN, &to_json(plan)?)?;
        }
        if let Some(difference) = plan.difference(&directory.plan()?) {
            bail!(
                "{} holds another plan (asked for {difference}); give another --out, or ask for the same",
                path.display()
            );
        }
        Ok((directory, journal))
    }

    /// A directory that holds a run already.
    pub(crate) fn existing(path: &Path) -> Result<Self> {
        if path.is_file() {
            bail!(
                "{} is a file, and a directory is needed here; `jointly verify` and `jointly leaderboard` take packs too",
                path.display()
            );
        }
        if !path.join(PLAN).is_file() {
            bail!("{} holds no run: there is no {PLAN} in it; make one with `jointly run --out`", path.display());
        }
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn plan(&self) -> Result<Plan> {
        let path = self.plan_path();
        let text = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let plan: Plan = serde_json::from_str(&text).with_context(|| {
            format!("failed to read {} as a plan; run into another --out, or restore the file", path.display())
        })?;
        match plan.defect() {
            None => Ok(plan),
            Some(defect) => bail!("{} is no plan that this command made: {defect}", path.display()),
        }
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join(JOURNAL)
    }

    pub(crate) fn scores(&self) -> PathBuf {
        self.0.join(SCORES)
    }

    pub(crate) fn leaderboard(&self) -> PathBuf {
        self.0.join(LEADERBOARD)
    }

    pub(crate) fn sweep_file(&self) -> PathBuf {
        self.0.join(SWEEP)
    }

    /// Where the agent, problem, belief or table of a digest is kept.
    pub(crate) fn kept(&self, kind: Kept, digest: &str) -> PathBuf {
        self.0.join(kind.path(digest))
    }

    /// Keeps bytes under their digest, unless they are there.
    pub(crate) fn keep(&self, kind: Kept, digest: &str, bytes: &[u8]) -> Result<()> {
        let path = self.kept(kind, digest);
        if path.exists() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
        write_whole(&path, bytes, GO_ON)
    }

    /// What an agent believes, under the digest that a result names.
    pub(crate) fn belief(&self, name: &str) -> Result<Vec<u8>> {
        self.whole(Kept::Belief, name)
    }

    /// What is kept under a digest, which must be that of its bytes.
    pub(crate) fn whole(&self, kind: Kept, name: &str) -> Result<Vec<u8>> {
        // A result of a journal from elsewhere may name anything.
        if !is_digest(name) {
            bail!("{} names {name}, which is no digest", self.journal().display());
        }
        let path = self.kept(kind, name);
        let bytes =
            fs::read(&path).with_context(|| format!("failed to read {}, which the run names", path.display()))?;
        if digest(&bytes) != name {
            bail!("{} is damaged: its digest is not its name", path.display());
        }
        Ok(bytes)
    }

    /// Writes a file of the directory, all of it or nothing.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<()> {
        write_whole(&self.0.join(name), text.as_bytes(), GO_ON)
    }

    fn plan_path(&self) -> PathBuf {
        self.0.join(PLAN)
    }

    /// Whether there is anything but what a run that was killed at its start leaves.
    fn holds_other_files(&self) -> Result<bool> {
        let path = self.path();
        let entries = fs::read_dir(path).with_context(|| format!("failed to list {}", path.display()))?;
        let own = |name: &OsStr| name.to_string_lossy().starts_with(PART) || name == JOURNAL;
        Ok(entries.filter_map(Result::ok).any(|entry| !own(&entry.file_name())))
    }

    /// Removes what a killed run left half written; what cannot be removed is only untidy.
    fn sweep(&self) {
        let kept = ["agents", "problems", "beliefs", "tables"].map(|folder| self.0.join(folder));
        let folders = std::iter::once(self.0.clone()).chain(kept);
        let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PART)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What a directory keeps copies of.
#[derive(Clone, Copy)]
pub(crate) enum Kept {
    Agent,
    Problem,
    /// What an agent believes of a problem's test inputs, as far as scores against other agents need it.
    Belief,
    /// A table of a person's own.
    Table(TableFormat),
}

impl Kept {
    /// Where it lies below the directory.
    pub(crate) fn path(self, digest: &str) -> String {
        let (folder, extension) = match self {
            Self::Agent => ("agents", "wasm"),
            Self::Problem => ("problems", "npz"),
            Self::Belief => ("beliefs", "bin"),
            Self::Table(format) => ("tables", format.extension()),
        };
        format!("{folder}/{}.{extension}", digest.replace(':', "-"))
    }
}

/// What a directory, or any file, is called, wherever it lies.
pub(crate) fn name(path: &Path) -> String {
    let whole = path.canonicalize();
    let name = whole.as_deref().unwrap_or(path).file_name();
    name.map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Indented JSON with a line end.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Writes beside the file and renames, so that a reader sees the old bytes or the new. `remedy` is what a person can do
/// where that fails.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], remedy: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        // As any other new file: the user's mask decides who may read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.prefix(PART).tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("failed to write {}; {remedy}", path.display()))
}

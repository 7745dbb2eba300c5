//! The folder of a contest: its files, read with the checks that each file can be given by itself.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::digest;
use jointly_core::digest::is_digest;
use jointly_record::directory::{PART, RunDirectory, to_json};
use jointly_record::format;
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use serde::de::DeserializeOwned;

use crate::entry::ContestEntry;
use crate::entry_list::EntryList;
use crate::rules::Rules;
use crate::secret::Secret;

/// The rules.
pub(crate) const RULES: &str = "contest.json";
/// The list of entries that the close fixes.
const LIST: &str = "closed.json";
/// The folder of entries.
const ENTRIES: &str = "entries";
/// The folder of secrets that were revealed.
const SECRETS: &str = "secrets";
/// The folder of the run.
const RUN: &str = "run";
/// The most entries of a contest.
const MOST_ENTRIES: usize = 1_000;
/// The remedy when a file of a contest cannot be written.
const AGAIN: &str = "make room, and give the same command again";

/// The folder of a contest.
pub struct ContestFolder {
    files: RunDirectory,
    /// The rules.
    pub rules: Rules,
    /// The digest of the file of the rules.
    pub rules_digest: String,
}

impl ContestFolder {
    /// Makes the folder of a new contest, which must be new or empty.
    ///
    /// # Errors
    /// When the folder holds files, or cannot be made.
    pub(crate) fn prepare(path: &Path) -> Result<()> {
        fs::create_dir_all(path).with_context(|| format!("failed to make {}; give another DIR", path.display()))?;
        if fs::read_dir(path).with_context(|| format!("failed to list {}", path.display()))?.next().is_some() {
            bail!("{} holds files; give a new or empty DIR", path.display());
        }
        Ok(())
    }

    /// Writes the rules into the folder of a new contest.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn write_rules(path: &Path, rules: &Rules) -> Result<Self> {
        RunDirectory::of_kept_files(path.to_owned()).write(RULES, &to_json(rules)?)?;
        Self::open(path)
    }

    /// Opens the folder of a contest and checks its rules.
    ///
    /// # Errors
    /// When there is no contest in the folder, or its rules are none that this command makes.
    pub fn open(path: &Path) -> Result<Self> {
        let files = RunDirectory::of_kept_files(path.to_owned());
        if !files.has(RULES) {
            bail!("{} holds no contest: there is no {RULES} in it; `jointly contest open` makes one", path.display());
        }
        let (rules, rules_digest) = read::<Rules>(&files, RULES)?;
        match rules.defect() {
            None => Ok(Self { files, rules, rules_digest }),
            Some(defect) => bail!("{} is not one that this command makes: {defect}", files.shown(RULES)),
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.files.path()
    }

    /// Returns the path of the run's directory.
    pub fn run(&self) -> PathBuf {
        self.path().join(RUN)
    }

    /// Returns the plan of the run, if the key was computed already.
    ///
    /// # Errors
    /// When the plan cannot be read, or is none that this command makes.
    pub(crate) fn run_plan(&self) -> Result<Option<Plan>> {
        let run = RunDirectory::of_kept_files(self.run());
        if run.has(jointly_record::directory::PLAN) { run.plan().map(Some) } else { Ok(None) }
    }

    /// Returns the folder's files, among them the entered components.
    pub(crate) fn files(&self) -> &RunDirectory {
        &self.files
    }

    /// Returns the entries by their digests, in ascending order.
    ///
    /// # Errors
    /// When a file in the folder of entries is no entry, its name is not its digest, or there are too many.
    pub fn entries(&self) -> Result<Vec<(String, ContestEntry)>> {
        let folder = self.path().join(ENTRIES);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let listed = fs::read_dir(&folder).with_context(|| format!("failed to list {}", folder.display()))?;
        let names = listed.filter_map(Result::ok).map(|file| file.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with(PART)).take(MOST_ENTRIES + 1).collect();
        if names.len() > MOST_ENTRIES {
            bail!("{} holds more than {}", folder.display(), counted(MOST_ENTRIES, "file"));
        }
        names.sort();
        names.iter().map(|name| self.entry(name)).collect()
    }

    fn entry(&self, name: &str) -> Result<(String, ContestEntry)> {
        let file = format!("{ENTRIES}/{name}");
        let (entry, found) = read::<ContestEntry>(&self.files, &file)?;
        if name != file_name(&found, "json") {
            bail!("{} was changed: its digest is {found}, and its name is another", self.files.shown(&file));
        }
        match entry.defect() {
            None => Ok((found, entry)),
            Some(defect) => bail!("{} is no entry: {defect}", self.files.shown(&file)),
        }
    }

    /// Adds an entry; returns its digest.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&self, entry: &ContestEntry) -> Result<String> {
        let text = to_json(entry)?;
        let own = digest(text.as_bytes());
        self.write(ENTRIES, &file_name(&own, "json"), &text)?;
        Ok(own)
    }

    /// Returns the list of entries with the digest of its file, if the contest is closed.
    ///
    /// # Errors
    /// When the list cannot be read, or is not in order.
    pub fn list(&self) -> Result<Option<(EntryList, String)>> {
        if !self.files.has(LIST) {
            return Ok(None);
        }
        let (list, found) = read::<EntryList>(&self.files, LIST)?;
        if !list.entries.is_sorted_by(|one, next| one < next) || list.entries.len() > MOST_ENTRIES {
            bail!("{} is not in ascending order, or too long", self.files.shown(LIST));
        }
        Ok(Some((list, found)))
    }

    /// Writes the list of entries.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn close(&self, list: &EntryList) -> Result<()> {
        self.files.write(LIST, &to_json(list)?)
    }

    /// Returns the entries of a list in its order.
    ///
    /// # Errors
    /// When an entry of the list is not in the folder.
    pub(crate) fn listed(&self, list: &EntryList) -> Result<Vec<(String, ContestEntry)>> {
        let mut entries: HashMap<String, ContestEntry> = self.entries()?.into_iter().collect();
        let take = |id: &String| {
            let entry = entries.remove(id);
            let shown = self.files.shown(LIST);
            entry
                .map(|entry| (id.clone(), entry))
                .with_context(|| format!("{shown} has {id}, which is not in {ENTRIES}/"))
        };
        list.entries.iter().map(take).collect()
    }

    /// Returns the revealed secret with a commitment.
    ///
    /// # Errors
    /// When its file holds another secret.
    pub(crate) fn secret(&self, commitment: &str) -> Result<Option<Secret>> {
        let file = format!("{SECRETS}/{}", file_name(commitment, "txt"));
        if !is_digest(commitment) || !self.files.has(&file) {
            return Ok(None);
        }
        match Secret::parse(&self.files.read(&file)?).filter(|secret| secret.commitment() == commitment) {
            Some(secret) => Ok(Some(secret)),
            None => bail!("{} is not the secret that its name is the digest of", self.files.shown(&file)),
        }
    }

    /// Puts a secret among those that were revealed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn reveal(&self, secret: &Secret) -> Result<()> {
        self.write(SECRETS, &file_name(&secret.commitment(), "txt"), &secret.text())
    }

    /// Returns whether the folder has the component of an entry.
    pub(crate) fn has_component(&self, entry: &ContestEntry) -> bool {
        self.files.has(&Kept::Agent.path(&entry.digest))
    }

    fn write(&self, folder: &str, name: &str, text: &str) -> Result<()> {
        let folder = self.path().join(folder);
        fs::create_dir_all(&folder).with_context(|| format!("failed to make {}; {AGAIN}", folder.display()))?;
        self.files.write(&format!("{}/{name}", folder.file_name().unwrap_or_default().to_string_lossy()), text)
    }
}

/// Returns the name of a file that is named by a digest.
fn file_name(digest: &str, extension: &str) -> String {
    format!("{}.{extension}", digest.replace(':', "-"))
}

/// Reads a file of JSON; returns its digest too.
fn read<T: DeserializeOwned>(files: &RunDirectory, name: &str) -> Result<(T, String)> {
    let (shown, bytes) = (files.shown(name), files.read(name)?);
    if let Some(refusal) = format::refusal(&bytes, &shown) {
        bail!(refusal);
    }
    let value =
        serde_json::from_slice(&bytes).with_context(|| format!("{shown} is not one that this command makes"))?;
    Ok((value, digest(&bytes)))
}

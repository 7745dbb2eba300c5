//! The folder of a contest: its files, read with the checks that each file can be given by itself.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jointly_core::digest;
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;
use jointly_record::directory::{self, RunDirectory, to_json};
use jointly_record::format;
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::entry::ContestEntry;
use crate::entry_list::EntryList;
use crate::rules::Rules;
use crate::secret::{MOST_SECRET, Secret};

/// The rules.
pub(crate) const RULES: &str = directory::CONTEST;
/// The list of entries that the close fixes.
const LIST: &str = "closed.json";
/// The folder of entries.
pub(crate) const ENTRIES: &str = "entries";
/// The folder of secrets that were revealed.
const SECRETS: &str = "secrets";
/// The folder of the run.
const RUN: &str = "run";
/// The most bytes of the rules, whose plan may have as many as any plan, of an entry, and of the list.
const MOST_RULES: u64 = 16 << 20;
const MOST_ENTRY: u64 = 256 << 10;
const MOST_LIST: u64 = 1 << 20;
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
    /// Makes the folder of a new contest, which must be new or empty but for files whose names begin with a dot.
    ///
    /// # Errors
    /// When the folder holds other files, or cannot be made.
    pub(crate) fn prepare(path: &Path) -> Result<()> {
        fs::create_dir_all(path).with_context(|| format!("failed to make {}; give another DIR", path.shown()))?;
        let mut held = fs::read_dir(path).with_context(|| format!("failed to list {}", path.shown()))?;
        // A repository of one's own, in which the contest is to be published, has files that begin with a dot.
        if held.any(|file| file.map_or(true, |file| !file.file_name().as_encoded_bytes().starts_with(b"."))) {
            bail!("{} holds files; give a new or empty DIR", path.shown());
        }
        Ok(())
    }

    /// Writes the rules into the folder of a new contest.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn write_rules(path: &Path, rules: &Rules) -> Result<Self> {
        directory::write_whole(&path.join(RULES), to_json(rules)?.as_bytes(), AGAIN)?;
        Self::open(path)
    }

    /// Opens the folder of a contest and checks its rules.
    ///
    /// # Errors
    /// When there is no contest in the folder, or its rules are none that this command makes.
    pub fn open(path: &Path) -> Result<Self> {
        let files = RunDirectory::of_kept_files(path.to_owned());
        if !files.has(RULES) && files.has(directory::PLAN) {
            bail!("{} is a run: give the folder of the contest", path.shown());
        }
        if !files.has(RULES) {
            bail!("{} holds no contest: there is no {RULES} in it; `jointly contest open` makes one", path.shown());
        }
        let (rules, rules_digest) = read::<Rules>(&files, RULES, MOST_RULES)?;
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
        if run.has(directory::PLAN) { run.plan().map(Some) } else { Ok(None) }
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
        let listed = fs::read_dir(&folder).with_context(|| format!("failed to list {}", folder.shown()))?;
        let names = listed.filter_map(Result::ok).map(|file| file.file_name().to_string_lossy().into_owned());
        // Files of versioning and of desktops, and half-written ones, begin with a dot.
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).take(MOST_ENTRIES + 1).collect();
        self.refuse_more_than(names.len())?;
        names.sort();
        names.iter().map(|name| self.entry(name)).collect()
    }

    fn entry(&self, name: &str) -> Result<(String, ContestEntry)> {
        let file = format!("{ENTRIES}/{name}");
        let (entry, found) = read::<ContestEntry>(&self.files, &file, MOST_ENTRY)?;
        if name != file_name(&found, "json") {
            bail!("{} was changed: its digest is {found}, and its name is another", self.files.shown(&file));
        }
        match entry.defect(&self.rules, &self.rules_digest) {
            None => Ok((found, entry)),
            Some(defect) => bail!("{} is no entry of this contest: {defect}; remove it", self.files.shown(&file)),
        }
    }

    /// Refuses more entries than a contest may have.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn refuse_more_than(&self, entries: usize) -> Result<()> {
        let folder = self.path().join(ENTRIES);
        ensure!(entries <= MOST_ENTRIES, "{} may hold {} at most", folder.shown(), counted(MOST_ENTRIES, "entry"));
        Ok(())
    }

    /// Adds entries, all or none; returns them with their digests.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn add(&self, entries: Vec<ContestEntry>) -> Result<Vec<(String, ContestEntry)>> {
        let mut added: Vec<(String, ContestEntry)> = Vec::new();
        for entry in entries {
            let text = to_json(&entry)?;
            let own = digest(text.as_bytes());
            if let Err(error) = self.write(ENTRIES, &file_name(&own, "json"), &text) {
                for (earlier, _) in &added {
                    let _ = fs::remove_file(self.path().join(ENTRIES).join(file_name(earlier, "json")));
                }
                return Err(error);
            }
            added.push((own, entry));
        }
        Ok(added)
    }

    /// Returns the list of entries with the digest of its file, if the contest is closed.
    ///
    /// # Errors
    /// When the list cannot be read, or is not in order.
    pub fn list(&self) -> Result<Option<(EntryList, String)>> {
        if !self.files.has(LIST) {
            return Ok(None);
        }
        let (list, found) = read::<EntryList>(&self.files, LIST, MOST_LIST)?;
        if !list.entries.is_sorted_by(|one, next| one < next) || list.entries.len() > MOST_ENTRIES {
            bail!("{} is not in ascending order, or too long", self.files.shown(LIST));
        }
        Ok(Some((list, found)))
    }

    /// Writes the list of entries.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_list(&self, text: &str) -> Result<()> {
        directory::write_whole(&self.path().join(LIST), text.as_bytes(), AGAIN)
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
            entry.map(|entry| (id.clone(), entry)).with_context(|| {
                format!("{shown} has {id}, which is not in {ENTRIES}/: take the whole folder as it was published")
            })
        };
        list.entries.iter().map(take).collect()
    }

    /// Returns the revealed secret with a commitment.
    ///
    /// # Errors
    /// When its file holds another secret.
    pub(crate) fn secret(&self, commitment: &str) -> Result<Option<Secret>> {
        let file = format!("{SECRETS}/{}", file_name(commitment, "txt"));
        if !self.files.has(&file) {
            return Ok(None);
        }
        match Secret::parse(&bytes(&self.files, &file, MOST_SECRET)?).filter(|secret| secret.commitment() == commitment)
        {
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
        fs::create_dir_all(&folder).with_context(|| format!("failed to make {}; {AGAIN}", folder.shown()))?;
        directory::write_whole(&folder.join(name), text.as_bytes(), AGAIN)
    }
}

/// Returns the name of a file that is named by a digest.
pub(crate) fn file_name(digest: &str, extension: &str) -> String {
    format!("{}.{extension}", digest.replace(':', "-"))
}

/// Reads a file that has at most `most` bytes.
fn bytes(files: &RunDirectory, name: &str, most: u64) -> Result<Vec<u8>> {
    let bytes = regular_file::read(&files.path().join(name), most);
    bytes.with_context(|| format!("failed to read {}", files.shown(name)))
}

/// Reads a file of JSON that has at most `most` bytes; returns its digest too. Only the text that this command writes of
/// a value is taken, so that nothing in a file means one thing to a reader and another to the command.
fn read<T: Serialize + DeserializeOwned>(files: &RunDirectory, name: &str, most: u64) -> Result<(T, String)> {
    let (shown, bytes) = (files.shown(name), bytes(files, name, most)?);
    if let Some(refusal) = format::refusal(&bytes, &shown) {
        bail!(refusal);
    }
    let other = || format!("{shown} is not one that this command makes");
    let value: T = serde_json::from_slice(&bytes).with_context(other)?;
    ensure!(to_json(&value)?.as_bytes() == bytes, other());
    Ok((value, digest(&bytes)))
}

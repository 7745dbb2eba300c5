//! The folder of a site: written over an earlier site, and over nothing else.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;
use jointly_record::directory;

use super::frame::GENERATOR;
use super::names::{AGENTS, ENTRIES, PACKS, is_own};

/// The site's first page, by which a folder is known to hold a site.
pub(super) const INDEX: &str = "index.html";
/// The number of bytes of a page that are searched for who made it.
const HEAD: u64 = 4096;
/// The remedy when a file cannot be written.
const REMEDY: &str = "make room, or give another folder by --out DIR";

/// The folder of a site, and the files that were written into it.
pub(super) struct Folder {
    path: PathBuf,
    written: HashSet<String>,
}

impl Folder {
    /// Takes a folder that is new or empty, or holds an earlier site.
    pub(super) fn claim(path: &Path) -> Result<Self> {
        let shown = path.shown();
        fs::create_dir_all(path).with_context(|| format!("failed to make {shown}; give another --out DIR"))?;
        let mut held = fs::read_dir(path).with_context(|| format!("failed to list {shown}"))?;
        if held.next().is_some() && !is_site(&path.join(INDEX)) {
            bail!("{shown} holds files that are no site of a leaderboard; give a new or empty folder by --out DIR");
        }
        for name in [AGENTS, ENTRIES, PACKS] {
            let folder = path.join(name);
            fs::create_dir_all(&folder).with_context(|| format!("failed to make {}; {REMEDY}", folder.shown()))?;
            if folder.is_symlink() {
                bail!("{} is a link; remove it, or give another folder by --out DIR", folder.shown());
            }
        }
        Ok(Self { path: path.to_owned(), written: HashSet::new() })
    }

    /// Writes a file, whole or not at all.
    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        directory::write_whole(&self.path.join(name), bytes, REMEDY)?;
        self.written.insert(name.to_owned());
        Ok(())
    }

    /// Removes pages and packs of an earlier site that this one does not have.
    pub(super) fn remove_others(self) -> Result<()> {
        for folder in [AGENTS, ENTRIES, PACKS] {
            let path = self.path.join(folder);
            let shown = path.shown();
            for file in fs::read_dir(&path).with_context(|| format!("failed to list {shown}"))? {
                let file = file.with_context(|| format!("failed to list {shown}"))?;
                let name = file.file_name().to_string_lossy().into_owned();
                let stale = is_own(&name) && !self.written.contains(&format!("{folder}/{name}"));
                if stale && file.file_type().is_ok_and(|kind| kind.is_file()) {
                    fs::remove_file(file.path())
                        .with_context(|| format!("failed to remove {} of an earlier site", file.path().shown()))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a file is the first page of a site.
fn is_site(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = || regular_file::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    path.is_file() && { read }().is_ok() && String::from_utf8_lossy(&head).contains(GENERATOR)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::frame::GENERATOR;
    use super::{Folder, INDEX};

    #[test]
    fn a_folder_with_other_files_is_refused_and_an_earlier_site_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site");
        let old = "agents/old-00000000000000000000000000000000.html";
        let mut first = Folder::claim(&path).unwrap();
        first.write(old, b"old").unwrap();
        first.write(INDEX, format!("<meta content=\"{GENERATOR}\">").as_bytes()).unwrap();
        first.remove_others().unwrap();
        fs::write(path.join("agents/mine.html"), "kept").unwrap();
        let mut second = Folder::claim(&path).unwrap();
        second.write(INDEX, GENERATOR.as_bytes()).unwrap();
        second.remove_others().unwrap();
        assert!(!path.join(old).exists() && path.join("agents/mine.html").exists());
        fs::write(path.join(INDEX), "another page").unwrap();
        let refusal = Folder::claim(&path).err().unwrap().to_string();
        assert!(
            refusal.contains("holds files that are no site of a leaderboard; give a new or empty folder"),
            "{refusal}"
        );
    }
}

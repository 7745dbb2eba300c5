//! The site of a leaderboard: pages that open from a folder, with nothing from elsewhere, and the packs of the entries.

mod agent_page;
mod board;
mod entry_page;
mod folder;
mod frame;
mod index;
mod names;
mod pairs;
mod standings;

use std::path::Path;

use anyhow::Result;
use jointly_score::boards::Boards;
use jointly_score::combined::Merged;
use jointly_score::entry::Entry;
use jointly_score::scores::Scores;

use crate::provenance::Bundled;
use board::{Board, EntryFile};
use folder::Folder;

/// The contents of a site.
pub struct Site<'a> {
    /// The entries, in the order in which they were given.
    pub entries: &'a [Entry],
    /// The leaderboards that they make.
    pub boards: &'a Boards<'a>,
    /// The label to compare with.
    pub baseline: Option<&'a str>,
    /// Tells which agents come with the command.
    pub bundled: Bundled<'a>,
}

impl Site<'_> {
    /// Writes the site into a folder. The same entries give the same bytes.
    ///
    /// # Errors
    /// When the folder holds anything but an earlier site, an entry cannot be packed, or a file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut folder = Folder::claim(path)?;
        let files = self.entries.iter().map(|entry| {
            let pack = entry.to_pack()?;
            let file = EntryFile::new(entry, &pack);
            folder.write(&file.pack, &pack)?;
            Ok(file)
        });
        let files: Vec<EntryFile> = files.collect::<Result<_>>()?;
        let held = self.boards.all().map(Merged::hold).collect::<Result<Vec<_>>>()?;
        let scores = self.boards.all().zip(&held).map(|(merged, held)| merged.scores_of(held));
        let scores = scores.collect::<Result<Vec<Scores>>>()?;
        let kinds = if self.boards.public.is_some() { [Some(true), Some(false)] } else { [None; 2] };
        let boards: Vec<Board> = self
            .boards
            .all()
            .zip(&scores)
            .zip(kinds)
            .map(|((merged, scores), contest)| Board::new(merged, scores, &files, self.baseline, contest))
            .collect();
        for (page, text) in agent_page::pages(&boards, self.bundled) {
            folder.write(&page, text.as_bytes())?;
        }
        for (board, entry) in boards.iter().flat_map(|board| board.entries.iter().map(move |entry| (board, entry))) {
            folder.write(&entry.file.page, entry_page::page(board, entry, self.bundled).as_bytes())?;
        }
        folder.write(folder::INDEX, index::page(&boards).as_bytes())?;
        folder.remove_others()
    }
}

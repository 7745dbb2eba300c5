//! A leaderboard as the site's pages show it, with the files of its entries and agents.

use std::collections::HashMap;

use jointly_core::{Seed, digest};
use jointly_score::combined::Merged;
use jointly_score::entry::Entry;
use jointly_score::leaderboard::Leaderboard;
use jointly_score::rank_interval::RankIntervals;
use jointly_score::scores::{AgentScores, Scores};

use super::names;

/// An entry and the files that it has on the site.
pub(super) struct EntryFile<'a> {
    pub(super) entry: &'a Entry,
    /// The path of the pack in the site's folder.
    pub(super) pack: String,
    /// The path of the entry's page.
    pub(super) page: String,
    /// The digest of the pack's bytes.
    pub(super) digest: String,
    /// The number of the pack's bytes.
    pub(super) bytes: usize,
}

impl<'a> EntryFile<'a> {
    pub(super) fn new(entry: &'a Entry, pack: &[u8]) -> Self {
        let digest = digest(pack);
        let (page, path) = names::entry(&entry.name(), &digest);
        Self { entry, pack: path, page, digest, bytes: pack.len() }
    }
}

/// An entry of a leaderboard.
pub(super) struct BoardEntry<'a> {
    /// The entry's name among those of the leaderboard.
    pub(super) name: &'a str,
    /// The labels of its agents on the leaderboard.
    pub(super) agents: &'a [String],
    pub(super) file: &'a EntryFile<'a>,
}

/// A leaderboard with what its pages need.
pub(super) struct Board<'a> {
    pub(super) leaderboard: Leaderboard<'a>,
    pub(super) scores: &'a Scores<'a>,
    /// The label to compare with, if this leaderboard has it.
    pub(super) baseline: Option<&'a str>,
    pub(super) intervals: Option<RankIntervals>,
    /// Whether its entries are contests.
    pub(super) contest: bool,
    /// Whether its seed is sealed.
    sealed: bool,
    pub(super) entries: Vec<BoardEntry<'a>>,
    /// Who entered an agent in a contest, by its label.
    pub(super) entrants: &'a HashMap<String, String>,
}

impl<'a> Board<'a> {
    /// Makes a leaderboard of combined entries, which are those of `files` that are of contests or not, as `contest` says.
    pub(super) fn new(
        merged: &'a Merged,
        scores: &'a Scores<'a>,
        files: &'a [EntryFile<'a>],
        baseline: Option<&'a str>,
        contest: Option<bool>,
    ) -> Self {
        let leaderboard = Leaderboard::new(scores);
        let of_board = files.iter().filter(|file| contest.is_none_or(|own| file.entry.is_of_contest() == own));
        let contest = contest.unwrap_or_else(|| files.iter().all(|file| file.entry.is_of_contest()));
        let entries =
            merged.entries.iter().zip(of_board).map(|((name, agents), file)| BoardEntry { name, agents, file });
        Self {
            baseline: baseline.filter(|label| leaderboard.labels().contains(label)),
            intervals: leaderboard.rank_intervals(),
            scores,
            contest,
            sealed: matches!(merged.plan.seed, Seed::Sealed(_)),
            entries: entries.collect(),
            entrants: &merged.entrants,
            leaderboard,
        }
    }

    /// Says who could know the problems.
    pub(super) fn about_seed(&self) -> &'static str {
        match (self.contest, self.sealed) {
            (true, _) => {
                "The seed is that of a contest: all agents were fixed before anybody could know the problems, as its folder \
                 shows by jointly contest check."
            }
            (false, true) => {
                "The seed is sealed, but nothing here shows that the agents were fixed before it was known: the folder of a \
                 contest does."
            }
            (false, false) => "The seed is public: an agent can be made for its problems, so this is for development.",
        }
    }

    /// Returns `sealed` or `public`.
    pub(super) fn seed(&self) -> &'static str {
        if self.sealed { "sealed" } else { "public" }
    }

    /// Returns the text of an agent's tier.
    pub(super) fn tier(&self, agent: &AgentScores) -> &'static str {
        if agent.planned.is_reference() { "reference" } else { self.scores.plan.tier(agent.planned) }
    }

    /// Returns the entries that have an agent.
    pub(super) fn having(&self, label: &str) -> impl Iterator<Item = &BoardEntry<'a>> {
        self.entries.iter().filter(move |entry| entry.agents.iter().any(|own| own == label))
    }
}

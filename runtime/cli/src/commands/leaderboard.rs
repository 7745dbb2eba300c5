//! `jointly leaderboard`: ranks entries with the same problems and options together.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use jointly_contest::{Checked, ContestFolder};
use jointly_core::printable::ShowPath as _;
use jointly_record::directory::CONTEST;
use jointly_report::leaderboard_text::entries_text;
use jointly_report::site::Site;
use jointly_score::boards::Boards;
use jointly_score::combined::Merged;
use jointly_score::entry::Entry;
use jointly_score::leaderboard::Leaderboard as Ranking;

use crate::{exit, output};

/// Ranks the agents of several entries together, paired by problem
///
/// Entries are directories that `jointly run` wrote, and files that `jointly pack` made. They must be of one suite,
/// engine and seed, with the same limits, evaluation options and problems; the first difference is named. Differences
/// to the baseline are over the same problems, and those that are significant are marked. An agent that two entries
/// have, to the byte, counts once, and must have the same results in both. Contests rank, given by their folders, and other
/// runs stand beside them. Scores must follow from the results in the entries; `jointly verify` finds out
/// whether the results are true.
#[derive(Args)]
pub(crate) struct Leaderboard {
    /// Finished runs, their packs, or finished contests
    #[arg(value_name = "DIR|FILE", required = true)]
    entries: Vec<PathBuf>,
    /// The agent to compare with, as the table names it [default: mlp, where it took part]
    #[arg(long, value_name = "AGENT")]
    baseline: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The folder of the site, with --format html: new or empty, or an earlier site, which is replaced
    #[arg(long, value_name = "DIR", required_if_eq("format", "html"))]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For a person
    Table,
    /// One row an agent: leaderboard.csv with label and entries, and the difference to the baseline where there is one;
    /// `jointly schema leaderboard` describes its columns
    Csv,
    /// In the shape of scores.json, with the differences to the baseline and which entry has which agents; `jointly
    /// schema leaderboard-json` describes it
    Json,
    /// A site of pages that opens from its folder, with a page for each agent and entry, and the packs
    Html,
}

impl Leaderboard {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let entries = self.entries.iter().map(|path| open(path)).collect::<Result<Vec<_>>>()?;
        entries.iter().try_for_each(Entry::refuse_defects)?;
        let boards = Boards::of(&entries)?;
        let merged = &boards.ranked;
        let (scores, public) = (merged.scores()?, boards.public.as_ref().map(Merged::scores).transpose()?);
        let (ranking, public) = (Ranking::new(&scores), public.as_ref().map(Ranking::new));
        let given = self.baseline.as_deref();
        let baseline = given
            .map(|given| {
                super::report::baseline(&ranking, given, "these entries", "the leaderboard without --baseline has all")
            })
            .transpose()?;
        if let (Some(out), true) = (&self.out, !matches!(self.format, Format::Html)) {
            bail!("--out {} is for the site: give --format html with it", out.shown());
        }
        match self.format {
            Format::Table => {
                output::print(&entries_text(&ranking, baseline.as_deref(), &boards, public.as_ref()))?;
            }
            Format::Csv => {
                let entries = |label: &str| {
                    let having = merged.entries.iter().filter(|(_, labels)| labels.iter().any(|own| own == label));
                    let entries = having.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("; ");
                    [entries, merged.entrants.get(label).cloned().unwrap_or_default()]
                };
                output::print(&ranking.to_csv_of_entries(baseline.as_deref(), entries))?;
            }
            Format::Json => {
                let document =
                    ranking.document(baseline.as_deref(), &merged.entries, &merged.entrants, public.as_ref());
                output::print_json(&document)?;
            }
            Format::Html => {
                let out = self.out.as_deref().unwrap_or_else(|| Path::new("site"));
                let bundled = super::report::is_bundled;
                Site { entries: &entries, boards: &boards, baseline: baseline.as_deref(), bundled: &bundled }
                    .write(out)?;
                output::print(&out.join("index.html").shown().to_string())?;
            }
        }
        if ranking.baseline(baseline.as_deref()).is_none() && merged.plan.agents.len() > 1 {
            output::note(&format!(
                "nothing is compared: give --baseline AGENT, one of {}",
                ranking.labels().join("; ")
            ));
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Opens an entry: the run of a contest with the names of its entrants, or any other run.
fn open(path: &Path) -> Result<Entry> {
    if !path.join(CONTEST).is_file() {
        return Entry::open(path);
    }
    let contest = ContestFolder::open(path)?;
    let checked = Checked::of(&contest)?;
    let drawn =
        checked.drawn.with_context(|| format!("{} is not finished: see `jointly contest check`", path.shown()))?;
    if drawn.secrets == 1 {
        output::note(&format!(
            "{}: the seed follows from the organiser's secret alone, so that all have to trust the organiser not to have known \
             the problems",
            contest.rules.name
        ));
    }
    Ok(Entry::open(&contest.run())?.of_contest(contest.rules.name, drawn.entrants))
}

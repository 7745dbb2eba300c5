//! The results of a run as its scores need them: in the journal, or held where agents are scored against each other.

use anyhow::{Result, ensure};
use jointly_record::directory::{JOURNAL, RunDirectory};
use jointly_record::files::MOST_JOURNAL;
use jointly_record::lines::{Line, Lines, PlanLines};
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;

use crate::scores::{Results, Scores};

/// The results of a run.
pub enum RunResults {
    /// They stay in the journal.
    InJournal(PlanLines),
    /// They are held.
    Held(Vec<UnitResult>),
}

impl RunResults {
    /// Returns the results that were found in a run's journal, and holds them if agents are scored against each other.
    ///
    /// # Errors
    /// When they must be held, and the journal cannot be read.
    pub fn of(plan: &Plan, directory: &RunDirectory, lines: &Lines) -> Result<Self> {
        let found = lines.of_plan(plan);
        if lines.have_beliefs() { hold(directory, &found).map(Self::Held) } else { Ok(Self::InJournal(found)) }
    }

    /// Scores the results.
    ///
    /// # Errors
    /// When the journal cannot be read, a belief is missing or damaged, or beliefs cannot be compared.
    pub fn scores<'a>(&'a self, plan: &'a Plan, directory: &'a RunDirectory) -> Result<Scores<'a>> {
        match self {
            Self::InJournal(lines) => Scores::summed_up(plan, Results::of(plan, directory, lines)),
            Self::Held(results) => Scores::with_beliefs(plan, results, directory),
        }
    }
}

/// Reads and holds all results of a run, in the plan's order.
///
/// # Errors
/// When the journal cannot be read, or has more bytes than can be held.
pub(crate) fn hold(directory: &RunDirectory, lines: &PlanLines) -> Result<Vec<UnitResult>> {
    let lines = lines.in_order();
    let bytes: u64 = lines.iter().copied().map(Line::bytes).sum();
    let shown = directory.shown(JOURNAL);
    ensure!(
        bytes <= MOST_JOURNAL,
        "{shown} has {bytes} bytes of results, more than the {MOST_JOURNAL} that can be held"
    );
    directory.read_results(&lines)
}

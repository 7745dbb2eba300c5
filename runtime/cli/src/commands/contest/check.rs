//! `jointly contest check`: computes a contest again from its files alone.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use jointly_contest::checked::Standing;
use jointly_contest::{Checked, ContestFolder, Lack, Time};
use jointly_record::directory::{LEADERBOARD, SCORES};
use jointly_record::quantity::counted;
use jointly_score::entry::Entry;

use crate::commands::verify::VerifyOptions;
use crate::{exit, output};

/// Checks a contest from its folder alone: rules, entries, secrets, the key, and the run
///
/// It computes digests, commitments and the key again, and compares the plan of the run with the one that follows from
/// them. Then it verifies the run as `jointly verify` does. Before the close, it shows the entries.
#[derive(Args)]
pub(crate) struct Check {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Fail unless the contest is finished
    #[arg(long)]
    finished: bool,
    #[command(flatten)]
    options: VerifyOptions,
}

impl Check {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let contest = ContestFolder::open(&self.folder)?;
        let rules = &contest.rules;
        let checked = Checked::of(&contest)?;
        output::print_line(&format!(
            "{}: {} of {}, opened {}{}",
            rules.name,
            counted(rules.plan.problems.len(), "problem"),
            rules.plan.suite,
            rules.opened,
            rules.until.map_or_else(String::new, |until| format!(", entries until {until}")),
        ))?;
        output::print_line(&format!("rules: {}", contest.rules_digest))?;
        for (id, entry, standing) in &checked.entries {
            let standing = match standing {
                Standing::TakesPart(label) => format!("in the run: {label}"),
                Standing::Entered(lacks) if lacks.is_empty() => "entered".to_owned(),
                Standing::Entered(lacks) => format!("entered; {}", all(lacks)),
                Standing::Withdrawn(lacks) => format!("takes no part: {}", all(lacks)),
                Standing::Unlisted => "not in the list of entries".to_owned(),
            };
            output::print_line(&format!("- {}, {}: {standing}", entry.shown(), entry.at))?;
            output::print_line(&format!("  {id}"))?;
        }
        let unfinished = |state: &str| {
            ensure!(!self.finished, "{} is not finished: {state}", rules.name);
            output::print_line(state).map(|()| ExitCode::from(exit::DONE))
        };
        let Some(list) = &checked.list else {
            let over = rules.until.filter(|until| *until < Time::now());
            let over =
                over.map_or_else(String::new, |_| "; no more are taken, and `jointly contest close` is next".into());
            return unfinished(&format!("open, with {}{over}", counted(checked.entries.len(), "entry")));
        };
        output::print_line(&format!("closed; list of entries: {list}"))?;
        let Some(drawn) = &checked.drawn else { return unfinished("the key is not drawn yet") };
        let secrets = match drawn.secrets {
            1 => "the organiser's secret alone, so that all have to trust the organiser".to_owned(),
            all => format!("{all} secrets"),
        };
        output::print_line(&format!("the key follows from rules, list and {secrets}: {}", drawn.plan.seed))?;
        let run = contest.run();
        if !run.join(SCORES).exists() && !run.join(LEADERBOARD).exists() {
            return unfinished("the run is not finished yet");
        }
        self.options.verify(&Entry::open(&run)?)
    }
}

fn all(lacks: &[Lack]) -> String {
    lacks.iter().map(Lack::to_string).collect::<Vec<_>>().join(", ")
}

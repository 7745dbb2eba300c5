//! `jointly contest check`: computes a contest again from its files alone.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::checked::Standing;
use jointly_contest::close::Missing;
use jointly_contest::{Checked, ContestFolder};
use jointly_record::directory::SCORES;
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
                Standing::Ready => "",
                Standing::Waiting(Missing::Secret) => ", secret not revealed yet",
                Standing::Waiting(Missing::Component) => ", component not there yet",
                Standing::Withdrawn => ", withdrawn: it revealed nothing",
                Standing::Unlisted => ", NOT in the list of entries",
            };
            output::print_line(&format!("{id} {}, {}{standing}", entry.shown(), entry.at))?;
        }
        let Some(list) = &checked.list else {
            output::print_line(&format!("open, with {}", counted(checked.entries.len(), "entry")))?;
            return Ok(ExitCode::from(exit::DONE));
        };
        output::print_line(&format!("closed; list of entries: {list}"))?;
        let Some(plan) = &checked.plan else {
            output::print_line("the key is not computed yet")?;
            return Ok(ExitCode::from(exit::DONE));
        };
        output::print_line(&format!(
            "the key follows from rules, list and {}, and is the seed of the run: {}",
            counted(checked.secrets, "secret"),
            plan.seed
        ))?;
        let run = contest.run();
        if !run.join(SCORES).exists() {
            output::print_line("the run is not finished yet")?;
            return Ok(ExitCode::from(exit::DONE));
        }
        self.options.verify(&Entry::open(&run)?)
    }
}

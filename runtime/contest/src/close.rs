//! Closes a contest: fixes the list of entries, waits for what was kept back, and computes the key.

use anyhow::{Result, bail, ensure};
use jointly_engine::data_directories::DataDirectories;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_host::Execution;
use jointly_record::attachments;
use jointly_record::directory::RunDirectory;
use jointly_record::format::Format;
use jointly_record::plan::Plan;

use crate::draw;
use crate::entry::ContestEntry;
use crate::entry_list::EntryList;
use crate::folder::ContestFolder;
use crate::secret::Secret;
use crate::time::Time;

/// The state of a contest after a step of its close.
pub enum Closed {
    /// The list is fixed, and some entries have not yet revealed what they kept back.
    Waiting {
        /// The digest of the list, by which entrants recognise it.
        list: String,
        /// The number of entries.
        entries: usize,
        /// The entries that keep something back, and what.
        missing: Vec<(ContestEntry, Missing)>,
    },
    /// The run was planned in its directory.
    Planned {
        /// The entries that do not take part, because they revealed nothing.
        withdrawn: Vec<ContestEntry>,
    },
}

/// What an entry has committed itself to and has not revealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The entrant's secret.
    Secret,
    /// The component.
    Component,
}

impl Missing {
    /// Returns what an entry of a folder has not revealed.
    ///
    /// # Errors
    /// When the file of its secret holds another one.
    pub(crate) fn of(folder: &ContestFolder, entry: &ContestEntry) -> Result<Option<Self>> {
        if let Some(commitment) = &entry.commitment
            && folder.secret(commitment)?.is_none()
        {
            return Ok(Some(Self::Secret));
        }
        Ok((!folder.has_component(entry)).then_some(Self::Component))
    }
}

/// Takes the next steps of a contest's close. With `without_missing`, entries that have not revealed what they kept back
/// do not take part.
///
/// # Errors
/// When the contest is still open, has no entries, or its files contradict one another.
pub fn close(
    folder: &ContestFolder,
    organiser: &Secret,
    without_missing: bool,
    data: &DataDirectories,
) -> Result<Closed> {
    let rules = &folder.rules;
    ensure!(
        organiser.commitment() == rules.commitment,
        "this is not the secret of {}: its digest is {}, and the rules have {}",
        rules.name,
        organiser.commitment(),
        rules.commitment
    );
    let (list, list_digest) = list(folder)?;
    let entries = folder.listed(&list)?;
    draw::refuse_against(rules, &list, &entries)?;
    if let Some(plan) = folder.run_plan()? {
        let (taking_part, withdrawn) = part(&plan, entries);
        let drawn = draw::plan(folder, &list_digest, organiser, &taking_part)?;
        if let Some(difference) = drawn.difference(&plan) {
            bail!("{} has another plan than follows from the contest: {difference}", folder.run().display());
        }
        return Ok(Closed::Planned { withdrawn });
    }
    let (mut taking_part, mut missing) = (Vec::new(), Vec::new());
    for (id, entry) in entries {
        match Missing::of(folder, &entry)? {
            None => taking_part.push((id, entry)),
            Some(what) => missing.push((entry, what)),
        }
    }
    if !missing.is_empty() && !without_missing {
        return Ok(Closed::Waiting { list: list_digest, entries: list.entries.len(), missing });
    }
    ensure!(!taking_part.is_empty(), "no entry has revealed what it kept back, so that none could take part");
    let plan = draw::plan(folder, &list_digest, organiser, &taking_part)?;
    // Whatever could stop the run is found before the secret is revealed.
    let workload = Workload::of_plan(&plan, folder.files(), data, Execution::Compiled, NativeAgents::Leave)?;
    if let Some(difference) = workload.plan.with_version_of(&plan).difference(&plan) {
        bail!(
            "this command makes another plan of the rules and the entries ({difference}): close with jointly {}",
            rules.plan.version
        );
    }
    folder.reveal(organiser)?;
    let (run, _held) = RunDirectory::for_plan(&folder.run(), &plan)?;
    attachments::copy_kept(&plan, &[], folder.files(), &run)?;
    Ok(Closed::Planned { withdrawn: missing.into_iter().map(|(entry, _)| entry).collect() })
}

/// Returns the list with its digest, and fixes it first where the contest is still open.
fn list(folder: &ContestFolder) -> Result<(EntryList, String)> {
    let rules = &folder.rules;
    if let Some(list) = folder.list()? {
        return Ok(list);
    }
    let now = Time::now();
    if let Some(until) = rules.until.filter(|until| now < *until) {
        bail!("{} takes entries until {until}, and it is {now}: close it then", rules.name);
    }
    let entries = folder.entries()?;
    ensure!(!entries.is_empty(), "{} has no entries: `jointly contest enter` adds one", rules.name);
    let list = EntryList { format: Format, at: now, entries: entries.iter().map(|(id, _)| id.clone()).collect() };
    draw::refuse_against(rules, &list, &entries)?;
    folder.close(&list)?;
    match folder.list()? {
        Some(list) => Ok(list),
        None => bail!("{} could not be closed", folder.path().display()),
    }
}

/// Returns the entries that are in the plan of a run, and the others.
pub(crate) fn part(
    plan: &Plan,
    entries: Vec<(String, ContestEntry)>,
) -> (Vec<(String, ContestEntry)>, Vec<ContestEntry>) {
    let takes_part =
        |entry: &ContestEntry| plan.agents.iter().any(|agent| agent.has_bytes_and_settings_of(&entry.planned()));
    let (taking_part, withdrawn): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(_, entry)| takes_part(entry));
    (taking_part, withdrawn.into_iter().map(|(_, entry)| entry).collect())
}

/// Reveals an entrant's secret.
///
/// # Errors
/// When the contest is not closed, or no entry is committed to the secret.
pub fn reveal(folder: &ContestFolder, secret: &Secret) -> Result<()> {
    let Some((list, _)) = folder.list()? else {
        bail!("{} is not closed: a secret is revealed when the list of entries is fixed", folder.rules.name);
    };
    let commitment = secret.commitment();
    let own = |(_, entry): &(String, ContestEntry)| entry.commitment.as_ref() == Some(&commitment);
    ensure!(
        folder.listed(&list)?.iter().any(own),
        "no entry of the list is committed to this secret, whose digest is {commitment}"
    );
    ensure!(folder.run_plan()?.is_none(), "{} is drawn already: it is too late to reveal a secret", folder.rules.name);
    folder.reveal(secret)
}

//! Closes a contest: fixes the list of entries, waits for what was kept back, and draws the key.

use anyhow::{Result, bail, ensure};
use jointly_core::digest;
use jointly_engine::cache::{self, Code};
use jointly_engine::data_directories::DataDirectories;
use jointly_engine::workload::{NativeAgents, Workload};
use jointly_host::Execution;
use jointly_record::attachments;
use jointly_record::directory::{RunDirectory, to_json};
use jointly_record::format::Format;
use jointly_record::plan::Plan;

use crate::draw::{self, Drawn};
use crate::entry::ContestEntry;
use crate::entry_list::EntryList;
use crate::folder::ContestFolder;
use crate::lack::Lack;
use crate::secret::Secret;
use crate::time::Time;

/// The state of a contest after a step of its close.
pub enum Closed {
    /// The list is fixed, and some entries lack something.
    Waiting {
        /// The digest of the list, by which entrants recognise it.
        list: String,
        /// The number of entries.
        entries: usize,
        /// The entries that lack something, and what.
        lacking: Vec<(ContestEntry, Vec<Lack>)>,
    },
    /// The run was planned in its directory.
    Planned {
        /// The plan.
        plan: Box<Plan>,
        /// The entries that take part, in the order of the plan's agents.
        entries: Vec<ContestEntry>,
        /// The entries that do not take part.
        withdrawn: Vec<ContestEntry>,
    },
}

/// Takes the next steps of a contest's close. With `without_lacking`, entries that lack something do not take part; the
/// list must have been fixed by an earlier close, so that entrants could reveal what they kept back.
///
/// # Errors
/// When the contest is still open, has no entries, or its files contradict one another.
pub fn close(
    folder: &ContestFolder,
    organiser: &Secret,
    without_lacking: bool,
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
    let (list, list_digest) = match folder.list()? {
        Some(list) => list,
        None if without_lacking => {
            bail!("{} is not closed yet: close it first without this option, and publish the list", rules.name)
        }
        None => fix_list(folder)?,
    };
    let entries = folder.listed(&list)?;
    draw::refuse_against(rules, list.at, &entries)?;
    if let Some(plan) = folder.run_plan()? {
        let Drawn { taking_part, withdrawn } = draw::again(folder, &list_digest, organiser, &plan, entries)?;
        return planned(folder, organiser, plan, taking_part, withdrawn);
    }
    let runtime = cache::runtime(Execution::Compiled)?;
    let (mut taking_part, mut lacking) = (Vec::new(), Vec::new());
    for (id, entry) in entries {
        match Lack::of(folder, &runtime, &entry)? {
            lacks if lacks.is_empty() => taking_part.push((id, entry)),
            lacks => lacking.push((entry, lacks)),
        }
    }
    if !lacking.is_empty() && !without_lacking {
        return Ok(Closed::Waiting { list: list_digest, entries: list.entries.len(), lacking });
    }
    ensure!(!taking_part.is_empty(), "every entry lacks something, so that none could take part");
    let plan = draw::plan(folder, &list_digest, organiser, &taking_part)?;
    // Whatever could stop the run is found before anything reveals the key.
    let workload =
        Workload::of_plan(&plan, folder.files(), data, Execution::Compiled, NativeAgents::Leave, Code::Cached)?;
    if let Some(difference) = workload.plan.with_version_of(&plan).difference(&plan) {
        let version = &rules.plan.version;
        bail!(
            "this command makes another plan of the rules and the entries ({difference}); they are those of jointly {version}"
        );
    }
    let withdrawn = lacking.into_iter().map(|(entry, _)| entry).collect();
    planned(folder, organiser, plan, taking_part, withdrawn)
}

/// Writes the plan, the organiser's secret and the components of the run, as far as they are not there yet: first what
/// decides who takes part, because the secret lets everybody compute the key.
fn planned(
    folder: &ContestFolder,
    organiser: &Secret,
    plan: Plan,
    taking_part: Vec<(String, ContestEntry)>,
    withdrawn: Vec<ContestEntry>,
) -> Result<Closed> {
    let (run, _held) = RunDirectory::for_plan(&folder.run(), &plan)?;
    folder.reveal(organiser)?;
    attachments::copy_kept(&plan, folder.files(), &run)?;
    let entries = taking_part.into_iter().map(|(_, entry)| entry).collect();
    Ok(Closed::Planned { plan: plan.into(), entries, withdrawn })
}

/// Fixes the list of entries; returns it with its digest.
fn fix_list(folder: &ContestFolder) -> Result<(EntryList, String)> {
    let (rules, now) = (&folder.rules, Time::now());
    if let Some(until) = rules.until.filter(|until| now < *until) {
        bail!("{} takes entries until {until}, and it is {now}: close it then", rules.name);
    }
    let entries = folder.entries()?;
    if entries.is_empty() {
        match rules.until {
            Some(until) => bail!("{} has no entries, and took them until {until}: it ends here", rules.name),
            None => bail!("{} has no entries: `jointly contest enter` adds one", rules.name),
        }
    }
    draw::refuse_against(rules, now, &entries)?;
    let list = EntryList { format: Format, at: now, entries: entries.into_iter().map(|(id, _)| id).collect() };
    let text = to_json(&list)?;
    folder.write_list(&text)?;
    Ok((list, digest(text.as_bytes())))
}

/// Reveals an entrant's secret; returns the digest of the list of entries, and the entries that are committed to it.
///
/// # Errors
/// When the contest is not closed, no entry is committed to the secret, or the key is drawn already.
pub fn reveal(folder: &ContestFolder, secret: &Secret) -> Result<(String, Vec<ContestEntry>)> {
    let rules = &folder.rules;
    let Some((list, list_digest)) = folder.list()? else {
        bail!("{} is not closed: a secret is revealed when the list of entries is fixed", rules.name);
    };
    let commitment = secret.commitment();
    let mut own = folder.listed(&list)?;
    own.retain(|(_, entry)| entry.commitment.as_ref() == Some(&commitment));
    ensure!(!own.is_empty(), "no entry of the list is committed to this secret, whose digest is {commitment}");
    ensure!(
        folder.run_plan()?.is_none() && folder.secret(&rules.commitment)?.is_none(),
        "{} is drawn already: it is too late to reveal a secret",
        rules.name
    );
    folder.reveal(secret)?;
    Ok((list_digest, own.into_iter().map(|(_, entry)| entry).collect()))
}

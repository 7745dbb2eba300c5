//! The plan of a contest's run: the rules with the key as seed and the entries as agents.

use anyhow::{Context, Result, bail};
use jointly_record::plan::{Plan, PlannedAgent, label};

use crate::enter::refuse_too_many;
use crate::entry::ContestEntry;
use crate::entry_list::EntryList;
use crate::folder::ContestFolder;
use crate::key::key;
use crate::rules::Rules;
use crate::secret::Secret;

/// Returns the plan of a run of the entries that take part.
///
/// # Errors
/// When a secret is missing, or the entries make no plan.
pub(crate) fn plan(
    folder: &ContestFolder,
    list: &str,
    organiser: &Secret,
    entries: &[(String, ContestEntry)],
) -> Result<Plan> {
    let secret = |entry: &ContestEntry| -> Result<Option<Secret>> {
        let Some(commitment) = &entry.commitment else { return Ok(None) };
        let secret = folder.secret(commitment)?;
        secret.map(Some).with_context(|| format!("the secret of {} is missing", entry.shown()))
    };
    let secrets: Vec<(&str, Option<Secret>)> =
        entries.iter().map(|(id, entry)| Ok((id.as_str(), secret(entry)?))).collect::<Result<_>>()?;
    let mut agents: Vec<PlannedAgent> = entries.iter().map(|(_, entry)| entry.planned()).collect();
    label(&mut agents);
    let seed = key(&folder.rules_digest, list, organiser, &secrets)?;
    let plan = Plan { seed, agents, ..folder.rules.plan.clone() };
    match plan.defect() {
        None => Ok(plan),
        Some(defect) => bail!("the entries of {} make no plan: {defect}", folder.path().display()),
    }
}

/// Refuses a list that the rules do not allow.
pub(crate) fn refuse_against(rules: &Rules, list: &EntryList, entries: &[(String, ContestEntry)]) -> Result<()> {
    if let Some(until) = rules.until.filter(|until| list.at < *until) {
        bail!("it was closed at {}, and entries were to be taken until {until}", list.at);
    }
    for (place, (id, entry)) in entries.iter().enumerate() {
        let end = rules.until.unwrap_or(list.at).min(list.at);
        if entry.at > end {
            bail!("{} ({id}) was entered at {}, and entries were taken until {end}", entry.shown(), entry.at);
        }
        refuse_too_many(rules, &entry.by, entries)?;
        let same = |(_, other): &&(String, ContestEntry)| other.planned().has_bytes_and_settings_of(&entry.planned());
        if let Some((other, _)) = entries[..place].iter().find(same) {
            bail!("{} was entered twice, as {other} and {id}: remove one of the two files", entry.shown());
        }
    }
    Ok(())
}

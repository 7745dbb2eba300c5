//! The draw: which entries take part, and the plan of their run, whose seed is the key.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use jointly_core::printable::ShowPath as _;
use jointly_record::plan::{Plan, PlannedAgent, label};
use jointly_record::settings::Settings;

use crate::entry::ContestEntry;
use crate::folder::{ContestFolder, ENTRIES, file_name};
use crate::key::key;
use crate::rules::Rules;
use crate::secret::Secret;
use crate::time::Time;

/// The entries of a list, after the draw.
pub(crate) struct Drawn {
    /// The entries that take part, with their digests, in the order of the plan's agents.
    pub(crate) taking_part: Vec<(String, ContestEntry)>,
    /// The other entries.
    pub(crate) withdrawn: Vec<ContestEntry>,
}

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
        Some(defect) => bail!("the entries of {} make no plan: {defect}", folder.path().shown()),
    }
}

/// Splits the entries of a list into those that take part in a run and the others, and compares the run's plan with the one
/// that follows from them.
///
/// # Errors
/// When the plan is another one.
pub(crate) fn again(
    folder: &ContestFolder,
    list: &str,
    organiser: &Secret,
    held: &Plan,
    entries: Vec<(String, ContestEntry)>,
) -> Result<Drawn> {
    let agents: HashSet<_> = held.agents.iter().map(PlannedAgent::bytes_and_settings).collect();
    let takes_part = |entry: &ContestEntry| agents.contains(&entry.planned().bytes_and_settings());
    let (taking_part, withdrawn): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(_, entry)| takes_part(entry));
    if let Some(difference) = plan(folder, list, organiser, &taking_part)?.difference(held) {
        bail!("{} has another plan than follows from the contest: {difference}", folder.run().shown());
    }
    Ok(Drawn { taking_part, withdrawn: withdrawn.into_iter().map(|(_, entry)| entry).collect() })
}

/// Refuses entries that the rules do not allow by the time `now`.
///
/// # Errors
/// When one was made too early or too late, twice, or under a name with too many.
pub(crate) fn refuse_against(rules: &Rules, now: Time, entries: &[(String, ContestEntry)]) -> Result<()> {
    let end = rules.until.unwrap_or(now).min(now);
    let mut agents: HashMap<(&str, &Settings), (&str, &ContestEntry)> = HashMap::new();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for (id, entry) in entries {
        let shown = entry.shown();
        if !(rules.opened..=end).contains(&entry.at) {
            let (at, opened) = (entry.at, rules.opened);
            bail!("{shown} ({id}) was entered at {at}, and entries are taken from {opened} to {end}: remove its file");
        }
        if let Some((other, held)) = agents.insert((&entry.digest, &entry.settings), (id, entry)) {
            let of = |id: &str| format!("{ENTRIES}/{}", file_name(id, "json"));
            // The times in entries are the entrants' own, so they do not tell who copied whom.
            bail!(
                "{} is the agent of {}: keep the entry that came first, and remove {} or {}",
                entry.shown(),
                held.shown(),
                of(other),
                of(id)
            );
        }
        let count = counts.entry(&entry.by).or_default();
        *count += 1;
        if let Some(most) = rules.most_entries.filter(|most| *count > most.get()) {
            bail!("{} has more than the {most} entries that the rules allow: remove a file from {ENTRIES}/", entry.by);
        }
    }
    Ok(())
}

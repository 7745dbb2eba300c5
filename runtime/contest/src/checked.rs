//! Checks a contest from its files alone.

use std::collections::HashSet;

use anyhow::{Context, Result, bail};
use jointly_record::plan::Plan;

use crate::close::{Missing, part};
use crate::draw;
use crate::entry::ContestEntry;
use crate::folder::ContestFolder;

/// A contest whose files agree with one another.
pub struct Checked {
    /// The entries in ascending order of their digests, each with its standing.
    pub entries: Vec<(String, ContestEntry, Standing)>,
    /// The digest of the list of entries, if the contest is closed.
    pub list: Option<String>,
    /// The plan of the run, if the key was computed: that of the rules, the key and the entries.
    pub plan: Option<Plan>,
    /// The number of secrets from which the key follows, with the organiser's.
    pub secrets: usize,
}

/// How an entry stands in a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It takes part, or can.
    Ready,
    /// It is in the list and has not revealed this.
    Waiting(Missing),
    /// It is in the list and takes no part, because it revealed nothing.
    Withdrawn,
    /// It is not in the list.
    Unlisted,
}

impl Checked {
    /// Checks a contest: each file by itself, the entries against the rules, the secrets against their digests, and the
    /// plan of the run against the key of all these.
    ///
    /// # Errors
    /// With the first contradiction.
    pub fn of(folder: &ContestFolder) -> Result<Self> {
        let all = folder.entries()?;
        let Some((list, list_digest)) = folder.list()? else {
            let plain = |(id, entry)| (id, entry, Standing::Ready);
            return Ok(Self { entries: all.into_iter().map(plain).collect(), list: None, plan: None, secrets: 0 });
        };
        let listed = folder.listed(&list)?;
        draw::refuse_against(&folder.rules, &list, &listed)?;
        let plan = folder.run_plan()?;
        let mut secrets = 0;
        if let Some(plan) = &plan {
            let organiser = folder.secret(&folder.rules.commitment)?;
            let organiser =
                organiser.context("the organiser's secret is not among secrets/: the key cannot be checked")?;
            let (taking_part, _) = part(plan, listed.clone());
            let drawn = draw::plan(folder, &list_digest, &organiser, &taking_part)?;
            if let Some(difference) = drawn.difference(plan) {
                bail!("{} has another plan than follows from the contest: {difference}", folder.run().display());
            }
            let own: HashSet<&String> = taking_part.iter().filter_map(|(_, entry)| entry.commitment.as_ref()).collect();
            secrets = 1 + own.len();
        }
        let standing = |id: &String, entry: &ContestEntry| -> Result<Standing> {
            if list.entries.binary_search(id).is_err() {
                return Ok(Standing::Unlisted);
            }
            let Some(plan) = &plan else {
                return Ok(Missing::of(folder, entry)?.map_or(Standing::Ready, Standing::Waiting));
            };
            let takes_part = plan.agents.iter().any(|agent| agent.has_bytes_and_settings_of(&entry.planned()));
            Ok(if takes_part { Standing::Ready } else { Standing::Withdrawn })
        };
        let entries = all.into_iter().map(|(id, entry)| {
            let standing = standing(&id, &entry)?;
            Ok((id, entry, standing))
        });
        Ok(Self { entries: entries.collect::<Result<_>>()?, list: Some(list_digest), plan, secrets })
    }
}

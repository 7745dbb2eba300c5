//! Checks a contest from its files alone.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail, ensure};
use jointly_core::printable::ShowPath as _;
use jointly_engine::cache;
use jointly_host::Execution;
use jointly_record::plan::Plan;

use crate::draw;
use crate::entry::ContestEntry;
use crate::folder::ContestFolder;
use crate::lack::Lack;
use crate::time::Time;

/// A contest whose files agree with one another.
pub struct Checked {
    /// The entries in ascending order of their digests, each with its standing.
    pub entries: Vec<(String, ContestEntry, Standing)>,
    /// The digest of the list of entries, if the contest is closed.
    pub list: Option<String>,
    /// The run, if the key was drawn.
    pub drawn: Option<Drawn>,
}

/// A run whose plan is that of the rules, the key and the entries.
pub struct Drawn {
    /// The plan.
    pub plan: Plan,
    /// The number of secrets from which the key follows, with the organiser's.
    pub secrets: usize,
    /// Who entered each agent, in the plan's order.
    pub entrants: Vec<String>,
    /// The labels in the run of the entries that take part, by the digests of the entries.
    labels: HashMap<String, String>,
}

/// How an entry stands in a contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It takes part, by this label in the run.
    TakesPart(String),
    /// It can take part if it lacks nothing of this.
    Entered(Vec<Lack>),
    /// It is in the list and takes no part, because it lacks this.
    Withdrawn(Vec<Lack>),
    /// It is not in the list.
    Unlisted,
}

impl Checked {
    /// Checks a contest: each file by itself, the entries against the rules, the secrets against their digests, and the
    /// plan of the run against the key of all these. An entry that does not take part must lack something.
    ///
    /// # Errors
    /// With the first contradiction.
    pub fn of(folder: &ContestFolder) -> Result<Self> {
        let all = folder.entries()?;
        let runtime = cache::runtime(Execution::Compiled)?;
        let entered = |entry: &ContestEntry| Lack::of(folder, &runtime, entry).map(Standing::Entered);
        let Some((list, list_digest)) = folder.list()? else {
            ensure!(!folder.run().exists(), "{} is there, and the contest is not closed", folder.run().shown());
            draw::refuse_against(&folder.rules, Time::now(), &all)?;
            let entries = all.into_iter().map(|(id, entry)| {
                let mut standing = entered(&entry)?;
                if let Standing::Entered(lacks) = &mut standing {
                    // Secrets are revealed after the close.
                    lacks.retain(|lack| *lack != Lack::Secret);
                }
                Ok((id, entry, standing))
            });
            return Ok(Self { entries: entries.collect::<Result<_>>()?, list: None, drawn: None });
        };
        let listed = folder.listed(&list)?;
        if let Some(until) = folder.rules.until.filter(|until| list.at < *until) {
            bail!("it was closed at {}, and entries were to be taken until {until}", list.at);
        }
        draw::refuse_against(&folder.rules, list.at, &listed)?;
        let drawn = drawn(folder, &list_digest, listed)?;
        let standing = |id: &String, entry: &ContestEntry| -> Result<Standing> {
            if list.entries.binary_search(id).is_err() {
                return Ok(Standing::Unlisted);
            }
            let Some(Drawn { labels, .. }) = &drawn else { return entered(entry) };
            if let Some(label) = labels.get(id) {
                return Ok(Standing::TakesPart(label.clone()));
            }
            let lacks = Lack::of(folder, &runtime, entry)?;
            ensure!(
                !lacks.is_empty(),
                "{} takes no part in the run, though it lacks nothing here; ask the organiser whether its component could not be \
                 compiled there",
                entry.shown()
            );
            Ok(Standing::Withdrawn(lacks))
        };
        let entries = all.into_iter().map(|(id, entry)| {
            let standing = standing(&id, &entry)?;
            Ok((id, entry, standing))
        });
        Ok(Self { entries: entries.collect::<Result<_>>()?, list: Some(list_digest), drawn })
    }
}

/// Computes the plan of the run again, if there is one.
fn drawn(folder: &ContestFolder, list: &str, listed: Vec<(String, ContestEntry)>) -> Result<Option<Drawn>> {
    let run = folder.run();
    let Some(plan) = folder.run_plan()? else {
        ensure!(!run.exists(), "{} is there, and has no plan: restore it, or remove the folder", run.shown());
        ensure!(
            folder.secret(&folder.rules.commitment)?.is_none(),
            "{} is missing, though the organiser's secret is revealed: restore it, or make it by `jointly contest close`",
            run.shown()
        );
        return Ok(None);
    };
    let organiser = folder.secret(&folder.rules.commitment)?;
    let organiser = organiser.context("the organiser's secret is not in secrets/: the key cannot be computed again")?;
    let draw::Drawn { taking_part, .. } = draw::again(folder, list, &organiser, &plan, listed)?;
    let own: HashSet<&String> = taking_part.iter().filter_map(|(_, entry)| entry.commitment.as_ref()).collect();
    let secrets = 1 + own.len();
    // The entries that take part are in the order of the plan's agents.
    let entrants = taking_part.iter().map(|(_, entry)| entry.by.clone()).collect();
    let ids = taking_part.into_iter().map(|(id, _)| id);
    let labels = ids.zip(plan.agents.iter().map(|agent| agent.label.clone())).collect();
    Ok(Some(Drawn { plan, secrets, entrants, labels }))
}

//! Combines entries of equal plans into one, with all their agents and results.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Result, bail};
use jointly_record::difference::difference;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::unit::UnitResult;

use crate::entry::Entry;
use crate::scores::{Beliefs, Results, Scores};

/// Entries that can be compared, problem by problem.
pub struct Merged<'e> {
    /// The combined plan, with the agents of all entries.
    pub plan: Plan,
    /// The results of its agents, in the entries.
    results: Results<'e>,
    /// The same, if agents are scored against each other.
    held: Option<Vec<UnitResult>>,
    beliefs: Beliefs<'e>,
    /// The entries by name, each with the labels of its agents in the combined plan.
    pub entries: Vec<(String, Vec<String>)>,
    /// Who entered an agent in a contest, by its label in the combined plan.
    pub entrants: HashMap<String, String>,
}

impl<'e> Merged<'e> {
    /// Combines entries of plans that agree in everything but agents. Agents that have the same bytes and settings are
    /// one agent and must have the same results; other agents with the same label are told apart by the entry's name.
    ///
    /// # Errors
    /// When the plans differ, or one agent has different results in two entries.
    pub fn of(entries: &[&'e Entry]) -> Result<Self> {
        let Some((first, rest)) = entries.split_first() else { bail!("give at least one entry") };
        for entry in rest {
            // Versions may differ: whether another version makes the same scores is for `verify` to check.
            let other = entry.plan.with_version_of(&first.plan).other_conditions(&first.plan);
            if let Some(other) = other.or_else(|| entry.plan.other_problems(&first.plan)) {
                bail!(
                    "{} cannot be compared with {}: it has {other}; give entries of one suite and seed, on \
                     the same problems with the same options",
                    entry.shown(),
                    first.shown()
                );
            }
        }
        let names = names(entries);
        let mut agents: Vec<(usize, PlannedAgent)> = Vec::new();
        // The results of each of them, and its place in the plan of its entry.
        let (mut results, mut own_places) = (Results::default(), Vec::new());
        let mut known_agents = HashMap::new();
        // The index of each entry's agents among all agents.
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let mut own = Vec::new();
            for (place, agent) in entry.plan.agents.iter().enumerate() {
                let known = known_agents.entry(agent.bytes_and_settings()).or_insert(agents.len());
                if let Some((there, agent_there)) = agents.get(*known) {
                    let one = (entries[*there], agent_there, own_places[*known]);
                    refuse_other_results(one, (entry, agent, place))?;
                } else {
                    agents.push((number, agent.clone()));
                    results.push(&entry.directory, entry.lines.of_agent(place));
                    own_places.push(place);
                }
                own.push(*known);
            }
            places.push(own);
        }
        let labels = labels(&agents, &names)?;
        let mut beliefs = Beliefs::default();
        for entry in entries {
            beliefs.extend(entry.beliefs());
        }
        let entered = entries.iter().zip(&places).flat_map(|(entry, places)| entry.entrants().iter().zip(places));
        let mut entrants: BTreeMap<&String, BTreeSet<&str>> = BTreeMap::new();
        for (entrant, place) in entered {
            entrants.entry(&labels[*place]).or_default().insert(entrant);
        }
        let shown = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
        let entrants = entrants.into_iter().map(|(label, names)| (label.clone(), shown(names))).collect();
        let of_entry = |own: &Vec<usize>| own.iter().map(|place| labels[*place].clone()).collect();
        let entries = names.into_iter().zip(places.iter().map(of_entry)).collect();
        let agents =
            agents.into_iter().zip(labels).map(|((_, agent), label)| PlannedAgent { label, ..agent }).collect();
        let plan = Plan { agents, ..first.plan.clone() };
        let held = if beliefs.is_empty() { None } else { Some(results.hold(&plan)?) };
        Ok(Self { plan, results, held, beliefs, entries, entrants })
    }

    /// Returns the scores of all agents, as a single run of them would have, for tables alone.
    ///
    /// # Errors
    /// When a journal or a belief can no longer be read, or beliefs cannot be compared.
    pub fn scores(&self) -> Result<Scores<'_>> {
        match &self.held {
            None => Scores::summed_up(&self.plan, self.results.clone()),
            Some(held) => self.scores_of(held),
        }
    }

    /// Reads and holds the results of all agents.
    ///
    /// # Errors
    /// When a journal can no longer be read.
    pub fn hold(&self) -> Result<Vec<UnitResult>> {
        self.results.hold(&self.plan)
    }

    /// Returns the scores of all agents, as a single run of them would have, from results that are held.
    ///
    /// # Errors
    /// When a belief can no longer be read, or beliefs cannot be compared.
    pub fn scores_of<'a>(&'a self, results: &'a [UnitResult]) -> Result<Scores<'a>> {
        Scores::among(&self.plan, results, &self.beliefs)
    }
}

/// The entry of an agent, the agent, and its place in the entry's plan.
type OfEntry<'a> = (&'a Entry, &'a PlannedAgent, usize);

/// Refuses an agent that has different results in two entries.
fn refuse_other_results((first, mine, own): OfEntry, (second, theirs, other): OfEntry) -> Result<()> {
    let disagree = |about: &str| -> Result<()> {
        if mine.reported.is_some() {
            bail!(
                "{} and {} report different results of {}: {about}; leave one out, or give the agent another `version`",
                first.shown(),
                second.shown(),
                theirs.label
            );
        }
        bail!(
            "{} and {} have the same agent with other results: {about}; one of them is false: run `jointly verify` on \
             both",
            first.shown(),
            second.shown()
        )
    };
    if mine.agent != theirs.agent {
        return disagree(&format!("it is called {} and {}", mine.agent, theirs.agent));
    }
    let results = |entry: &Entry, place| {
        let mut of_agent = Results::default();
        of_agent.push(&entry.directory, entry.lines.of_agent(place));
        of_agent.of_first()
    };
    // Both are in the order of the same problems.
    for (mine, theirs) in results(first, own)?.iter().zip(&results(second, other)?) {
        if mine.outcome != theirs.outcome {
            let (held, again) = (serde_json::to_value(&mine.outcome)?, serde_json::to_value(&theirs.outcome)?);
            let place = difference(&held, &again, "where its result");
            return disagree(&format!("{} on {}, {place}", mine.agent, mine.problem));
        }
    }
    Ok(())
}

/// Names the entries by their own names or, if these are not unique, by their paths.
fn names(entries: &[&Entry]) -> Vec<String> {
    let short: Vec<String> = entries.iter().map(|entry| entry.name()).collect();
    let unique: HashSet<&String> = short.iter().collect();
    if unique.len() == short.len() { short } else { entries.iter().map(|entry| entry.shown().to_string()).collect() }
}

/// Labels each agent with its own label, or with its entry's name added if another entry has the same label.
fn labels(agents: &[(usize, PlannedAgent)], names: &[String]) -> Result<Vec<String>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, agent) in agents {
        *counts.entry(agent.label.as_str()).or_default() += 1;
    }
    let label = |(entry, agent): &(usize, PlannedAgent)| {
        if counts[agent.label.as_str()] > 1 {
            agent.settings.label(&format!("{}@{}", agent.agent, names[*entry]))
        } else {
            agent.label.clone()
        }
    };
    let labels: Vec<String> = agents.iter().map(label).collect();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (at, label) in labels.iter().enumerate() {
        if let Some(earlier) = first.insert(label, at) {
            let [one, other] = [earlier, at].map(|at| &names[agents[at].0]);
            bail!("an agent of {one} and one of {other} would both be called {label}; rename one of the two entries");
        }
    }
    Ok(labels)
}

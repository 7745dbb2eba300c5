//! Scores of agents against each other.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};
use jointly_core::printable::ShowPath as _;
use jointly_core::{At, Real, ScoreDef, Scored};
use jointly_record::directory::RunDirectory;
use jointly_record::pack_members::MOST_BYTES;
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;
use jointly_regression::scores::SCORES;
use jointly_regression::{CrossScores, cross_scores};

use super::agent::AgentScores;

/// The predictions of agents at problems' test inputs, keyed by the digest that their results name.
pub type Beliefs = BTreeMap<String, Vec<u8>>;

/// The scores of agents against each other on one problem.
pub struct CrossProblem<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// The labels of the agents that take part, in the order of the scores.
    pub labels: Vec<&'a str>,
    /// The score of each agent.
    pub scores: CrossScores,
}

/// Reads the beliefs that results name from the directory of their run.
///
/// # Errors
/// When a belief is missing or damaged, or all of them take more memory than a pack may.
pub fn read(results: &[UnitResult], directory: &RunDirectory) -> Result<Beliefs> {
    let (mut beliefs, mut bytes) = (Beliefs::new(), 0);
    for name in results.iter().filter_map(|result| result.outcome.belief()) {
        if !beliefs.contains_key(name) {
            let belief = directory.belief(name)?;
            bytes += belief.len() as u64;
            ensure!(bytes <= MOST_BYTES, "{} has more than {MOST_BYTES} bytes of beliefs", directory.path().shown());
            beliefs.insert(name.to_owned(), belief);
        }
    }
    Ok(beliefs)
}

/// Beliefs compared on one problem, and their agents.
struct Comparison<'a> {
    problem: &'a str,
    /// The agent of each belief, and the problem's place among the agent's.
    entries: Vec<(usize, usize)>,
    scores: CrossScores,
}

/// Scores agents against each other, if there are at least two, on the problems for which all comparable agents have
/// beliefs.
///
/// A rank, like a likelihood averaged over references, is meaningful only among the same agents. So agents that failed
/// on a problem, or whose belief has no density on one, are compared on none; the others are compared on all problems
/// without them.
pub(super) fn score<'a>(
    agents: &mut [AgentScores<'a>],
    plan: &'a Plan,
    beliefs: &Beliefs,
) -> Result<Vec<CrossProblem<'a>>> {
    if beliefs.is_empty() {
        return Ok(Vec::new());
    }
    let mut left_out: BTreeMap<usize, String> = BTreeMap::new();
    for (agent, scores) in agents.iter().enumerate() {
        if let Some((problem, _)) = scores.failures.first() {
            left_out.insert(agent, format!("it failed on {problem}"));
        }
    }
    if agents.len() - left_out.len() < 2 {
        return Ok(Vec::new());
    }
    let mut comparisons = compare(agents, plan, beliefs, &left_out)?;
    let mut reasons: BTreeMap<(usize, &str), String> = BTreeMap::new();
    for Comparison { problem, entries, scores } in &comparisons {
        for (belief, reason) in &scores.failures {
            let (agent, _) = entries[*belief];
            reasons.insert((agent, problem), reason.clone());
            left_out.entry(agent).or_insert_with(|| format!("it has no density on {problem}"));
        }
    }
    if !reasons.is_empty() {
        comparisons = compare(agents, plan, beliefs, &left_out)?;
    }
    for (&agent, why) in &left_out {
        for scored in &mut agents[agent].problems {
            if scored.belief().is_some() {
                let otherwise = || format!("{why}, and ranks are among agents that are compared on every problem");
                let reason = reasons.get(&(agent, scored.problem)).cloned().unwrap_or_else(otherwise);
                scored.absences.extend(["xllr", "xll"].map(|name| (name, reason.clone())));
            }
        }
    }
    for Comparison { entries, scores, .. } in &comparisons {
        for (candidate, &(agent, place)) in entries.iter().enumerate() {
            let named = [("xllr", scores.mean_rank[candidate]), ("xll", scores.mean_xll[candidate])];
            let values = named.into_iter().filter_map(|(name, value)| {
                let Real(value) = value?;
                Some((ScoreDef::named(SCORES, name, At::Once), Scored::plain(value)))
            });
            agents[agent].problems[place].values.splice(0..0, values);
        }
    }
    let labelled = |Comparison { problem, entries, scores }| {
        let label = |&(agent, _): &(usize, usize)| agents[agent].planned.label.as_str();
        CrossProblem { problem, labels: entries.iter().map(label).collect(), scores }
    };
    Ok(comparisons.into_iter().map(labelled).collect())
}

/// Compares all agents that are not left out, on the problems for which each of them already has a belief.
fn compare<'a>(
    agents: &[AgentScores],
    plan: &'a Plan,
    beliefs: &Beliefs,
    left_out: &BTreeMap<usize, String>,
) -> Result<Vec<Comparison<'a>>> {
    let contenders: Vec<usize> = (0..agents.len()).filter(|agent| !left_out.contains_key(agent)).collect();
    let places: Vec<HashMap<&str, usize>> = agents
        .iter()
        .map(|agent| agent.problems.iter().enumerate().map(|(place, scored)| (scored.problem, place)).collect())
        .collect();
    let mut all = Vec::new();
    for problem in plan.problems.iter().map(|planned| planned.problem.as_str()) {
        let of = |&agent: &usize| {
            let place = *places[agent].get(problem)?;
            let belief = agents[agent].problems[place].belief()?;
            Some(((agent, place), beliefs.get(belief)?.as_slice()))
        };
        let Some(found) = contenders.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
        let (entries, bytes): (Vec<(usize, usize)>, Vec<&[u8]>) = found.into_iter().unzip();
        if !entries.is_empty() {
            let scores = cross_scores(&bytes).with_context(|| format!("failed to compare beliefs of {problem}"))?;
            all.push(Comparison { problem, entries, scores });
        }
    }
    Ok(all)
}

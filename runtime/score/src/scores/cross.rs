//! Scores of agents against each other.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};
use jointly_core::{At, Real, ScoreDef, Scored};
use jointly_record::directory::RunDirectory;
use jointly_record::kept::Kept;
use jointly_record::pack_members::MOST_BYTES;
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;
use jointly_regression::scores::SCORES;
use jointly_regression::{CrossScores, MOST_BELIEF_BYTES, cross_scores};

use super::agent::AgentScores;

const _: () = assert!(MOST_BELIEF_BYTES as u64 <= Kept::Belief.most_bytes(), "every belief can be read");

/// Where the predictions of agents at problems' test inputs are, by the digest that their results name.
#[derive(Default)]
pub struct Beliefs<'d>(BTreeMap<String, &'d RunDirectory>);

impl<'d> Beliefs<'d> {
    /// Lists the beliefs that results name, in the directory of their run. They are read when they are compared, one
    /// problem at a time.
    pub fn of_results(results: &[UnitResult], directory: &'d RunDirectory) -> Self {
        Self::of_digests(results.iter().filter_map(|result| result.outcome.belief()), directory)
    }

    /// Lists beliefs by their digests.
    pub fn of_digests<'n>(digests: impl IntoIterator<Item = &'n str>, directory: &'d RunDirectory) -> Self {
        Self(digests.into_iter().map(|digest| (digest.to_owned(), directory)).collect())
    }

    /// Reads every belief once and keeps none.
    ///
    /// # Errors
    /// When a belief is missing or damaged.
    pub fn check(&self) -> Result<()> {
        self.0.iter().try_for_each(|(digest, directory)| directory.belief(digest).map(drop))
    }

    /// Adds the beliefs of another run.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the beliefs of one problem, if they have no more than `most` bytes in all.
    fn read(&self, problem: &str, digests: &[&str], most: u64) -> Result<Vec<Vec<u8>>> {
        let (mut beliefs, mut bytes) = (Vec::with_capacity(digests.len()), 0);
        for digest in digests {
            let directory = self.0.get(*digest).with_context(|| format!("{digest} is not listed"))?;
            let belief = directory.belief(digest)?;
            bytes += belief.len() as u64;
            ensure!(
                bytes <= most,
                "the beliefs of all {} agents on {problem} have more than {most} bytes: compare fewer agents",
                digests.len()
            );
            beliefs.push(belief);
        }
        Ok(beliefs)
    }
}

/// The scores of agents against each other on one problem.
pub struct CrossProblem<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// The labels of the agents that take part, in the order of the scores.
    pub labels: Vec<&'a str>,
    /// The score of each agent.
    pub scores: CrossScores,
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
            Some(((agent, place), belief))
        };
        let Some(found) = contenders.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
        let (entries, digests): (Vec<(usize, usize)>, Vec<&str>) = found.into_iter().unzip();
        if !entries.is_empty() {
            let bytes = beliefs.read(problem, &digests, MOST_BYTES)?;
            let scores = cross_scores(bytes).with_context(|| format!("failed to compare beliefs of {problem}"))?;
            all.push(Comparison { problem, entries, scores });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jointly_core::digest::digest;

    #[test]
    fn the_beliefs_of_a_problem_have_a_limit_and_those_that_are_missing_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let directory = RunDirectory::of_kept_files(folder.path().to_owned());
        let name = digest(b"four");
        let file = folder.path().join(Kept::Belief.path(&name));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, b"four").unwrap();
        let beliefs = Beliefs::of_digests([name.as_str()], &directory);
        assert_eq!(beliefs.read("p", &[&name, &name], 8).unwrap(), [b"four", b"four"]);
        let error = beliefs.read("p", &[&name, &name], 7).unwrap_err().to_string();
        assert!(error.starts_with("the beliefs of all 2 agents on p have more than 7 bytes: "), "{error}");
        std::fs::remove_file(file).unwrap();
        assert!(beliefs.read("p", &[&name], 8).is_err() && beliefs.check().is_err());
    }
}

//! An entry is a finished run, as a directory or packed into one file. Checks whether its claims follow from its
//! journal.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use jointly_core::Metric;
use jointly_core::printable::{ShowPath as _, Shown};
use jointly_record::attachments::kept;
use jointly_record::difference::difference;
use jointly_record::directory::{self, JOURNAL, LEADERBOARD, PLAN, RunDirectory, SCORES, SWEEP};
use jointly_record::journal::PACK_AGAIN;
use jointly_record::pack;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::shard::Shard;
use jointly_record::unit::UnitResult;
use serde::Deserialize;
use serde_json::Value;

use crate::leaderboard::Leaderboard;
use crate::scores::{self, Beliefs, Scores};
use crate::selection::{Selection, Tune};
use crate::sweep_document::SweepDocument;

/// The most bytes of a file in which a difference is named by its field, and not by its line.
const MOST_COMPARED: usize = 8 << 20;

/// A finished run, with a result for every unit of its plan.
pub struct Entry {
    /// The path as the user gave it.
    path: PathBuf,
    /// The contest whose run this is.
    contest: Option<ContestOf>,
    /// The directory, or the contents of the pack.
    pub directory: RunDirectory,
    /// The plan.
    pub plan: Plan,
    /// The results in the plan's order: problem by problem.
    pub results: Vec<UnitResult>,
    /// The predictions by which agents are scored against each other.
    pub beliefs: Beliefs,
    claims: Claims,
}

/// A contest as its run's tables show it.
struct ContestOf {
    name: String,
    /// Who entered each agent, in the plan's order.
    entrants: Vec<String>,
}

/// The files that are claimed to follow from the journal.
struct Claims {
    scores: String,
    leaderboard: String,
    /// The choice of a sweep, if the run is one.
    sweep: Option<String>,
}

impl Entry {
    /// Reads a run's directory or a pack.
    ///
    /// # Errors
    /// When there is no finished run at the path.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Self::read(path, RunDirectory::existing(path)?);
        }
        let unpacked = pack::unpack(path)?;
        let entry = Self::read(path, RunDirectory::packed(path, unpacked.members)?)?;
        // Ensures that a pack has no other members, no other order and no further bytes.
        if pack::named_digest(&entry.to_pack()?) != unpacked.digest {
            bail!("{} is not the pack that `jointly pack` makes of its contents; {PACK_AGAIN}", path.shown());
        }
        Ok(entry)
    }

    /// Returns the entry as the run of a contest, with the name of who entered each agent, in the plan's order.
    #[must_use]
    pub fn of_contest(self, name: String, entrants: Vec<String>) -> Self {
        Self { contest: Some(ContestOf { name, entrants }), ..self }
    }

    /// Returns whether the entry is the run of a contest.
    pub fn is_of_contest(&self) -> bool {
        self.contest.is_some()
    }

    /// Returns who entered each agent of a contest's run, in the plan's order; nothing of other entries.
    pub fn entrants(&self) -> &[String] {
        self.contest.as_ref().map_or(&[], |contest| &contest.entrants)
    }

    fn read(path: &Path, directory: RunDirectory) -> Result<Self> {
        let plan = directory.plan()?;
        if let Some(shard) = Shard::held(&directory)? {
            bail!(
                "{} is shard {shard} of a run and not an entry: join all its shards by `jointly merge OUT DIR...`",
                path.shown()
            );
        }
        let results = in_order(&plan, directory.results()?, directory.remedy("give the same `jointly run` again"))
            .with_context(|| format!("{} is not a finished run of its plan", path.shown()))?;
        // Every belief that the journal names must be there, undamaged.
        let beliefs = scores::beliefs(&results, &directory)?;
        let claims = Claims::read(&directory)?;
        Ok(Self { path: path.to_owned(), contest: None, directory, plan, results, beliefs, claims })
    }

    /// Returns the path as the user gave it, for messages.
    pub fn shown(&self) -> Shown<'_> {
        self.path.shown()
    }

    /// Returns the entry's name, independent of its location.
    pub fn name(&self) -> String {
        if let Some(contest) = &self.contest {
            return contest.name.clone();
        }
        let name = directory::name(&self.path);
        let stem = name.strip_suffix(pack::EXTENSION).and_then(|name| name.strip_suffix('.'));
        stem.filter(|stem| !stem.is_empty() && self.path.is_file()).unwrap_or(&name).to_owned()
    }

    /// Returns the text that, with the seed, determines the choice of a sample. A directory and its pack have the same
    /// text.
    pub fn claim(&self) -> &str {
        &self.claims.scores
    }

    /// Returns the first place in which the claims differ from what the journal gives.
    ///
    /// # Errors
    /// When beliefs cannot be compared.
    pub fn defect(&self) -> Result<Option<String>> {
        self.claims.defect(&Scores::among(&self.plan, &self.results, &self.beliefs)?)
    }

    /// Refuses claims that do not follow from the journal.
    ///
    /// # Errors
    /// When the claims do not follow from it.
    pub fn refuse_defects(&self) -> Result<()> {
        match self.defect()? {
            None => Ok(()),
            Some(place) => bail!("{}: verification failed: {place}", self.shown()),
        }
    }

    /// Packs the entry. The same results give the same bytes, whoever ran them, when and where.
    ///
    /// # Errors
    /// When bytes are missing or damaged, or there is more than a pack takes.
    pub fn to_pack(&self) -> Result<Vec<u8>> {
        let texts = self.texts()?.into_iter().map(|(name, text)| Ok((name.to_owned(), text.into_bytes())));
        let kept = kept(&self.plan, &self.results)?
            .into_iter()
            .map(|(kind, digest)| Ok((kind.path(&digest), self.directory.whole(kind, &digest)?)));
        pack::pack(texts.chain(kept)).with_context(|| format!("failed to pack {}", self.shown()))
    }

    /// Returns the pack's members that are texts: all except bytes kept under their digests.
    fn texts(&self) -> Result<Vec<(&'static str, String)>> {
        let mut journal = String::new();
        for result in &self.results {
            // Times are left out because they are never the same twice.
            journal += &serde_json::to_string(&UnitResult { seconds: None, ..result.clone() })?;
            journal.push('\n');
        }
        let Claims { scores, leaderboard, sweep } = &self.claims;
        let texts = [
            (PLAN, directory::to_json(&self.directory.plan_as_written()?)?),
            (JOURNAL, journal),
            (SCORES, scores.clone()),
            (LEADERBOARD, leaderboard.clone()),
        ];
        Ok(texts.into_iter().chain(sweep.iter().map(|sweep| (SWEEP, sweep.clone()))).collect())
    }
}

/// Puts the results of all units of a plan into the plan's order. `remedy` tells the user what to do if some are
/// missing.
///
/// # Errors
/// When a unit has no result, one of another kind of task or one with scores that no prediction has, or a result belongs
/// to no unit.
pub fn in_order(plan: &Plan, results: Vec<UnitResult>, remedy: &str) -> Result<Vec<UnitResult>> {
    let (total, found) = (plan.agents.len() * plan.problems.len(), results.len());
    let agents: HashMap<&str, usize> =
        plan.agents.iter().enumerate().map(|(place, agent)| (agent.label.as_str(), place)).collect();
    let problems: HashMap<&str, usize> =
        plan.problems.iter().enumerate().map(|(place, problem)| (problem.problem.as_str(), place)).collect();
    let place =
        |result: &UnitResult| Some((*problems.get(result.problem.as_str())?, *agents.get(result.agent.as_str())?));
    // The results are walked, and not the units: there may be many more of these.
    let mut ordered = Vec::with_capacity(found);
    let mut strange: Option<(String, String)> = None;
    for result in results {
        if let Some(place) = place(&result) {
            ordered.push((place, result));
        } else {
            let other = (result.agent, result.problem);
            strange = Some(strange.map_or_else(|| other.clone(), |first| first.min(other.clone())));
        }
    }
    ordered.sort_by_key(|(place, _)| *place);
    let ordered: Vec<UnitResult> = ordered.into_iter().map(|(_, result)| result).collect();
    if let Some(result) = ordered.iter().find(|result| !plan.takes(&result.outcome)) {
        let UnitResult { agent, problem, .. } = result;
        bail!("{JOURNAL} has a result of another kind of problem for {agent} on {problem}");
    }
    if let Some((result, defect)) = ordered.iter().find_map(|result| Some((result, impossible(plan, result)?))) {
        bail!("{JOURNAL} has {defect} for {} on {}", result.agent, result.problem);
    }
    if let Some((agent, problem)) = strange {
        bail!("{JOURNAL} has a result for {agent} on {problem}, which is not a unit of the plan");
    }
    ensure!(
        found == total,
        "{} of {} {} no result yet; {remedy}",
        total - found,
        counted(total, "unit"),
        if total == 1 { "has" } else { "have" }
    );
    Ok(ordered)
}

/// Returns the first score of a result that no prediction has, and why.
pub fn impossible(plan: &Plan, result: &UnitResult) -> Option<String> {
    // The metric decides only under which name a joint score is listed.
    let values = result.outcome.scores(Metric::Kl, plan.draws())?;
    values.iter().find_map(|(name, scored)| Some(format!("{name} with {}", name.defect(scored)?)))
}

impl Claims {
    fn read(directory: &RunDirectory) -> Result<Self> {
        let read = |name: &str| -> Result<String> {
            let context = || {
                let remedy = directory.remedy("a run writes it when it is finished");
                format!("failed to read {}; {remedy}", directory.shown(name))
            };
            let bytes = directory.read(name).with_context(context)?;
            String::from_utf8(bytes.into_owned()).with_context(context)
        };
        Ok(Self {
            scores: read(SCORES)?,
            leaderboard: read(LEADERBOARD)?,
            sweep: if directory.has(SWEEP) { Some(read(SWEEP)?) } else { None },
        })
    }

    /// Returns the first place in which the claims differ from what the scores give.
    fn defect(&self, scores: &Scores) -> Result<Option<String>> {
        let again = directory::to_json(scores)?;
        if again != self.scores {
            return Ok(Some(first_difference(&self.scores, &again, SCORES)?));
        }
        let leaderboard = Leaderboard::new(scores);
        if leaderboard.to_csv() != self.leaderboard {
            return Ok(Some(format!("{LEADERBOARD} does not follow from {SCORES}")));
        }
        self.sweep_defect(scores, leaderboard.compared_by().map(|name| name.to_string()).as_deref())
    }

    /// Checks the choice of a sweep by computing it again. How the sweep was tuned is trusted, like the plan.
    fn sweep_defect(&self, scores: &Scores, by: Option<&str>) -> Result<Option<String>> {
        let Some(held) = &self.sweep else { return Ok(None) };
        let tuned: Option<Tuned> = serde_json::from_str(held).ok();
        let Some(tune) = tuned.and_then(|tuned| Tune::named(&tuned.tune)) else {
            return Ok(Some(format!("{SWEEP} does not say how it was tuned")));
        };
        let selections = Selection::all(scores, by.unwrap_or_default(), tune);
        let again = directory::to_json(&SweepDocument::new(scores.plan, by, tune, &selections))?;
        if again == *held { Ok(None) } else { first_difference(held, &again, SWEEP).map(Some) }
    }
}

/// The field of a sweep's choice that is not computed.
#[derive(Deserialize)]
struct Tuned {
    tune: String,
}

/// Describes the first place in which a file differs from what it should be.
fn first_difference(held: &str, again: &str, file: &str) -> Result<String> {
    // As values the two would take many times the memory of their texts.
    if held.len().max(again.len()) > MOST_COMPARED {
        let line = held.lines().zip(again.lines()).take_while(|(held, again)| held == again).count() + 1;
        return Ok(format!("line {line} of {file} does not follow from {JOURNAL}"));
    }
    let again: Value = serde_json::from_str(again)?;
    let held = serde_json::from_str(held);
    Ok(held.map_or_else(|_| format!("{file} is not JSON"), |held| difference(&held, &again, file)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;

    use jointly_record::directory::{LEADERBOARD, RunDirectory, SCORES, to_json};
    use jointly_record::invented::InventedRun;
    use jointly_record::kept::Kept;
    use jointly_record::pack::unpack;
    use jointly_record::pack_members::PackMembers;
    use jointly_record::schema::schema;
    use regex::Regex;
    use serde_json::Value;

    use super::Entry;
    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;

    /// Returns the members of the pack of a run.
    fn packed(folder: &Path) -> HashMap<String, Vec<u8>> {
        let run = InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0]), ("prior", &[2.0])]);
        let place = folder.join("run");
        let (directory, mut journal) = RunDirectory::for_plan(&place, &run.plan).unwrap();
        run.results.iter().for_each(|result| journal.append(result.clone()).unwrap());
        for planned in &run.plan.agents {
            directory.keep(Kept::Agent, &planned.digest, planned.agent.as_bytes()).unwrap();
        }
        let scores = run.scores();
        directory.write(SCORES, &to_json(&scores).unwrap()).unwrap();
        directory.write(LEADERBOARD, &Leaderboard::new(&scores).to_csv()).unwrap();
        let pack = folder.join("run.jointly");
        std::fs::write(&pack, Entry::open(&place).unwrap().to_pack().unwrap()).unwrap();
        unpack(&pack).unwrap().members
    }

    #[test]
    fn a_pack_has_the_members_of_its_schema_and_lacks_none_that_is_required() {
        let schema: Value = schema::<PackMembers>().into();
        let folder = tempfile::tempdir().unwrap();
        let members = packed(folder.path());
        let patterns: Vec<Regex> = schema["patternProperties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|pattern| Regex::new(pattern).unwrap())
            .collect();
        for name in members.keys() {
            let matching = patterns.iter().filter(|pattern| pattern.is_match(name)).count();
            assert_eq!(matching + usize::from(schema["properties"].get(name).is_some()), 1, "{name}");
        }
        assert!(members.keys().filter(|name| name.starts_with("agents/")).count() == 2, "{:?}", members.keys());
        let read = |members| {
            let path = Path::new("run.jointly");
            RunDirectory::packed(path, members).and_then(|directory| Entry::read(path, directory)).map(|_| ())
        };
        read(members.clone()).unwrap();
        let required = schema["required"].as_array().unwrap();
        assert_eq!(required.len(), 4);
        for name in required {
            let mut fewer = members.clone();
            fewer.remove(name.as_str().unwrap()).unwrap();
            assert!(read(fewer).is_err(), "{name}");
        }
    }
}

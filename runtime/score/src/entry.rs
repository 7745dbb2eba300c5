//! An entry is a finished run, as a directory or packed into one file. Checks whether its claims follow from its
//! journal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::printable::{ShowPath as _, Shown};
use jointly_record::attachments::kept;
use jointly_record::directory::{self, JOURNAL, LEADERBOARD, PLAN, RunDirectory, SCORES, SWEEP};
use jointly_record::journal::PACK_AGAIN;
use jointly_record::lines::{Line, PlanLines};
use jointly_record::pack;
use jointly_record::plan::Plan;
use jointly_record::shard::Shard;
use jointly_record::shell;
use jointly_record::unit::{Unit, UnitResult};

use crate::claims::{self, Claims};
use crate::finished::Finished;
use crate::run_results::hold;
use crate::scores::{Beliefs, Results, Scores};

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
    /// Where the results are in the journal: one for each unit.
    pub lines: PlanLines,
    /// The digests of the predictions by which agents are scored against each other.
    beliefs: BTreeSet<String>,
    claims: Claims,
}

/// A contest as its run's tables show it.
struct ContestOf {
    name: String,
    /// Who entered each agent, in the plan's order.
    entrants: Vec<String>,
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
        if !path.is_file() && directory.lacks_journal() {
            bail!(
                "{} has scores and no journal, which is needed here; `jointly verify {} --scores` compares its scores with those of \
                 units that are run again",
                path.shown(),
                shell::quoted(&path.to_string_lossy())
            );
        }
        let mut finished = Finished::new(&plan);
        let found = directory.find_results(|result| finished.see(&result))?;
        let lines = found.of_plan(&plan);
        finished
            .check(&lines, directory.remedy("give the same `jointly run` again"))
            .with_context(|| format!("{} is not a finished run of its plan", path.shown()))?;
        let mut beliefs = BTreeSet::new();
        if found.have_beliefs() {
            beliefs.extend(
                hold(&directory, &lines)?.iter().filter_map(|result| result.outcome.belief()).map(str::to_owned),
            );
        }
        let claims = Claims::read(&directory)?;
        let entry = Self { path: path.to_owned(), contest: None, directory, plan, lines, beliefs, claims };
        // Every belief that the journal names must be there, undamaged.
        entry.beliefs().check()?;
        Ok(entry)
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

    /// Reads the text that, with the seed, determines the choice of a sample. A directory and its pack have the same text.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn claim(&self) -> Result<String> {
        claims::read(&self.directory, SCORES)
    }

    /// Reads the result of a unit, if the plan has it.
    ///
    /// # Errors
    /// When the journal can no longer be read.
    pub fn result(&self, unit: Unit) -> Result<Option<UnitResult>> {
        let line: Vec<Line> = self.lines.get(unit).into_iter().collect();
        Ok(self.directory.read_results(&line)?.pop())
    }

    /// Reads and holds all results in the plan's order: problem by problem.
    ///
    /// # Errors
    /// When the journal can no longer be read, or has more bytes than can be held.
    pub fn results(&self) -> Result<Vec<UnitResult>> {
        hold(&self.directory, &self.lines)
    }

    /// Returns the predictions by which agents are scored against each other.
    pub(crate) fn beliefs(&self) -> Beliefs<'_> {
        Beliefs::of_digests(self.beliefs.iter().map(String::as_str), &self.directory)
    }

    /// Returns the first place in which the claims differ from what the journal gives.
    ///
    /// # Errors
    /// When the journal, a belief or a claim can no longer be read, or beliefs cannot be compared.
    pub fn defect(&self) -> Result<Option<String>> {
        let held;
        // The choice of a sweep follows from scores problem by problem.
        let scores = if self.beliefs.is_empty() && self.claims.sweep.is_none() {
            Scores::summed_up(&self.plan, Results::of(&self.plan, &self.directory, &self.lines))?
        } else {
            held = self.results()?;
            Scores::among(&self.plan, &held, &self.beliefs())?
        };
        self.claims.defect(&self.directory, &scores)
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
        let results = self.results()?;
        let texts = self.texts(&results)?.into_iter().map(|(name, text)| Ok((name.to_owned(), text.into_bytes())));
        let kept = kept(&self.plan, self.beliefs.iter().map(String::as_str))?
            .into_iter()
            .map(|(kind, digest)| Ok((kind.path(&digest), self.directory.whole(kind, &digest)?)));
        pack::pack(texts.chain(kept)).with_context(|| format!("failed to pack {}", self.shown()))
    }

    /// Returns the pack's members that are texts: all except bytes kept under their digests.
    fn texts(&self, results: &[UnitResult]) -> Result<Vec<(&'static str, String)>> {
        let mut journal = String::new();
        for result in results {
            // Times are left out because they are never the same twice.
            journal += &serde_json::to_string(&UnitResult { seconds: None, ..result.clone() })?;
            journal.push('\n');
        }
        let Claims { leaderboard, sweep } = &self.claims;
        let texts = [
            (PLAN, directory::to_json(&self.directory.plan_as_written()?)?),
            (JOURNAL, journal),
            (SCORES, self.claim()?),
            (LEADERBOARD, leaderboard.clone()),
        ];
        Ok(texts.into_iter().chain(sweep.iter().map(|sweep| (SWEEP, sweep.clone()))).collect())
    }
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
        run.results.iter().for_each(|result| journal.append(result).unwrap());
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

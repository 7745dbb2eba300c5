//! A finished run, just made or kept with compressed files: its plan and its scores.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use flate2::{Compression, GzBuilder};
use jointly_core::counted::listed;
use jointly_core::digest;
use jointly_core::guess;
use jointly_core::printable::ShowPath as _;
use jointly_core::{Coordinates, Repetition, Seed};
use jointly_record::compressed::{self, SUFFIX};
use jointly_record::directory::{JOURNAL, LEADERBOARD, PLAN, RunDirectory, SCORES};
use jointly_record::kept::Kept;
use jointly_record::pattern;
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::settings::Settings;
use serde::Deserialize;
use serde_json::Value;

use crate::labels::chosen_key;
use crate::origin::{ORIGIN, Origin};
use crate::values::{Estimate, Units, Values, different};

/// The most bytes of scores or of a journal that are read.
const MOST_BYTES: u64 = 1 << 30;
/// The most bytes of a compressed journal that is kept.
const MOST_JOURNAL: usize = 1_000_000;
/// The page of a run, which is kept where its journal is not.
const PAGE: &str = "report.html";

/// A finished run.
pub struct KeptRun {
    /// The name of its directory.
    pub name: String,
    /// The plan.
    pub plan: Plan,
    /// The digest of the plan's file.
    pub(crate) digest: String,
    /// Where it comes from, if it is kept.
    pub origin: Option<Origin>,
    /// The chosen variants, if a sweep chose one for each setting of the problems.
    pub(crate) chosen: Choices,
    scores: Vec<AgentScores>,
}

/// The labels of chosen variants, by key (`mlp:*` for the agent `mlp`), then by setting of the problems.
pub(crate) type Choices = BTreeMap<String, BTreeMap<String, String>>;

/// The part of `scores.json` that is read.
#[derive(Deserialize)]
struct Scores {
    suite: String,
    seed: Seed,
    agents: Vec<AgentScores>,
}

#[derive(Deserialize)]
struct AgentScores {
    agent: String,
    digest: String,
    settings: Settings,
    scores: BTreeMap<String, Total>,
    failures: Vec<Value>,
    problems: Vec<ProblemScores>,
}

#[derive(Deserialize)]
struct Total {
    mean: Value,
    stderr: Value,
    problems: usize,
}

#[derive(Deserialize)]
struct ProblemScores {
    problem: String,
    #[serde(flatten)]
    values: BTreeMap<String, Value>,
}

impl KeptRun {
    /// Reads the run `name` below `folder`, or returns `None` if there are no scores of it.
    ///
    /// # Errors
    /// When a file cannot be read, or scores and plan name other agents.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Self>> {
        let path = folder.join(name);
        let (Some(plan), Some(scores)) = (contents(&path, PLAN)?, contents(&path, SCORES)?) else { return Ok(None) };
        let shown = path.join(SCORES);
        let digest = digest(&plan);
        let plan = RunDirectory::packed(&path, HashMap::from([(PLAN.to_owned(), plan)]))?.plan()?;
        let scores: Scores =
            serde_json::from_slice(&scores).with_context(|| format!("failed to read {}", shown.shown()))?;
        let own = scores.agents.iter().map(|agent| (&agent.agent, &agent.digest, &agent.settings));
        let planned = plan.agents.iter().map(|agent| (&agent.agent, &agent.digest, &agent.settings));
        ensure!(
            own.eq(planned) && scores.suite == plan.suite && scores.seed == plan.seed,
            "{} is of other agents, or of another suite or seed, than {PLAN} beside it; keep the run again",
            shown.shown()
        );
        let origin = contents(&path, ORIGIN)?.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        let origin = origin.with_context(|| format!("failed to read {}", path.join(ORIGIN).shown()))?;
        Ok(Some(Self { name: name.to_owned(), plan, digest, origin, chosen: Choices::new(), scores: scores.agents }))
    }

    /// Returns the problems that match a pattern, or all.
    ///
    /// # Errors
    /// When the pattern is none.
    pub(crate) fn problems(&self, pattern: Option<&str>) -> Result<BTreeSet<String>> {
        let matcher = pattern::matcher(pattern.unwrap_or("*"))?;
        let names = self.plan.problems.iter().map(|planned| &planned.problem);
        Ok(names.filter(|name| matcher.is_match(*name)).cloned().collect())
    }

    /// Returns the agents: the own name of each and its label.
    pub(crate) fn agents(&self) -> impl Iterator<Item = (&str, &str)> {
        self.plan.agents.iter().map(|agent| (agent.agent.as_str(), agent.label.as_str()))
    }

    /// Returns the number of agents that failed on some problem.
    pub(crate) fn failed(&self) -> usize {
        self.scores.iter().filter(|agent| !agent.failures.is_empty()).count()
    }

    /// Returns the fuel of all units, or `None` if some agent has none.
    pub(crate) fn fuel(&self) -> Option<f64> {
        let of = |agent: &AgentScores| {
            let fuel = agent.scores.get("fuel")?;
            Some(number(&fuel.mean)? * fuel.problems as f64)
        };
        self.scores.iter().map(of).sum()
    }

    /// Returns the labels of these agents in the order of the plan, the key of an agent's chosen variants before the variants; or the
    /// labels of all agents if none is named.
    ///
    /// # Errors
    /// When the run has no agent of a label.
    pub(crate) fn labels(&self, named: &[String]) -> Result<Vec<&str>> {
        for label in named.iter().filter(|label| !self.chosen.contains_key(*label)) {
            self.place(label)?;
        }
        if named.is_empty() {
            return Ok(self.agents().map(|(_, label)| label).collect());
        }
        let mut labels: Vec<&str> = Vec::new();
        for (name, label) in self.agents() {
            let key = self.chosen.get_key_value(&chosen_key(name)).map(|(key, _)| key.as_str());
            labels.extend(key.filter(|key| !labels.contains(key)));
            labels.push(label);
        }
        labels.retain(|label| named.iter().any(|named| named == label));
        Ok(labels)
    }

    /// Returns the index of an agent in the plan.
    ///
    /// # Errors
    /// When the run has no agent of this label.
    pub(crate) fn place(&self, label: &str) -> Result<usize> {
        let place = self.plan.agents.iter().position(|agent| agent.label == label);
        place.with_context(|| {
            let labels: Vec<&str> = self.agents().map(|(_, label)| label).collect();
            format!("{} has no agent {label}: {}", self.name, remedy(label, &self.name, &labels))
        })
    }

    fn scores_of(&self, label: &str) -> Result<&AgentScores> {
        Ok(&self.scores[self.place(label)?])
    }

    /// Returns an agent's result on each problem. For a key such as `mlp:*`, it is the result of the variant chosen for the problem's
    /// setting.
    fn results_of(&self, label: &str) -> Result<Vec<&ProblemScores>> {
        let Some(variants) = self.chosen.get(label) else {
            return Ok(self.scores_of(label)?.problems.iter().collect());
        };
        let of = |planned: &PlannedProblem| {
            let variant = variants.get(planned.series());
            let variant = variant.with_context(|| format!("no variant was chosen for {}", planned.problem))?;
            let results = self.scores_of(variant)?.problems.iter().find(|result| result.problem == planned.problem);
            results.with_context(|| format!("{} has no result of {variant} on {}", self.name, planned.problem))
        };
        self.plan.problems.iter().map(of).collect()
    }

    /// Returns the mean of an agent's score over all problems.
    ///
    /// # Errors
    /// When there is no such agent or score.
    pub(crate) fn total(&self, label: &str, score: &str) -> Result<Estimate> {
        if self.chosen.contains_key(label) {
            let values = self.values(label, score, None);
            return Ok(values.with_context(|| format!("{label} has means of scores that every problem has"))?.mean());
        }
        let scores = self.scores_of(label)?;
        let total = scores.scores.get(score);
        let total = total.with_context(|| {
            let names: Vec<&str> = scores.scores.keys().map(String::as_str).collect();
            format!("{label} has no score {score} in {}: {}", self.name, remedy(score, label, &names))
        })?;
        let (value, stderr) = (number(&total.mean), number(&total.stderr));
        let value = value.with_context(|| format!("{score} of {label} in {} is no number", self.name))?;
        // Some scores are of some problems alone, and some of all together, so that no problem has them.
        let having: BTreeSet<&str> = scores
            .problems
            .iter()
            .filter(|problem| problem.values.contains_key(score))
            .map(|problem| problem.problem.as_str())
            .collect();
        let counted = |planned: &&PlannedProblem| having.is_empty() || having.contains(planned.problem.as_str());
        let units = different(self.plan.problems.iter().filter(counted).map(PlannedProblem::cluster));
        Ok(Estimate { value, stderr: stderr.unwrap_or(f64::NAN), units })
    }

    /// Returns an agent's values of a score on the problems that match a pattern, or on all.
    ///
    /// # Errors
    /// When there is no such agent, no problem matches, or one has no such score.
    pub(crate) fn values(&self, label: &str, score: &str, pattern: Option<&str>) -> Result<Values> {
        let matcher = pattern::matcher(pattern.unwrap_or("*"))?;
        let clusters: BTreeMap<&str, &str> =
            self.plan.problems.iter().map(|planned| (planned.problem.as_str(), planned.cluster())).collect();
        let mut found = Values { problems: Vec::new(), clusters: Vec::new(), each: Vec::new() };
        for problem in self.results_of(label)? {
            let name = &problem.problem;
            if !matcher.is_match(name) {
                continue;
            }
            let of = |value: &Value| number(value.get("mean").unwrap_or(value));
            let value = problem.values.get(score).and_then(of);
            let value = value.with_context(|| {
                let names = problem.values.iter().filter(|(_, value)| of(value).is_some());
                let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
                let remedy = remedy(score, label, &names);
                format!("{label} has no number {score} on {name} in {}: {remedy}", self.name)
            })?;
            let cluster = clusters.get(name.as_str()).with_context(|| format!("the plan has no problem {name}"))?;
            found.problems.push(name.clone());
            found.clusters.push((*cluster).to_owned());
            found.each.push(value);
        }
        if found.each.is_empty() {
            bail!("{} has no problem {} with results of {label}", self.name, pattern.unwrap_or("*"));
        }
        Ok(found)
    }

    /// Returns an agent's values of a score, with clusters that are the units of a standard error.
    ///
    /// # Errors
    /// As [`KeptRun::values`]; and, over repetitions, when a problem is none or a repetition lacks a problem that another has.
    pub(crate) fn values_over(&self, units: Units, label: &str, score: &str, pattern: Option<&str>) -> Result<Values> {
        let values = self.values(label, score, pattern)?;
        let clusters = match units {
            Units::Clusters => return Ok(values),
            Units::Problems => values.problems.clone(),
            Units::Repetitions => self.repetitions(&values.problems)?,
        };
        Ok(Values { clusters, ..values })
    }

    /// Returns a name of each problem's repetition.
    fn repetitions(&self, problems: &[String]) -> Result<Vec<String>> {
        let planned: BTreeMap<&str, &Coordinates> =
            self.plan.problems.iter().map(|planned| (planned.problem.as_str(), &planned.coordinates)).collect();
        let mut series: BTreeMap<Repetition, BTreeSet<&str>> = BTreeMap::new();
        let mut names = Vec::new();
        for problem in problems {
            let coordinates =
                planned.get(problem.as_str()).with_context(|| format!("the plan has no problem {problem}"))?;
            let repetition = coordinates
                .repetition
                .with_context(|| format!("{problem} of {} is no repetition: take `units = \"problems\"`", self.name))?;
            series.entry(repetition).or_default().insert(&coordinates.series);
            names.push(format!("{repetition:?}"));
        }
        let all: BTreeSet<&str> = series.values().flatten().copied().collect();
        for (repetition, own) in &series {
            if let Some(lacking) = all.difference(own).next() {
                bail!("{}: {lacking} has no {repetition:?}, which others have: narrow `problems`", self.name);
            }
        }
        Ok(names)
    }
}

/// Returns the second half of a message about an unknown name: the nearest of the names that `whose` has, or some of them.
pub(crate) fn remedy(name: &str, whose: &str, known: &[&str]) -> String {
    const MOST: usize = 8;
    guess::remedy(name, known.iter().copied(), &format!("{whose} has {}", listed(known, MOST)))
}

/// Reads a number of `scores.json`, in which numbers that are not finite are strings.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Reads a file of a run's directory, as it is or compressed, or returns `None` if there is neither.
fn contents(directory: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    compressed::contents(directory, name, MOST_BYTES)
}

/// Keeps a finished run: writes its origin, and compressed its plan, its scores, its leaderboard and its journal, into the
/// directory `name` below `folder`. A journal of more than a megabyte, compressed, is left out, and one that names predictions,
/// which are not kept. The same run gives the same bytes.
///
/// # Errors
/// When the run is not finished, or a file cannot be read or written.
pub fn keep(run: &Path, folder: &Path, name: &str, commit: &str) -> Result<PathBuf> {
    let into = folder.join(name);
    let scores = contents(run, SCORES)?;
    let scores = scores.with_context(|| format!("{} has no {SCORES}: it is not finished", run.shown()))?;
    let [plan, journal, leaderboard] = [PLAN, JOURNAL, LEADERBOARD]
        .map(|file| contents(run, file)?.with_context(|| format!("{} has no {file}", run.shown())));
    let (plan, journal, leaderboard) = (plan?, journal?, leaderboard?);
    fs::create_dir_all(&into).with_context(|| format!("failed to make {}", into.shown()))?;
    // Without the predictions by which agents are compared, their journal makes no scores.
    let most = if run.join(Kept::Belief.folder()).is_dir() { 0 } else { MOST_JOURNAL };
    let whole = [(PLAN, &plan), (SCORES, &scores), (LEADERBOARD, &leaderboard)];
    let files = whole.map(|(file, bytes)| (file, bytes, usize::MAX)).into_iter().chain([(JOURNAL, &journal, most)]);
    for (file, bytes, most) in files {
        let path = into.join(format!("{file}{SUFFIX}"));
        let bytes = gzip(bytes).with_context(|| format!("failed to compress {file}"))?;
        if bytes.len() > most {
            remove(&path)?;
        } else {
            fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.shown()))?;
        }
    }
    // Those of an earlier run are not of this one.
    remove(&into.join(format!("{PAGE}{SUFFIX}")))?;
    remove(&into.join(LEADERBOARD))?;
    let origin = Origin { commit: commit.to_owned(), seconds: seconds(&journal) };
    let path = into.join(ORIGIN);
    let written = fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&origin)?));
    written.with_context(|| format!("failed to write {}", path.shown()))?;
    Ok(into)
}

/// Removes a file that may be there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", path.shown()))
        }
        _ => Ok(()),
    }
}

/// Compresses bytes, without a time or a name.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = GzBuilder::new().write(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    writer.finish()
}

/// Sums the seconds of a journal's units, to a second.
fn seconds(journal: &[u8]) -> Option<f64> {
    #[derive(Deserialize)]
    struct Line {
        seconds: f64,
    }
    let lines = journal.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let total: Option<f64> = lines.map(|line| Some(serde_json::from_slice::<Line>(line).ok()?.seconds)).sum();
    total.map(f64::round)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{KeptRun, contents, gzip, keep};
    use crate::values::Units;

    /// PICF is of all 100 simulations together. Of the three tables two have enough test inputs for groups of a hundred.
    #[test]
    fn the_units_of_a_mean_are_those_that_it_is_of() {
        let results = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
        let units = |run: &str, agent: &str, score: &str| {
            let run = KeptRun::read(&results, run).unwrap().unwrap();
            run.total(agent, score).unwrap().units
        };
        assert_eq!(units("regression/boston", "bootstrap", "picf_brier_80"), 100);
        assert_eq!(units("shift/tabular", "mlp", "nll_tau10"), 3);
        assert_eq!(units("shift/tabular", "mlp", "nll_tau100"), 2);
    }

    /// The run has three training sets of each size.
    #[test]
    fn problems_of_one_seed_are_one_repetition() {
        let results = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
        let run = KeptRun::read(&results, "testbed-real").unwrap().unwrap();
        let over = |problems| run.values_over(Units::Repetitions, "mlp", "nll_tau100", Some(problems));
        let values = over("*/mnist/t{1,10}/*").unwrap();
        let mean = values.mean();
        let seed_means: Vec<f64> = (0..3)
            .map(|seed| {
                run.values("mlp", "nll_tau100", Some(&format!("*/mnist/t{{1,10}}/seed{seed}"))).unwrap().mean().value
            })
            .collect();
        let average = seed_means.iter().sum::<f64>() / 3.0;
        let squares: f64 = seed_means.iter().map(|own| (own - average).powi(2)).sum();
        assert!((mean.value - average).abs() < 1e-12 && mean.units == 3, "{mean:?}");
        assert!((mean.stderr - (squares / 6.0).sqrt()).abs() < 1e-12, "{mean:?}");

        let refusal = over("*/mnist/{t1/seed0,t10/*}").err().unwrap().to_string();
        assert!(refusal.contains("testbed/real/mnist/t1 has no Seed(1)"), "{refusal}");
    }

    #[test]
    fn a_kept_run_is_read_as_it_was_and_nothing_of_another_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (run, kept) = (folder.path().join("run"), folder.path().join("kept"));
        fs::create_dir_all(&run).unwrap();
        let journal = "{\"seconds\":1.5}\n{\"seconds\":2.0}\n";
        for (file, text) in [("plan.json", "{}"), ("leaderboard.csv", "a"), ("results.jsonl", journal)] {
            fs::write(run.join(file), text).unwrap();
        }
        assert!(keep(&run, &kept, "a/b", "c0ffee").unwrap_err().to_string().contains("not finished"));
        fs::write(run.join("scores.json"), "{\"agents\":[]}").unwrap();
        fs::create_dir_all(kept.join("a/b")).unwrap();
        for file in ["report.html.gz", "leaderboard.csv", "figure.png"] {
            fs::write(kept.join("a/b").join(file), "old").unwrap();
        }
        let into = keep(&run, &kept, "a/b", "c0ffee").unwrap();
        let mut files: Vec<_> =
            fs::read_dir(&into).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let expected =
            ["figure.png", "leaderboard.csv.gz", "origin.json", "plan.json.gz", "results.jsonl.gz", "scores.json.gz"];
        assert_eq!(files, expected);
        assert_eq!(contents(&into, "results.jsonl").unwrap().unwrap(), journal.as_bytes());
        // 1.5 s and 2 s are 3.5 s, to a second.
        let origin = fs::read_to_string(into.join("origin.json")).unwrap();
        assert!(origin.contains("\"commit\": \"c0ffee\"") && origin.contains("\"seconds\": 4.0"), "{origin}");
        assert_eq!(gzip(b"x").unwrap(), gzip(b"x").unwrap());
        // A journal whose scores come from predictions is of no use without them.
        fs::create_dir(run.join("beliefs")).unwrap();
        keep(&run, &kept, "a/b", "c0ffee").unwrap();
        assert!(contents(&into, "results.jsonl").unwrap().is_none());
    }
}

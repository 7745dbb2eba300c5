//! The scores of a run: what `scores.json` holds, computed from the plan and the journal alone.

use std::collections::HashMap;

use anyhow::Result;
use jointly_classification::shift::ShiftScores;
use jointly_core::failure::Failure;
use jointly_core::{JointScore, Metric, ProblemScores, Real, Score, Summary, round_significant, summarize_clusters};
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::unit::{Outcome, SampleDiagnosis, UnitResult};
use jointly_regression::{CoverageSummary, RegressionUnit};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value, json};

use crate::clusters;

mod across;
mod regression;
mod shift;

pub use across::{Across, Beliefs, CrossProblem, read as beliefs};
pub use shift::SHIFTED;

/// Score names as the design has them: the joint scores, then their aggregate, then the marginals', then the cost.
pub const ACCURACY: &str = "accuracy";
/// The expected calibration error over the classes of single inputs.
pub const ECE: &str = "ece";
/// The fuel that a unit used.
pub const FUEL: &str = "fuel";

/// Everything that a run has to say.
pub struct Scores<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// Every agent of the plan, in its order.
    pub agents: Vec<AgentScores<'a>>,
    /// What agents score against each other, problem by problem: of correlations alone.
    pub cross: Vec<CrossProblem<'a>>,
    /// Of each of the plan's problems, in their order.
    clusters: Vec<String>,
}

/// What the standard errors of a run's means are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Those of the one problem that there is.
    TauSamples,
    /// One problem of regression, whose test points share its training set.
    OneProblem,
    /// The test inputs of the one problem of dataset shift that there is.
    Inputs,
    /// The problems, each with data of its own.
    Problems,
    /// Whose problems share their data.
    Datasets,
    /// One dataset, of which there is no standard error over several problems.
    OneDataset,
}

impl Units {
    /// What ± is, as a clause.
    pub fn clause(self) -> &'static str {
        match self {
            Self::TauSamples => "± is the standard error over the tau-samples of the problem",
            Self::OneProblem => "no ±, for there is one problem alone",
            Self::Inputs => {
                "± is the standard error over the test inputs of the one problem that there is, and says nothing of another \
                 training; means over levels of shift have none"
            }
            Self::Problems => "± is the standard error over problems",
            Self::Datasets => "± is the standard error over datasets",
            Self::OneDataset => "no ±, for all problems share one dataset",
        }
    }

    /// What is one unit, where means are over several.
    pub fn unit(self) -> &'static str {
        match self {
            Self::TauSamples | Self::OneProblem | Self::Inputs | Self::Problems => "problem",
            Self::Datasets | Self::OneDataset => "dataset",
        }
    }
}

/// One agent's scores over the plan's problems.
pub struct AgentScores<'a> {
    /// The agent as the plan has it.
    pub planned: &'a PlannedAgent,
    /// The problems that it has scores of, in the plan's order.
    pub problems: Vec<ScoredProblem<'a>>,
    /// Scores that are not means over problems, since a problem is but one simulation.
    pub across: Vec<(String, Across)>,
    /// What its intervals cover over all simulations, by process, where the problems are such.
    pub coverage: Vec<(String, CoverageSummary)>,
    /// The problems that it failed on, and how.
    pub failures: Vec<(&'a str, &'a Failure)>,
    /// Units of the plan that have no result yet.
    pub missing: usize,
}

/// One agent's scores on one problem.
pub struct ScoredProblem<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// What it shares its data with, or its own name.
    pub cluster: String,
    /// The scores by name.
    pub values: Vec<(String, Scored)>,
    /// All that a problem of regression gave.
    pub unit: Option<&'a RegressionUnit>,
    /// All that a problem of dataset shift gave.
    pub shift: Option<&'a ShiftScores>,
    /// Scores that it has no value of, and why.
    pub absences: Vec<(String, String)>,
    /// Of a reference alone.
    diagnosis: Option<&'a SampleDiagnosis>,
}

/// A value, with its standard error over the problem's tau-samples where it is a mean over them.
#[derive(Clone, Copy)]
pub struct Scored {
    /// The score.
    pub value: f64,
    /// Its standard error over tau-samples.
    pub stderr: Option<f64>,
    /// Where it is a joint score.
    draws: Option<Draws>,
}

/// What the number of draws does to a joint score.
#[derive(Clone, Copy)]
pub struct Draws {
    /// The standard error over draws.
    error: f64,
    /// NaN where several functions allow the labels of no tau-sample.
    pub effective: f64,
    /// The number of problems for which there are too few.
    pub few: usize,
}

impl From<Score> for Scored {
    fn from(score: Score) -> Self {
        Self { value: score.mean, stderr: Some(score.stderr), draws: None }
    }
}

impl Scored {
    fn joint(score: &JointScore, draws: u32) -> Self {
        let few = usize::from(score.needs_more_draws(draws));
        let draws = Draws { error: score.draw_error, effective: score.effective_draws, few };
        Self { value: score.mean, stderr: Some(score.stderr), draws: Some(draws) }
    }
}

impl Draws {
    /// Of the mean over problems, whose draws are independent: an error that is the root of the sum of squares over their
    /// number, and the harmonic mean of the effective numbers that there are, as within a problem.
    fn combined(problems: &[Self]) -> Option<Self> {
        let count = problems.len() as f64;
        let squares: f64 = problems.iter().map(|draws| draws.error * draws.error).sum();
        let known: Vec<f64> = problems.iter().map(|draws| draws.effective).filter(|number| !number.is_nan()).collect();
        let inverses: f64 = known.iter().map(|number| 1.0 / number).sum();
        let effective = if known.is_empty() { f64::NAN } else { known.len() as f64 / inverses };
        let few = problems.iter().map(|draws| draws.few).sum();
        (!problems.is_empty()).then(|| Self { error: squares.sqrt() / count, effective, few })
    }

    fn write(self, object: &mut Value) {
        object["draw_error"] = json!(number(self.error));
        object["effective_draws"] = json!(number(self.effective));
    }
}

impl<'a> Scores<'a> {
    /// Gathers results in the plan's order, whatever order they finished in, and scores agents against each other by what
    /// the directory holds of their beliefs.
    pub fn with_beliefs(plan: &'a Plan, results: &'a [UnitResult], directory: &RunDirectory) -> Result<Self> {
        Self::among(plan, results, &across::read(results, directory)?)
    }

    /// The same by beliefs that are at hand, under their digests.
    pub fn among(plan: &'a Plan, results: &'a [UnitResult], beliefs: &Beliefs) -> Result<Self> {
        let mut scores = Self::new(plan, results);
        scores.cross = across::score(&mut scores.agents, plan, beliefs)?;
        Ok(scores)
    }

    /// Gathers results in the plan's order, whatever order they finished in.
    pub fn new(plan: &'a Plan, results: &'a [UnitResult]) -> Self {
        let by_unit: HashMap<(&str, &str), &UnitResult> =
            results.iter().map(|result| ((result.agent.as_str(), result.problem.as_str()), result)).collect();
        let clusters = clusters::clusters(plan);
        let agents = plan.agents.iter().map(|planned| {
            let mut agent = AgentScores::new(planned);
            for (problem, cluster) in plan.problems.iter().zip(&clusters) {
                let name = problem.problem.as_str();
                let scored = |values| ScoredProblem {
                    problem: name,
                    cluster: cluster.clone(),
                    values,
                    unit: None,
                    shift: None,
                    absences: Vec::new(),
                    diagnosis: None,
                };
                match by_unit.get(&(planned.label.as_str(), name)).map(|result| &result.outcome) {
                    Some(Outcome::Scored { scores, fuel, diagnosis }) => {
                        let values = values(problem.metric, scores, plan.draws(), *fuel);
                        agent.problems.push(ScoredProblem { diagnosis: diagnosis.as_ref(), ..scored(values) });
                    }
                    Some(Outcome::Regression { scores, fuel }) => {
                        let (unit, absences) = (Some(scores.as_ref()), regression::absences(scores));
                        let scored = scored(regression::values(scores, *fuel));
                        agent.problems.push(ScoredProblem { unit, absences, ..scored });
                    }
                    Some(Outcome::Shift { scores, fuel }) => {
                        let scored = scored(shift::values(scores, *fuel));
                        agent.problems.push(ScoredProblem { shift: Some(scores.as_ref()), ..scored });
                    }
                    Some(Outcome::Failed(failure)) => agent.failures.push((name, failure)),
                    None => agent.missing += 1,
                }
            }
            agent.coverage = regression::coverage(&mut agent.problems);
            agent.across = regression::across(&agent.coverage);
            agent
        });
        let agents = agents.collect();
        Self { plan, agents, cross: Vec::new(), clusters }
    }

    /// What the plan's problems have standard errors over.
    pub fn units(&self) -> Units {
        let alone = self.plan.problems.iter().zip(&self.clusters).all(|(planned, cluster)| planned.problem == *cluster);
        match self.clusters.as_slice() {
            [_] if self.plan.shift().is_some() => Units::Inputs,
            [_] if self.plan.evaluation().is_none() => Units::OneProblem,
            [_] => Units::TauSamples,
            _ if alone => Units::Problems,
            [first, rest @ ..] if rest.iter().all(|cluster| cluster == first) => Units::OneDataset,
            _ => Units::Datasets,
        }
    }

    /// The clusters of the plan's problems, by their names.
    pub fn clusters(&self) -> HashMap<&'a str, &str> {
        let names = self.plan.problems.iter().map(|planned| planned.problem.as_str());
        names.zip(self.clusters.iter().map(String::as_str)).collect()
    }

    /// The names of all scores, joint ones by rising tau.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let by_problem = self.agents.iter().flat_map(|agent| &agent.problems).flat_map(|problem| &problem.values);
        let across = self.agents.iter().flat_map(|agent| &agent.across).map(|(name, _)| name);
        for name in across.chain(by_problem.map(|(name, _)| name)) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if self.plan.evaluation().is_none() {
            return names;
        }
        // Problems with other taus come later but belong before the marginals' scores.
        names.sort_by_key(|name| order(name));
        names
    }

    /// Units without a result.
    pub fn missing(&self) -> usize {
        self.agents.iter().map(|agent| agent.missing).sum()
    }

    /// Whether any agent failed on any problem.
    pub fn failed(&self) -> bool {
        self.agents.iter().any(|agent| !agent.failures.is_empty())
    }
}

/// The shape that others read: only what is reproducible. One agent's values exist at a time, for they take ten times the
/// memory of their text.
impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        struct Agents<'a>(&'a Scores<'a>);
        impl Serialize for Agents<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                let names = self.0.names();
                serializer.collect_seq(self.0.agents.iter().map(|agent| agent.to_json(&names)))
            }
        }
        let mut document = serializer.serialize_struct("Scores", 4)?;
        document.serialize_field("suite", &self.plan.suite)?;
        document.serialize_field("seed", &self.plan.seed)?;
        document.serialize_field("version", &self.plan.version)?;
        document.serialize_field("agents", &Agents(self))?;
        document.end()
    }
}

impl<'a> AgentScores<'a> {
    fn new(planned: &'a PlannedAgent) -> Self {
        let (problems, across, failures) = (Vec::new(), Vec::new(), Vec::new());
        Self { planned, problems, across, coverage: Vec::new(), failures, missing: 0 }
    }
}

impl AgentScores<'_> {
    /// Whether every problem of the plan has a score.
    pub fn complete(&self) -> bool {
        self.failures.is_empty() && self.missing == 0
    }

    /// Whether a problem has no value of this score where others of its kind have one.
    pub fn lacks(&self, name: &str) -> bool {
        self.problems.iter().any(|problem| problem.absences.iter().any(|(absent, _)| absent == name))
    }

    /// The mean over the problems that have this score, with its standard error over them, or over the datasets that they
    /// are made of; none where no problem has it. Where one problem is all there is, the standard error is that over its
    /// tau-samples; that of several problems of one dataset is NaN.
    pub fn summary(&self, name: &str) -> Option<Summary> {
        if let Some((_, across)) = self.across.iter().find(|(known, _)| known == name) {
            return Some(across.summary(self.problems.len()));
        }
        self.summary_where(name, |_| true)
    }

    /// The same over the problems that are asked for by name.
    pub fn summary_where(&self, name: &str, wanted: impl Fn(&str) -> bool) -> Option<Summary> {
        let (problems, scored): (Vec<&ScoredProblem>, Vec<Scored>) =
            self.by_problem(name).filter(|(problem, _)| wanted(problem.problem)).unzip();
        let values: Vec<f64> = scored.iter().map(|scored| scored.value).collect();
        let clusters: Vec<&str> = problems.iter().map(|problem| problem.cluster.as_str()).collect();
        let summary = summarize_clusters(&values, &clusters);
        match scored.as_slice() {
            [] => None,
            [Scored { stderr: Some(stderr), .. }] => Some(Summary { stderr: *stderr, ..summary }),
            _ => Some(summary),
        }
    }

    /// What the number of draws does to the mean of a joint score over problems.
    pub fn draws(&self, name: &str) -> Option<Draws> {
        let draws: Vec<Draws> = self.by_problem(name).filter_map(|(_, scored)| scored.draws).collect();
        Draws::combined(&draws)
    }

    /// The problems on which the sample of a reference has not converged.
    pub fn unconverged(&self) -> Vec<&str> {
        let unconverged = |problem: &&ScoredProblem| problem.diagnosis.is_some_and(|diagnosis| !diagnosis.converged);
        self.problems.iter().filter(unconverged).map(|problem| problem.problem).collect()
    }

    /// A score on each problem that has it.
    pub fn by_problem<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'s ScoredProblem<'s>, Scored)> {
        self.problems.iter().filter_map(move |problem| Some((problem, problem.value(name)?)))
    }

    /// The problem, the score and the reason of each score that has no value.
    pub fn absences(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.problems.iter().flat_map(|problem| {
            problem.absences.iter().map(|(score, reason)| (problem.problem, score.as_str(), reason.as_str()))
        })
    }

    fn to_json(&self, names: &[String]) -> Value {
        let scores: Map<String, Value> = names
            .iter()
            .filter_map(|name| {
                let summary = self.summary(name)?;
                let mut value = json!({
                    "mean": number(summary.mean),
                    "stderr": number(summary.stderr),
                    "problems": summary.problems,
                    "non_finite": summary.non_finite,
                });
                if self.problems.iter().any(|problem| problem.cluster != problem.problem) {
                    value["datasets"] = summary.clusters.into();
                }
                if let Some(draws) = self.draws(name) {
                    draws.write(&mut value);
                }
                Some((name.clone(), value))
            })
            .collect();
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|(problem, failure)| {
                let Failure { phase, kind, message } = failure;
                json!({ "problem": problem, "phase": phase, "kind": kind, "message": message })
            })
            .collect();
        let problems: Vec<Value> = self.problems.iter().map(ScoredProblem::to_json).collect();
        let mut agent = json!({
            "agent": self.planned.agent,
            "digest": self.planned.digest,
            "settings": self.planned.settings,
            "scores": scores,
            "failures": failures,
            "problems": problems,
        });
        let absences: Vec<Value> = self
            .absences()
            .map(|(problem, score, reason)| json!({ "problem": problem, "score": score, "reason": reason }))
            .collect();
        if !absences.is_empty() {
            agent["absences"] = absences.into();
        }
        if self.planned.is_reference() {
            agent["reference"] = true.into();
        }
        agent
    }
}

impl ScoredProblem<'_> {
    /// The score of that name.
    pub fn value(&self, name: &str) -> Option<Scored> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, scored)| *scored)
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("problem".into(), self.problem.into());
        write_values(&self.values, &mut object);
        if let Some(scores) = self.shift {
            object.insert("conditions".into(), shift::conditions(scores));
        }
        if let Some(diagnosis) = self.diagnosis {
            let SampleDiagnosis { r_hat, effective_draws, acceptance, rounds, converged } = diagnosis;
            let value = json!({
                "r_hat": number(r_hat.0),
                "effective_draws": number(effective_draws.0),
                "acceptance": number(acceptance.0),
                "rounds": rounds,
                "converged": converged,
            });
            object.insert("diagnosis".into(), value);
        }
        object.into()
    }
}

/// Values under their names, each with its errors.
fn write_values(values: &[(String, Scored)], object: &mut Map<String, Value>) {
    for (name, scored) in values {
        let mut value = match scored.stderr {
            Some(stderr) => json!({ "mean": number(scored.value), "stderr": number(stderr) }),
            None => json!(number(scored.value)),
        };
        if let Some(draws) = scored.draws {
            draws.write(&mut value);
        }
        object.insert(name.clone(), value);
    }
}

/// A problem's scores by name.
fn values(metric: Metric, scores: &ProblemScores, draws: u32, fuel: Option<u64>) -> Vec<(String, Scored)> {
    let joint = |(tau, score): &(u32, JointScore)| (format!("{metric}_tau{tau}"), Scored::joint(score, draws));
    let mut values: Vec<(String, Scored)> = scores.joint.iter().map(joint).collect();
    values.extend(aggregate(scores).map(|scored| (format!("{metric}_aggregate"), scored)));
    let plain = |value| Scored { value, stderr: None, draws: None };
    values.push((ACCURACY.into(), scores.accuracy.into()));
    values.push((ECE.into(), plain(scores.ece)));
    values.extend(fuel.map(|fuel| (FUEL.into(), plain(fuel as f64))));
    values
}

/// d1 + d100 / 100, the paper's aggregate; the two come from independent test samples.
fn aggregate(scores: &ProblemScores) -> Option<Scored> {
    let at = |tau: u32| scores.joint.iter().find(|(known, _)| *known == tau).map(|(_, score)| score);
    let (one, hundred) = (at(1)?, at(100)?);
    let stderr = libm::hypot(one.stderr, hundred.stderr / 100.0);
    Some(Scored { value: one.mean + hundred.mean / 100.0, stderr: Some(stderr), draws: None })
}

/// Joint scores by tau, then aggregates, then the rest in the order of the design.
fn order(name: &str) -> (u8, u32) {
    match name {
        ACCURACY => (2, 0),
        ECE => (2, 1),
        FUEL => (2, 2),
        _ => match name.split_once("_tau").and_then(|(_, tau)| tau.parse().ok()) {
            Some(tau) => (0, tau),
            None => (1, 0),
        },
    }
}

/// Twelve significant digits; what is not finite as text, since JSON has no number for it.
pub fn number(x: f64) -> Real {
    Real(round_significant(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::InventedScores as _;
    use jointly_record::invented::InventedRun;

    fn summary(suite: &str, problems: &[&str], means: &[f64]) -> (Units, Summary, Value) {
        let name = if suite == "quick" { "kl_tau1" } else { "nll_tau1" };
        let run = InventedRun::scored(suite, problems, &[("mlp", means)]);
        let scores = run.scores();
        let json = serde_json::to_value(&scores).unwrap()["agents"][0]["scores"][name].clone();
        (scores.units(), scores.agents[0].summary(name).unwrap(), json)
    }

    const REAL: [&str; 4] = [
        "quick/real/iris/t1/seed0",
        "quick/real/iris/tfull/seed0",
        "quick/real/mnist-t10k/t1/seed0",
        "quick/real/mnist-t10k/t1/seed1",
    ];

    #[test]
    fn problems_of_a_dataset_are_one_unit() {
        let (units, both, json) = summary("quick/real", &REAL, &[1.0, 3.0, 5.0, 7.0]);
        // Clustered, sqrt(2 / 1 * (4^2 + 4^2)) / 4 in place of sqrt(20 / 3 / 4).
        assert_eq!((units, both.mean, both.stderr), (Units::Datasets, 4.0, 2.0));
        assert_eq!((both.problems, both.clusters), (4, 2));
        assert_eq!((&json["stderr"], &json["problems"], &json["datasets"]), (&2.0.into(), &4.into(), &2.into()));
        let (units, one, _) = summary("quick/real", &REAL[..2], &[1.0, 3.0]);
        assert!(units == Units::OneDataset && one.stderr.is_nan(), "{units:?} {one:?}");
        let (units, alone, json) = summary("quick/real", &REAL[..1], &[1.0]);
        assert_eq!((units, alone.stderr, &json["datasets"]), (Units::TauSamples, 0.5, &1.into()));
    }

    #[test]
    fn sampled_problems_are_units_of_their_own() {
        let names = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t100/temp0.1/seed0"];
        let (units, summary, json) = summary("quick", &names, &[1.0, 2.0, 3.0]);
        assert_eq!((units, summary.stderr), (Units::Problems, (1.0_f64 / 3.0).sqrt()));
        assert!(json.get("datasets").is_none(), "{json}");
    }

    fn draws(effective_draws: f64) -> Draws {
        let score = JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.5, effective_draws };
        Scored::joint(&score, 1000).draws.unwrap()
    }

    #[test]
    fn problems_that_no_draw_allows_do_not_raise_the_effective_number() {
        let combined = |numbers: &[f64]| {
            let problems: Vec<Draws> = numbers.iter().copied().map(draws).collect();
            Draws::combined(&problems).unwrap()
        };
        assert_eq!(combined(&[10.0, 30.0]).effective, 15.0);
        let with_infinite = combined(&[10.0, f64::NAN, 30.0, f64::NAN]);
        assert_eq!((with_infinite.effective, with_infinite.few), (15.0, 3));
        assert!(combined(&[f64::NAN]).effective.is_nan());
        assert_eq!(combined(&[f64::NAN]).few, 1);
    }
}

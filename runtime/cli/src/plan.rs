//! What a run was asked to do: `plan.json`. Scores are a function of it.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use jointly_core::regression::{Noise, RegressionOptions, RegressionSuite, Residuals, regression_suite};
use jointly_core::shift::{ShiftLevel, ShiftOptions, ShiftSuite, shift_suite};
use jointly_core::{Evaluation, Initialization, Metric, Partitioning, Suite, digest};
use jointly_host::{ENGINE, INTERFACE, Interface, LONGEST_NAME, Limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent_spec::Settings;
use crate::own_images::PlannedImages;
use crate::own_tables::PlannedTable;
use crate::table::counted;
use crate::unit::Outcome;
use crate::{noise_argument, oracle, partition_argument, printable, problems, residuals_argument};

/// The most MiB that agents may hold, whoever asks.
pub(crate) const MOST_MEMORY: u64 = 4096;
/// The most characters of a setting's name or value.
const MOST_SETTING: usize = 2_000;
/// The most characters of a problem's, table's or suite's name: a file's, and what stands before it.
const MOST_PROBLEM: usize = 400;

/// A run's whole question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The command's version.
    pub(crate) version: String,
    pub(crate) interface: String,
    pub(crate) engine: String,
    pub(crate) suite: String,
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
    #[serde(flatten)]
    pub(crate) terms: Terms,
    #[serde(flatten)]
    pub(crate) alterations: Alterations,
    /// A person's own, in the place of the suite's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tables: Vec<PlannedTable>,
    /// How agents see a person's own images, where those are what the suite is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) images: Option<PlannedImages>,
    pub(crate) agents: Vec<PlannedAgent>,
    pub(crate) problems: Vec<PlannedProblem>,
}

/// How predictions are evaluated: in plan.json `evaluation` of classification, `regression` of regression, `shift` of
/// dataset shift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Terms {
    Evaluation(Evaluation),
    Regression(RegressionTerms),
    Shift(ShiftOptions),
}

/// How predictions of real numbers are evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RegressionTerms {
    pub(crate) options: RegressionOptions,
    /// Who predicts, in active learning, where it is not the agent that selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) predictor: Option<PlannedAgent>,
}

/// In what a plan's sampled problems are not the suite's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Alterations {
    /// Anchors of kappa-adic test inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) anchors: Option<NonZeroU32>,
    /// The law of the environments' weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) initialization: Option<Initialization>,
}

/// An agent of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedAgent {
    /// What it calls itself.
    pub(crate) agent: String,
    /// What tells it from the plan's other agents.
    pub(crate) label: String,
    pub(crate) digest: String,
    pub(crate) settings: Settings,
}

impl PlannedAgent {
    /// Whether it is no agent but what agents are compared with.
    pub(crate) fn is_reference(&self) -> bool {
        oracle::is_oracle(&self.digest)
    }

    /// Whether it is the same agent with the same settings, to the byte, whatever its plan calls it.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.has_name_and_settings_of(other) && self.digest == other.digest
    }

    /// Whether it has the same bytes and settings, whatever it calls itself.
    pub(crate) fn has_bytes_and_settings_of(&self, other: &Self) -> bool {
        (&self.digest, &self.settings) == (&other.digest, &other.settings)
    }

    /// Whether it has the same name and settings, of whatever bytes.
    pub(crate) fn has_name_and_settings_of(&self, other: &Self) -> bool {
        (&self.agent, &self.settings) == (&other.agent, &other.settings)
    }
}

/// A problem of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedProblem {
    pub(crate) problem: String,
    /// What its joint scores measure.
    pub(crate) metric: Metric,
    /// Of the file, where it came from one; of the dataset's contents, where it is made of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
}

impl Plan {
    /// Of agents, whose labels follow from the rest, on a suite's problems.
    pub(crate) fn new(suite: &Suite, seed: u64, limits: Limits, agents: Vec<PlannedAgent>) -> Self {
        let problems = suite.problems.iter().map(problems::planned).collect();
        let terms = Terms::Evaluation(suite.evaluation.clone());
        Self {
            alterations: problems::alterations(suite),
            ..Self::of(&suite.name, problems, terms, seed, limits, agents)
        }
    }

    /// Of agents on the problems of a suite of regression.
    pub(crate) fn of_regression(
        suite: &RegressionSuite,
        seed: u64,
        limits: Limits,
        agents: Vec<PlannedAgent>,
        predictor: Option<PlannedAgent>,
    ) -> Self {
        let problems = suite.problems.iter().map(crate::regression_suite::planned).collect();
        let terms = Terms::Regression(RegressionTerms { options: suite.options.clone(), predictor });
        Self::of(&suite.name, problems, terms, seed, limits, agents)
    }

    /// Of agents on the problems of a suite of dataset shift.
    pub(crate) fn of_shift(suite: &ShiftSuite, seed: u64, limits: Limits, agents: Vec<PlannedAgent>) -> Self {
        let problems = suite.problems.iter().map(crate::shift_suite::planned).collect();
        Self::of(&suite.name, problems, Terms::Shift(suite.options.clone()), seed, limits, agents)
    }

    /// Of this command, with nothing altered.
    fn of(
        suite: &str,
        problems: Vec<PlannedProblem>,
        terms: Terms,
        seed: u64,
        limits: Limits,
        mut agents: Vec<PlannedAgent>,
    ) -> Self {
        label(&mut agents);
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            interface: INTERFACE.into(),
            engine: ENGINE.into(),
            suite: suite.to_owned(),
            seed,
            limits,
            terms,
            alterations: Alterations::default(),
            tables: Vec::new(),
            images: None,
            agents,
            problems,
        }
    }

    /// How classification is evaluated, where that is what the plan is about.
    pub(crate) fn evaluation(&self) -> Option<&Evaluation> {
        match &self.terms {
            Terms::Evaluation(evaluation) => Some(evaluation),
            Terms::Regression(_) | Terms::Shift(_) => None,
        }
    }

    /// Functions sampled from each agent.
    pub(crate) fn draws(&self) -> u32 {
        match &self.terms {
            Terms::Evaluation(evaluation) => evaluation.draws,
            Terms::Regression(terms) => terms.options.draws,
            Terms::Shift(options) => options.draws,
        }
    }

    /// How regression is evaluated, where that is what the plan is about.
    pub(crate) fn regression(&self) -> Option<&RegressionTerms> {
        match &self.terms {
            Terms::Regression(terms) => Some(terms),
            Terms::Evaluation(_) | Terms::Shift(_) => None,
        }
    }

    /// How dataset shift is evaluated, where that is what the plan is about.
    pub(crate) fn shift(&self) -> Option<&ShiftOptions> {
        match &self.terms {
            Terms::Shift(options) => Some(options),
            Terms::Evaluation(_) | Terms::Regression(_) => None,
        }
    }

    /// Who predicts in active learning, where it is not the agent that selects.
    pub(crate) fn predictor(&self) -> Option<&PlannedAgent> {
        self.regression()?.predictor.as_ref()
    }

    /// What its agents are asked for.
    pub(crate) fn interface_of_agents(&self) -> Interface {
        match self.terms {
            Terms::Evaluation(_) => Interface::Classification,
            Terms::Regression(_) => Interface::Regression,
            Terms::Shift(_) => Interface::Multimodal,
        }
    }

    /// Whether its units can end so.
    pub(crate) fn takes(&self, outcome: &Outcome) -> bool {
        match (&self.terms, outcome) {
            (_, Outcome::Failed(_))
            | (Terms::Evaluation(_), Outcome::Scored { .. })
            | (Terms::Regression(_), Outcome::Regression { .. })
            | (Terms::Shift(_), Outcome::Shift { .. }) => true,
            (_, Outcome::Scored { .. } | Outcome::Regression { .. } | Outcome::Shift { .. }) => false,
        }
    }

    /// What makes a plan that was read from a file no plan of this command, if anything does.
    pub(crate) fn defect(&self) -> Option<String> {
        if self.agents.is_empty() || self.problems.is_empty() {
            return Some(format!("it has no {}", if self.agents.is_empty() { "agents" } else { "problems" }));
        }
        if let Some(defect) = self.unprintable() {
            return Some(defect);
        }
        if !(1 << 20..=MOST_MEMORY << 20).contains(&self.limits.memory) {
            return Some(format!(
                "its agents may hold {} bytes, and 1 to {MOST_MEMORY} MiB can be",
                self.limits.memory
            ));
        }
        let mut agents = self.agents.clone();
        label(&mut agents);
        let names: HashSet<&str> = self.problems.iter().map(|problem| problem.problem.as_str()).collect();
        let components = self.agents.iter().filter(|agent| !agent.is_reference()).chain(self.predictor());
        let digests = components.map(|agent| &agent.digest);
        let digests = digests.chain(self.problems.iter().filter_map(|problem| problem.digest.as_ref()));
        let digests = digests.chain(self.tables.iter().map(|table| &table.digest));
        let other_label = |agent: &PlannedAgent| agent.label != agent.settings.label(&agent.agent);
        if agents != self.agents || labels(&agents).len() != agents.len() || self.predictor().is_some_and(other_label) {
            return Some("its agents' labels are not what they must be".into());
        }
        if names.len() != self.problems.len() {
            return Some("it names a problem twice".into());
        }
        if let Some(digest) = digests.into_iter().find(|digest| !is_digest(digest)) {
            return Some(format!("{digest} is no digest"));
        }
        if let Some(defect) = self.tables.iter().find_map(PlannedTable::defect) {
            return Some(defect);
        }
        match &self.terms {
            Terms::Evaluation(evaluation) => evaluation.check().err().map(|error| error.to_string()),
            Terms::Regression(terms) => terms.options.check().err().map(|error| error.to_string()),
            Terms::Shift(options) => options.check().err().map(|error| error.to_string()),
        }
    }

    /// What of its names is not printable, or is longer than any name, if anything is: they reach terminals.
    fn unprintable(&self) -> Option<String> {
        let agent = |agent: &PlannedAgent| {
            let settings = agent.settings.to_list();
            let mut settings = settings.iter().flat_map(|setting| [&setting.name, &setting.value]);
            printable::defect("the agent", &agent.agent, LONGEST_NAME)
                .or_else(|| settings.find_map(|text| printable::defect("the setting", text, MOST_SETTING)))
        };
        let problem = |planned: &PlannedProblem| printable::defect("the problem", &planned.problem, MOST_PROBLEM);
        let table = |planned: &PlannedTable| printable::defect("the table", &planned.file, MOST_PROBLEM);
        printable::defect("the suite", &self.suite, MOST_PROBLEM)
            .or_else(|| self.agents.iter().chain(self.predictor()).find_map(agent))
            .or_else(|| self.problems.iter().find_map(problem))
            .or_else(|| self.tables.iter().find_map(table))
    }

    /// The first thing in which two plans differ, for a person; none where they are the same.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let labels = |plan: &Self| plan.agents.iter().map(|agent| agent.label.clone()).collect::<Vec<_>>().join(" ");
        self.other_conditions(other)
            .or_else(|| differs("agents", &labels(self), &labels(other)))
            .or_else(|| differs("problems", &self.problem_names(), &other.problem_names()))
            .or_else(|| self.other_tables(other))
            .or_else(|| (self != other).then(|| "other bytes of an agent or a problem".into()))
    }

    /// The first difference in problems and what they hold, for a person.
    pub(crate) fn other_problems(&self, other: &Self) -> Option<String> {
        let changed = || {
            let (mine, _) = self.problems.iter().zip(&other.problems).find(|(mine, theirs)| mine != theirs)?;
            Some(format!("other data of {}", mine.problem))
        };
        differs("problems", &self.problem_names(), &other.problem_names()).or_else(changed)
    }

    /// The first difference in the files of a person's own tables, which may hold the same numbers all the same.
    fn other_tables(&self, other: &Self) -> Option<String> {
        let files = |plan: &Self| match plan.tables.as_slice() {
            [] => "of the suite".to_owned(),
            tables => tables.iter().map(|table| table.file.as_str()).collect::<Vec<_>>().join(" "),
        };
        let changed = || {
            let (mine, _) = self.tables.iter().zip(&other.tables).find(|(mine, theirs)| mine != theirs)?;
            Some(format!("other bytes of the table {}", mine.file))
        };
        differs("tables", &files(self), &files(other)).or_else(changed)
    }

    /// The first difference in what holds for every unit, for a person: in all but agents and problems, which say of a table
    /// what it holds.
    pub(crate) fn other_conditions(&self, other: &Self) -> Option<String> {
        let own = || "of the suite".to_owned();
        let anchors = |plan: &Self| plan.alterations.anchors.map_or_else(own, |anchors| anchors.to_string());
        let images = |plan: &Self| plan.images.map_or_else(own, |view| Departure::Images(view).text());
        let law = |plan: &Self| plan.alterations.initialization.map_or_else(own, |law| law_name(law).to_owned());
        differs("version", &self.version, &other.version)
            .or_else(|| differs("interface", &self.interface, &other.interface))
            .or_else(|| differs("engine", &self.engine, &other.engine))
            .or_else(|| differs("suite", &self.suite, &other.suite))
            .or_else(|| differs("seed", &self.seed.to_string(), &other.seed.to_string()))
            .or_else(|| differs("fuel limit", &self.limits.fuel.to_string(), &other.limits.fuel.to_string()))
            .or_else(|| differs("memory limit", &self.limits.memory.to_string(), &other.limits.memory.to_string()))
            .or_else(|| differs("anchors", &anchors(self), &anchors(other)))
            .or_else(|| differs("initialization", &law(self), &law(other)))
            .or_else(|| differs("images", &images(self), &images(other)))
            .or_else(|| other_terms(&self.terms, &other.terms))
    }

    /// The first difference in what two runs of active learning ask, for a person: in all but agents, those who predict among
    /// them, and which problems there are. What both have must be the same.
    pub(crate) fn other_lessons(&self, other: &Self) -> Option<String> {
        let unled = |plan: &Self| match &plan.terms {
            Terms::Regression(terms) => Terms::Regression(RegressionTerms { predictor: None, ..terms.clone() }),
            terms @ (Terms::Evaluation(_) | Terms::Shift(_)) => terms.clone(),
        };
        let changed = || {
            let both = self.problems.iter().flat_map(|mine| other.problems.iter().map(move |theirs| (mine, theirs)));
            let mut same = both.filter(|(mine, theirs)| mine.problem == theirs.problem);
            same.find(|(mine, theirs)| mine != theirs).map(|(mine, _)| format!("other data of {}", mine.problem))
        };
        differs("suite", &self.suite, &other.suite)
            .or_else(|| differs("seed", &self.seed.to_string(), &other.seed.to_string()))
            .or_else(|| other_terms(&unled(self), &unled(other)))
            .or_else(changed)
    }

    /// Whether it is about a suite on the suite's own tables: else no paper's numbers belong beside its own.
    pub(crate) fn is_on_tables_of(&self, suite: &str) -> bool {
        self.suite == suite && self.tables.is_empty()
    }

    /// The suite and enough of the plan's digest to tell plans apart.
    pub(crate) fn short_name(&self) -> serde_json::Result<String> {
        // One directory, whatever the suite's name holds.
        Ok(format!("{}-{}", self.suite.replace('/', "-"), short(&self.digest()?)))
    }

    /// What plans that are the same have in common, and no other.
    pub(crate) fn digest(&self) -> serde_json::Result<String> {
        Ok(digest(&serde_json::to_vec(self)?))
    }

    /// In what evaluation and problems are not the suite's own, for the heading of a table.
    pub(crate) fn departures(&self) -> String {
        let departures = self.of_its_own();
        let predictor = self.predictor().map(|agent| format!(", predicted by {}", agent.label));
        departures.iter().flat_map(|departure| [", ".to_owned(), departure.text()]).chain(predictor).collect()
    }

    /// The options of `jointly run` that make evaluation and problems of the suite's own.
    pub(crate) fn options(&self) -> Vec<String> {
        self.of_its_own().iter().map(Departure::option).collect()
    }

    fn of_its_own(&self) -> Vec<Departure> {
        let evaluation = match &self.terms {
            Terms::Evaluation(evaluation) => evaluation,
            Terms::Regression(terms) => return self.of_regression_own(&terms.options),
            Terms::Shift(options) => return self.of_shift_own(options),
        };
        let Some(own) = problems::evaluation(&self.suite) else { return Vec::new() };
        let Evaluation { draws, partition, planes, clip, .. } = *evaluation;
        let Alterations { anchors, initialization } = self.alterations;
        let departures = [
            (draws != own.draws).then_some(Departure::Draws(draws)),
            (partition != own.partition).then_some(Departure::Partition(partition)),
            (planes != own.planes).then_some(Departure::Planes(planes)),
            (!clip && own.clip).then_some(Departure::NoClip),
            anchors.map(Departure::Anchors),
            initialization.map(Departure::Initialization),
        ];
        departures.into_iter().flatten().collect()
    }

    fn of_regression_own(&self, options: &RegressionOptions) -> Vec<Departure> {
        let Some(own) = regression_suite(&self.suite).map(|suite| suite.options) else { return Vec::new() };
        let RegressionOptions { draws, noise, residuals, moment_draws, pool, test, rounds, .. } = *options;
        let departures = [
            (draws != own.draws).then_some(Departure::Draws(draws)),
            (noise != own.noise).then_some(Departure::Noise(noise)),
            (residuals != own.residuals).then_some(Departure::Residuals(residuals)),
            (options.levels != own.levels).then(|| Departure::Levels(options.levels.clone())),
            (moment_draws != own.moment_draws).then_some(Departure::MomentDraws(moment_draws)),
            (pool != own.pool).then_some(Departure::Pool(pool)),
            (test != own.test).then_some(Departure::Test(test)),
            (options.standardize_synthetic && !own.standardize_synthetic).then_some(Departure::Standardize),
            (rounds != own.rounds).then_some(Departure::Rounds(rounds)),
        ];
        let tables = self.tables.iter().map(|table| Departure::Table(table.file.clone()));
        departures.into_iter().flatten().chain(tables).collect()
    }

    fn of_shift_own(&self, options: &ShiftOptions) -> Vec<Departure> {
        let Some(own) = shift_suite(&self.suite).map(|suite| suite.options) else { return Vec::new() };
        let departures = [
            (options.draws != own.draws).then_some(Departure::Draws(options.draws)),
            (options.taus != own.taus).then(|| Departure::Taus(options.taus.clone())),
            (options.levels != own.levels).then(|| Departure::Shifts(patterns(&options.levels, &own.levels))),
        ];
        let images = self.images.filter(|view| *view != PlannedImages::default());
        departures.into_iter().flatten().chain(images.map(Departure::Images)).collect()
    }

    fn problem_names(&self) -> String {
        let names: Vec<&str> = self.problems.iter().map(|problem| problem.problem.as_str()).collect();
        format!("{} ({})", names.len(), names.join(" "))
    }
}

/// Something that a person chose in place of the suite's own.
enum Departure {
    Draws(u32),
    Partition(Partitioning),
    Planes(u32),
    NoClip,
    Anchors(NonZeroU32),
    Initialization(Initialization),
    Noise(Noise),
    Residuals(Residuals),
    Levels(Vec<f64>),
    MomentDraws(u32),
    Pool(u32),
    Test(u32),
    Standardize,
    Rounds(u32),
    Table(String),
    Taus(Vec<u32>),
    /// As patterns.
    Shifts(Vec<String>),
    Images(PlannedImages),
}

impl Departure {
    fn text(&self) -> String {
        match self {
            Self::Draws(draws) => counted(*draws as usize, "draw"),
            Self::Partition(partition) => format!("parted by {}", partition_argument::name(*partition)),
            Self::Planes(planes) => counted(*planes as usize, "plane"),
            Self::NoClip => "probits not clipped".into(),
            Self::Anchors(anchors) => counted(anchors.get() as usize, "anchor"),
            Self::Initialization(law) => format!("{} weights", law_name(*law)),
            Self::Noise(noise) => format!("{} noise", noise_argument::name(*noise)),
            Self::Residuals(residuals) => format!("{} residuals", residuals_argument::name(*residuals)),
            Self::Levels(levels) => format!("intervals of {} %", percents(levels, ", ")),
            Self::MomentDraws(draws) => format!("covariances of {}", counted(*draws as usize, "draw")),
            Self::Pool(points) => counted(*points as usize, "pool point"),
            Self::Test(points) => counted(*points as usize, "test point"),
            Self::Standardize => "synthetic data standardised".into(),
            Self::Rounds(rounds) => counted(*rounds as usize, "round"),
            Self::Table(file) => format!("table {file}"),
            Self::Taus(taus) => format!("tau {}", joined(taus, ", ")),
            Self::Shifts(patterns) => {
                let names = patterns.iter().map(|pattern| pattern.strip_suffix("/*").unwrap_or(pattern));
                format!("shifted by {}", names.collect::<Vec<_>>().join(", "))
            }
            Self::Images(PlannedImages { side, grey }) => {
                format!("{side} pixels a side{}", if *grey { " in grey" } else { "" })
            }
        }
    }

    fn option(&self) -> String {
        match self {
            Self::Draws(draws) => format!("--draws {draws}"),
            Self::Partition(partition) => format!("--partition {}", partition_argument::name(*partition)),
            Self::Planes(planes) => format!("--planes {planes}"),
            Self::NoClip => "--no-clip".into(),
            Self::Anchors(anchors) => format!("--anchors {anchors}"),
            Self::Initialization(law) => format!("--initialization {}", law_name(*law)),
            Self::Noise(noise) => format!("--noise {}", noise_argument::name(*noise)),
            Self::Residuals(residuals) => format!("--residuals {}", residuals_argument::name(*residuals)),
            Self::Levels(levels) => format!("--levels {}", percents(levels, ",")),
            Self::MomentDraws(draws) => format!("--moment-draws {draws}"),
            Self::Pool(points) => format!("--pool {points}"),
            Self::Test(points) => format!("--test {points}"),
            Self::Standardize => "--standardize".into(),
            Self::Rounds(rounds) => format!("--rounds {rounds}"),
            Self::Table(file) => format!("--table {file}"),
            Self::Taus(taus) => format!("--taus {}", joined(taus, ",")),
            Self::Shifts(patterns) => format!("--shifts '{}'", patterns.join(",")),
            Self::Images(PlannedImages { side, grey }) => {
                format!("--side {side}{}", if *grey { " --grey" } else { "" })
            }
        }
    }
}

/// Levels as patterns: `rotation/*` where all of a suite's own rotations are there and no others, else each by itself.
fn patterns(levels: &[ShiftLevel], own: &[ShiftLevel]) -> Vec<String> {
    let of = |all: &[ShiftLevel], level: &ShiftLevel| -> Vec<ShiftLevel> {
        all.iter().filter(|other| other.shift() == level.shift()).copied().collect()
    };
    let runs = levels.chunk_by(|a, b| a.shift() == b.shift());
    let pattern = |run: &[ShiftLevel]| {
        // Apart from one another they would come in another order.
        let whole = run == of(own, &run[0]) && run.len() == of(levels, &run[0]).len();
        if whole {
            return vec![format!("{}/*", run[0].shift())];
        }
        run.iter().map(ToString::to_string).collect()
    };
    runs.flat_map(pattern).collect()
}

fn joined<T: ToString>(items: &[T], between: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn percents(levels: &[f64], between: &str) -> String {
    levels.iter().map(|level| (100.0 * level).round().to_string()).collect::<Vec<_>>().join(between)
}

/// As the command takes it.
fn law_name(law: Initialization) -> &'static str {
    match law {
        Initialization::Testbed => "reference",
        Initialization::Glorot => "glorot",
    }
}

/// The first difference in how agents are evaluated, by the name that plan.json has for it.
fn other_terms(mine: &Terms, theirs: &Terms) -> Option<String> {
    if mine == theirs {
        return None;
    }
    let fields = |terms: &Terms| match terms {
        Terms::Evaluation(evaluation) => serde_json::to_value(evaluation).unwrap_or_default(),
        Terms::Shift(options) => serde_json::to_value(options).unwrap_or_default(),
        Terms::Regression(RegressionTerms { options, predictor }) => {
            let mut fields = serde_json::to_value(options).unwrap_or_default();
            fields["predictor"] =
                predictor.as_ref().map_or("the agent that selects", |agent| agent.label.as_str()).into();
            fields
        }
    };
    let (mine, theirs) = (fields(mine), fields(theirs));
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let names = mine.as_object().into_iter().flat_map(serde_json::Map::keys);
    let said = names.into_iter().find_map(|name| differs(name, &text(&mine[name]), &text(&theirs[name])));
    // Nothing else of the terms is not among the fields.
    said.or_else(|| Some("other bytes of the agent that predicts".to_owned()))
}

fn differs(what: &str, mine: &str, theirs: &str) -> Option<String> {
    (mine != theirs).then(|| format!("{what} {}, not {}", shorten(mine), shorten(theirs)))
}

fn labels(agents: &[PlannedAgent]) -> HashSet<&str> {
    agents.iter().map(|agent| agent.label.as_str()).collect()
}

/// Digests name files, so that nothing else may stand in their place.
pub(crate) fn is_digest(text: &str) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.chars().all(hex))
}

/// Agents that share name and settings are told apart by their digest.
fn label(agents: &mut [PlannedAgent]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for agent in &mut *agents {
        agent.label = agent.settings.label(&agent.agent);
        *counts.entry(agent.label.clone()).or_default() += 1;
    }
    for agent in agents.iter_mut().filter(|agent| counts[&agent.label] > 1) {
        agent.label = agent.settings.label(&format!("{}@{}", agent.agent, short(&agent.digest)));
    }
}

/// Enough of a digest to tell a few apart.
fn short(digest: &str) -> String {
    digest.trim_start_matches("sha256:").chars().take(8).collect()
}

/// Enough of a long list to recognise it.
fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    format!("{}...", text.chars().take(MOST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{MOST_MEMORY, Plan, PlannedAgent, Terms};
    use crate::agent_spec::{AgentSpec, Settings};
    use crate::invented::InventedRun;
    use jointly_core::regression::{Noise, RegressionOptions, RegressionSuite, regression_suite};
    use jointly_core::{Evaluation, Partitioning};
    use jointly_host::Limits;

    #[test]
    fn another_evaluation_is_named_by_what_differs() {
        let plan = || InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp", &[1.0])]).plan;
        let difference = |change: fn(&mut Evaluation)| {
            let mut other: Plan = plan();
            let Terms::Evaluation(evaluation) = &mut other.terms else { panic!("classification") };
            change(evaluation);
            plan().difference(&other).unwrap()
        };
        assert_eq!(plan().difference(&plan()), None);
        assert_eq!(difference(|own| own.draws = 7), "draws 250, not 7");
        assert_eq!(difference(|own| own.partition = Partitioning::KMeans), "partition planes, not k-means");
        assert_eq!(difference(|own| own.planes = 7), "planes 5, not 7");
        assert_eq!(difference(|own| own.clip = false), "clip true, not false");
        assert_eq!(difference(|own| own.taus = vec![1, 10]), "taus [1,100], not [1,10]");
        assert_eq!(difference(|own| own.samples = 7), "samples 100, not 7");
        assert_eq!(difference(|own| own.partition_above = 7), "partition_above 10, not 7");
    }

    /// What is done to a plan, and what is said of it then.
    type Change = (fn(&mut Plan), &'static str);

    #[test]
    fn a_plan_from_elsewhere_has_agents_problems_bounds_and_plain_names() {
        let plan = || InventedRun::scored("quick", &["quick/t10/temp0.1/seed0"], &[("mlp:l2=1", &[1.0])]).plan;
        let defect = |change: fn(&mut Plan)| {
            let mut plan: Plan = plan();
            change(&mut plan);
            plan.defect()
        };
        assert_eq!(plan().defect(), None);
        assert_eq!(defect(|plan| plan.agents.clear()).as_deref(), Some("it has no agents"));
        assert_eq!(defect(|plan| plan.problems.clear()).as_deref(), Some("it has no problems"));
        assert_eq!(defect(|plan| plan.limits.memory = MOST_MEMORY << 20), None);
        for memory in [0, (MOST_MEMORY << 20) + 1, 1 << 62, u64::MAX] {
            let mut plan = plan();
            plan.limits.memory = memory;
            assert!(plan.defect().unwrap().ends_with("and 1 to 4096 MiB can be"), "{memory}");
        }
        let changes: [Change; 4] = [
            (|plan| plan.agents[0].agent = "\x1b[2J".into(), "the agent \"\\u{1b}[2J\" has U+001B"),
            (
                |plan| plan.agents[0].settings = "mlp:l2=1\u{202e}".parse::<AgentSpec>().unwrap().settings,
                "the setting \"1",
            ),
            (|plan| plan.problems[0].problem = "x".repeat(401), "has more than 400 characters"),
            (|plan| plan.suite = "quick\nholds".into(), "the suite \"quick\\nholds\" has U+000A"),
        ];
        for (change, said) in changes {
            assert!(defect(change).is_some_and(|defect| defect.contains(said)), "{said}");
        }
    }

    #[test]
    fn what_is_chosen_of_regression_is_named_as_an_option() {
        let mut suite = regression_suite("quick/coverage").unwrap();
        suite.problems.truncate(1);
        let plan = |suite: &RegressionSuite| Plan::of_regression(suite, 0, Limits::default(), Vec::new(), None);
        let own = plan(&suite);
        assert_eq!((own.departures(), own.options()), (String::new(), Vec::new()));
        (suite.options.draws, suite.options.noise) = (50, Noise::StudentT);
        let chosen = plan(&suite);
        assert_eq!(chosen.departures(), ", 50 draws, student-t noise");
        assert_eq!(chosen.options().join(" "), "--draws 50 --noise student-t");
        assert_eq!(chosen.difference(&own).as_deref(), Some("draws 50, not 100"));
        let other = |change: fn(&mut RegressionOptions)| {
            let mut suite = regression_suite("quick/active").unwrap();
            suite.problems.truncate(1);
            change(&mut suite.options);
            plan(&suite).options().join(" ")
        };
        assert_eq!(other(|own| (own.pool, own.test) = (7, 8)), "--pool 7 --test 8");
        assert_eq!(other(|own| own.levels = vec![0.5, 0.57]), "--levels 50,57");
        assert_eq!(other(|own| (own.moment_draws, own.rounds) = (9, 1)), "--moment-draws 9 --rounds 1");
        assert_eq!(other(|own| own.standardize_synthetic = true), "--standardize");
        suite.options.draws = own.draws();
        assert_eq!(plan(&suite).difference(&own).as_deref(), Some("noise student-t, not normal"));
        let predictor = PlannedAgent {
            agent: "gp".into(),
            label: "gp".into(),
            digest: String::new(),
            settings: Settings::default(),
        };
        let led =
            |predictor: PlannedAgent| Plan::of_regression(&suite, 0, Limits::default(), Vec::new(), Some(predictor));
        assert_eq!(led(predictor.clone()).departures(), ", student-t noise, predicted by gp");
        let difference = plan(&suite).difference(&led(predictor.clone()));
        assert_eq!(difference.as_deref(), Some("predictor the agent that selects, not gp"));
        // Nothing is taken over from what an agent of the same name predicted.
        let other = led(PlannedAgent { digest: "sha256:0".into(), ..predictor.clone() });
        let difference = led(predictor.clone()).other_conditions(&other);
        assert_eq!(difference.as_deref(), Some("other bytes of the agent that predicts"));
        assert_eq!(led(predictor.clone()).other_conditions(&led(predictor)), None);
    }
}

//! Manifests: an experiment as its file describes it.

use std::collections::BTreeMap;
use std::mem;

use anyhow::{Context, Result, anyhow, bail, ensure};
use jointly_core::counted::listed;
use jointly_core::guess;
use jointly_record::agent_spec::AgentSpec;
use jointly_record::shell::quoted;
use serde::Deserialize;

use crate::braces;
use crate::labels::in_order;
use crate::statistic::Statistic;
use crate::values::Units;

/// The suite on images that whoever runs it gives.
const IMAGES: &str = "shift/images";

/// An experiment, of a paper or of none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// The page of `docs/results` on which it stands, without `.md`; empty for an experiment of one's own.
    #[serde(default)]
    pub page: String,
    /// The paper, with the figure or table, if it is of one.
    #[serde(default)]
    pub paper: Option<String>,
    /// The title of its section.
    pub title: String,
    /// The time and memory that it takes, measured.
    pub cost: String,
    /// How settings were chosen, and on which seeds, if they are not the defaults.
    #[serde(default)]
    pub tuning: Option<String>,
    /// How the experiment is smaller than the paper's, if it is.
    #[serde(default)]
    pub smaller: Option<String>,
    /// Text before the tables, in Markdown.
    #[serde(default)]
    pub text: String,
    /// Text after the tables: what was found, in Markdown.
    #[serde(default)]
    pub found: String,
    /// Why it was not run, if no run of it is kept.
    #[serde(default)]
    pub not_run: Option<String>,
    /// The runs that it needs.
    #[serde(rename = "run")]
    pub runs: Vec<Run>,
    /// The published numbers.
    #[serde(default, rename = "compare")]
    pub comparisons: Vec<Comparison>,
    /// Tables of ours alone.
    #[serde(default, rename = "table")]
    pub tables: Vec<Table>,
    /// Rank correlations of ours alone.
    #[serde(default, rename = "association")]
    pub associations: Vec<Association>,
}

/// A run of the command.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Run {
    /// The name of its directory, below that of all results.
    pub name: String,
    /// The words after `jointly`, without `--out`, `--data` and `--jobs`, as the manifest has them.
    #[serde(rename = "arguments")]
    pub(crate) written: Vec<String>,
    /// The words with braces expanded, so that each value in braces makes one agent.
    #[serde(skip)]
    pub arguments: Vec<String>,
    /// The datasets that it needs, by the names of `jointly data`.
    #[serde(default)]
    pub data: Vec<String>,
    /// The sweep that chose the settings of its agents, on other problems.
    #[serde(default)]
    pub chosen: Option<Chosen>,
}

/// How the settings of a run's agents were chosen.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table as { by = \"SWEEP\", score = \"SCORE\" }")]
pub struct Chosen {
    /// The run with the variants.
    pub by: String,
    /// The score whose mean over that run's problems is lowest for the chosen variant.
    pub score: String,
    /// Whether the sweep chooses a variant for each setting (problems that are repetitions of one another) instead of one for all.
    #[serde(default)]
    pub per_setting: bool,
}

/// Published numbers of one score.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Comparison {
    /// The heading of its table.
    pub title: String,
    /// The run, if there are several.
    #[serde(default)]
    pub run: Option<String>,
    /// The score's name in `scores.json`.
    pub score: String,
    /// The statistic of the score.
    #[serde(default)]
    pub statistic: Statistic,
    /// The agent with which others are compared, for statistics of two agents.
    #[serde(default)]
    pub over: Option<String>,
    /// The other side of a correlation, or of a difference between problems.
    #[serde(default)]
    pub with: Option<Side>,
    /// Another run whose datasets a mean is over too, with equal weight for each dataset.
    #[serde(default)]
    pub also: Option<Also>,
    /// Further runs: a rank is averaged over them too, with equal weight for each run, and a correlation is over their agents
    /// too.
    #[serde(default)]
    pub also_runs: Vec<FurtherRun>,
    /// A pattern of the problems, if it is not over all.
    #[serde(default)]
    pub problems: Option<String>,
    /// The units over which the standard error of ours is taken. Without an answer they are clusters, and the error of a
    /// correlation is over agents alone.
    #[serde(default)]
    pub units: Option<Units>,
    /// Whether the error of a correlation over all agents is over their variants, as if the agents were given: the published number is
    /// over the same.
    #[serde(default)]
    pub over_variants: bool,
    /// Whether the published number has the opposite sign, as a log-likelihood has to `nll`.
    #[serde(default)]
    pub negated: bool,
    /// The error with which the number was read off a picture, or half of its last digit.
    #[serde(default)]
    pub reading_error: f64,
    /// The largest difference that counts as none, beside the errors.
    #[serde(default)]
    pub tolerance: f64,
    /// The error from which on agreement says nothing; half the range of three or more published numbers, or half of the
    /// number, unless it is given.
    #[serde(default)]
    pub resolution: Option<f64>,
    /// The published numbers by agent.
    pub published: BTreeMap<String, Published>,
    /// The cause of each difference, by agent; `*` stands for all agents without a cause of their own.
    #[serde(default)]
    pub cause: BTreeMap<String, String>,
    /// By agent, why agreement says nothing: its settings were chosen so that it agrees, or after both numbers were seen.
    #[serde(default)]
    pub fitted: BTreeMap<String, String>,
    /// Whether the picture of bars has a panel for it.
    #[serde(default)]
    pub picture: bool,
}

/// A further run of a rank or a correlation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table as { run = \"RUN\" }")]
pub struct FurtherRun {
    /// The run.
    pub run: String,
    /// The run of a correlation's other side.
    #[serde(default)]
    pub with: Option<String>,
}

/// Another run that a mean is over, of the same agents on other data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table as { run = \"RUN\" }")]
pub struct Also {
    /// The run.
    pub run: String,
    /// The agents that stand there for those of the comparison, if they are others: `{ gp = "svgp" }`.
    #[serde(default)]
    pub agents: BTreeMap<String, String>,
}

impl Also {
    /// Returns the label in this run of an agent of the comparison.
    pub(crate) fn label<'a>(&'a self, agent: &'a str) -> &'a str {
        self.agents.get(agent).map_or(agent, String::as_str)
    }
}

/// The other side of a correlation or a difference: a score of the same agents, in the same run or another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table as { run = \"RUN\", score = \"SCORE\" }")]
pub struct Side {
    /// The run, if it is another.
    #[serde(default)]
    pub run: Option<String>,
    /// The score's name.
    pub score: String,
    /// A pattern of the problems, if it is not over all.
    #[serde(default)]
    pub problems: Option<String>,
    /// Whether an agent's mean on each cluster of problems (a dataset) is divided by the median over all agents, so that
    /// clusters count alike.
    #[serde(default)]
    pub over_medians: bool,
}

/// Rank correlations over agents of one score with others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Association {
    /// The heading.
    pub title: String,
    /// The run, if there are several.
    #[serde(default)]
    pub run: Option<String>,
    /// The score that is to be predicted, lower for better agents.
    pub score: String,
    /// Labels of the agents, if they are not all.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Patterns of its problems, a row each; without any, all problems are one row.
    #[serde(default)]
    pub problems: Vec<String>,
    /// The other scores of the same agents, a column each.
    pub with: Predictors,
    /// Whether there is a picture of the first row: the score against the last of the others.
    #[serde(default)]
    pub picture: bool,
}

/// Scores that may predict another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table as { scores = [\"SCORE\"] }")]
pub struct Predictors {
    /// The run, if it is another.
    #[serde(default)]
    pub run: Option<String>,
    /// The names of the scores.
    pub scores: Vec<String>,
    /// A pattern of the problems, if it is not over all.
    #[serde(default)]
    pub problems: Option<String>,
    /// Whether the pattern of each row chooses among these problems too.
    #[serde(default)]
    pub alike: bool,
    /// The score that partial correlations are given.
    #[serde(default)]
    pub given: Option<String>,
}

/// A table of some scores.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// The heading.
    pub title: String,
    /// The run, if there are several.
    #[serde(default)]
    pub run: Option<String>,
    /// The statistic of the scores: their mean, or the rank among the agents of the run.
    #[serde(default)]
    pub statistic: Statistic,
    /// The units of a rank's standard error.
    #[serde(default)]
    pub units: Units,
    /// The names of the scores, a column each.
    pub scores: Vec<String>,
    /// Labels of the agents, if they are not all.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Patterns of the problems, a column each, if there is one score.
    #[serde(default)]
    pub problems: Vec<String>,
}

/// A published number, or the side on which a paper says that it lies.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Published {
    /// A number with its published standard error, which is 0 if there is none.
    Number(f64, f64),
    /// Below this number.
    Below(f64),
    /// Above this number.
    Above(f64),
}

impl TryFrom<toml::Value> for Published {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let finite = |value: &toml::Value| match value {
            toml::Value::Float(number) => Some(*number).filter(|number| number.is_finite()),
            // Published integers are small.
            toml::Value::Integer(number) => Some(*number as f64),
            _ => None,
        };
        let bound = |text: &str| text.trim().parse::<f64>().ok().filter(|bound| bound.is_finite());
        let published = match &value {
            toml::Value::Array(pair) => match pair.as_slice() {
                [number, stderr] => {
                    let stderr = finite(stderr).filter(|stderr| *stderr >= 0.0);
                    finite(number).zip(stderr).map(|(number, stderr)| Self::Number(number, stderr))
                }
                _ => None,
            },
            toml::Value::String(text) => match (text.strip_prefix('<'), text.strip_prefix('>')) {
                (Some(rest), _) => bound(rest).map(Self::Below),
                (_, Some(rest)) => bound(rest).map(Self::Above),
                _ => None,
            },
            _ => finite(&value).map(|number| Self::Number(number, 0.0)),
        };
        let remedy = "this is no published number: give NUMBER, [NUMBER, STANDARD-ERROR], \"< NUMBER\" or \"> NUMBER\"";
        published.ok_or_else(|| remedy.to_owned())
    }
}

impl Run {
    /// Returns the word after an option among the arguments.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let place = self.arguments.iter().position(|word| word == name)?;
        self.arguments.get(place + 1).map(String::as_str)
    }

    /// Returns whether the agents' sweeps make its agents.
    pub(crate) fn is_sweep(&self) -> bool {
        self.arguments.first().is_some_and(|word| word == "sweep")
    }

    /// Returns the agents, as they were given before the options; none stands for those that the suite runs by itself.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().skip(1).map(String::as_str).take_while(|word| !word.starts_with("--"))
    }

    /// Returns a native agent that the run names, with its settings.
    pub fn native_agent(&self) -> Option<&str> {
        let native = |word: &&str| word.parse().is_ok_and(|spec: AgentSpec| spec.is_native());
        self.arguments.iter().map(String::as_str).find(native)
    }

    /// Returns the options, each with its value if it has one, as a shell takes them.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        for word in self.arguments.iter().skip_while(|word| !word.starts_with("--")) {
            match options.last_mut() {
                Some(option) if !word.starts_with("--") => *option = format!("{option} {}", quoted(word)),
                _ => options.push(word.clone()),
            }
        }
        options
    }
}

impl Comparison {
    /// Returns what follows the title in headings: which errors decide what agrees, or nothing if none is given.
    pub fn precision(&self) -> String {
        let mut parts = Vec::new();
        if self.reading_error > 0.0 {
            parts.push(format!("published to ±{}", self.reading_error));
        }
        if self.tolerance > 0.0 {
            parts.push(format!("differences up to {} count as none", self.tolerance));
        }
        if let Some(resolution) = self.resolution {
            parts.push(format!("uncertain with an error of more than {resolution} at 95 %"));
        }
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }
}

impl Manifest {
    /// Reads a manifest. `name` stands in messages.
    ///
    /// # Errors
    /// When it is no manifest, or names a run that it does not have.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut manifest: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
            let place = line.map(|line| format!(" in line {line}")).unwrap_or_default();
            anyhow!(
                "failed to read {name} as a manifest: {}{place}; docs/reproduce.md lists the fields",
                error.message()
            )
        })?;
        let mut left = braces::MOST_BYTES;
        for run in &mut manifest.runs {
            let words = braces::agents(&run.written, &mut left);
            run.arguments = words.with_context(|| format!("{name} is no manifest: {}", run.name))?;
        }
        manifest
            .put_labels_in_order()
            .and_then(|()| manifest.check())
            .with_context(|| format!("{name} is no manifest"))?;
        Ok(manifest)
    }

    /// Returns the paper with its figure or table, or the title of what no paper has.
    pub fn subject(&self) -> &str {
        self.paper.as_ref().unwrap_or(&self.title)
    }

    /// Writes each agent's settings in the order of their names, as plans have them.
    fn put_labels_in_order(&mut self) -> Result<()> {
        fn ordered<T>(of: BTreeMap<String, T>) -> Result<BTreeMap<String, T>> {
            let mut found = BTreeMap::new();
            for (name, value) in of {
                let label = in_order(&name);
                ensure!(found.insert(label, value).is_none(), "{name} is there twice, its settings in another order");
            }
            Ok(found)
        }
        for comparison in &mut self.comparisons {
            let Comparison { title, over, also, published, cause, fitted, .. } = comparison;
            if let Some(also) = also {
                also.agents = ordered(mem::take(&mut also.agents)).with_context(|| title.clone())?;
                also.agents.values_mut().for_each(|label| *label = in_order(label));
            }
            *over = over.as_deref().map(in_order);
            *published = ordered(mem::take(published)).with_context(|| title.clone())?;
            *cause = ordered(mem::take(cause)).with_context(|| title.clone())?;
            *fitted = ordered(mem::take(fitted)).with_context(|| title.clone())?;
        }
        let tables = self.tables.iter_mut().map(|table| &mut table.agents);
        let all = tables.chain(self.associations.iter_mut().map(|association| &mut association.agents));
        all.flatten().for_each(|name| *name = in_order(name));
        Ok(())
    }

    /// Says what each picture shows, in their order: that of bars, if there is one, before those of rank correlations.
    pub(crate) fn captions(&self) -> Vec<String> {
        let panels = self.comparisons.iter().filter(|comparison| comparison.picture);
        let panels: Vec<&str> = panels.map(|comparison| comparison.title.as_str()).collect();
        let bars = (!panels.is_empty()).then(|| {
            format!(
                "{}: ours as bars with their standard errors, the published numbers as diamonds, a dashed line at 1",
                panels.join("; ")
            )
        });
        let points = self.pictured().map(|association| format!("{}: each agent is a point", association.title));
        bars.into_iter().chain(points).collect()
    }

    /// Returns the rank correlations of which there is a picture.
    pub(crate) fn pictured(&self) -> impl Iterator<Item = &Association> {
        self.associations.iter().filter(|association| association.picture)
    }

    /// Returns whether a run is on images that whoever runs it gives by `--images`.
    pub fn asks_images(&self) -> bool {
        self.runs.iter().any(|run| run.option("--suite") == Some(IMAGES))
    }

    /// Returns the run of that name, or the only one.
    ///
    /// # Errors
    /// When there is no such run, or no name and several runs.
    pub fn run(&self, name: Option<&str>) -> Result<&Run> {
        let Some(name) = name else {
            let [only] = self.runs.as_slice() else { bail!("there are several runs, and `run` says not which") };
            return Ok(only);
        };
        let found = self.runs.iter().find(|run| run.name == name);
        found.with_context(|| {
            let names: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
            format!(
                "it has no run {name}: {}",
                guess::remedy(name, names.iter().copied(), &format!("its runs are {}", listed(&names, names.len())))
            )
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Manifest, Published};

    const HEAD: &str = r#"
        page = "testbed"
        paper = "Neural Testbed, Figure 2"
        title = "Figure 2"
        cost = "a minute"
    "#;
    pub(crate) const RUN: &str = r#"
        [[run]]
        name = "quick"
        arguments = ["run", "mlp", "--suite", "quick"]
    "#;

    pub(crate) fn defect(rest: &str) -> String {
        format!("{:#}", Manifest::parse("test.toml", &format!("{HEAD}{rest}")).unwrap_err())
    }

    #[test]
    fn published_numbers_are_numbers_or_sides() {
        let compare = r#"
            [[compare]]
            title = "KL"
            score = "kl_tau1"
            reading-error = 0.01
            published = { mlp = 1, bbb = 0.5, knn = "< 0", nng = [2, 0.5], svi = "> -1.5" }
        "#;
        let manifest = Manifest::parse("test.toml", &format!("{HEAD}{RUN}{compare}")).unwrap();
        let published: Vec<Published> = manifest.comparisons[0].published.values().copied().collect();
        // By agent: bbb, knn, mlp, nng, svi.
        let expected = [
            Published::Number(0.5, 0.0),
            Published::Below(0.0),
            Published::Number(1.0, 0.0),
            Published::Number(2.0, 0.5),
            Published::Above(-1.5),
        ];
        assert_eq!(published, expected);
        for wrong in ["\"about 1\"", "\"<\"", "true", "nan", "[1]", "[1, \"a\"]", "[1, -0.5]"] {
            let text = compare.replace("0.5", wrong);
            assert!(defect(&format!("{RUN}{text}")).contains("no published number"), "{wrong}");
        }
    }
}

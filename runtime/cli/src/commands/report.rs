//! `jointly report`: shows the leaderboard of a run, finished or not, and makes its page with pictures.

mod active;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use jointly_core::printable::ShowPath as _;
use jointly_engine::{cache, shift_suite};
use jointly_host::{Execution, Interface, Limits};
use jointly_record::agent_spec::AgentSpec;
use jointly_record::directory;
use jointly_record::directory::{RunDirectory, name};
use jointly_record::guess;
use jointly_record::kept::Kept;
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::quantity::counted;
use jointly_record::shell::quoted;
use jointly_record::unit::UnitResult;
use jointly_regression::Regression;
use jointly_report::leaderboard_text::leaderboard_text;
use jointly_report::{Choices, Other, PAIR, PARAMETER, Page, Shown, unit_table};
use jointly_score::leaderboard::Leaderboard;
use jointly_score::run_results::RunResults;
use jointly_score::scores::Scores;

use crate::data_arguments::DataArguments;
use crate::{exit, output};

/// Shows the leaderboard of a run
#[derive(Args)]
pub(crate) struct Report {
    /// The directory that `jointly run` wrote
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The agent to compare with, as the table names it [default: mlp, where it took part]
    #[arg(long, value_name = "AGENT")]
    baseline: Option<String>,
    /// Where the file goes, with --format html or parquet [default: DIR/report.html or DIR/report.parquet]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A run of the same agents and variants on real data, which the page compares with this one
    #[arg(long, value_name = "DIR")]
    real: Option<PathBuf>,
    /// A run of active learning of the same agents and variants, which the page of a run of correlations compares with
    /// it; give one for each agent that predicts, there or on the page of a run of active learning
    #[arg(long, value_name = "DIR")]
    active: Vec<PathBuf>,
    /// The level of the intervals that the page of a run of regression draws, in percent [default: 90]
    #[arg(long, value_name = "PERCENT")]
    level: Option<f64>,
    /// The setting whose values the page's Figure 3 compares [default: bootstrap]
    #[arg(long, value_name = "SETTING")]
    parameter: Option<String>,
    /// The two agents of the page's Figure 4 [default: ensemble ensemble+]
    #[arg(long, value_name = "AGENT", num_args = 2)]
    pair: Option<Vec<String>>,
    #[command(flatten)]
    data: DataArguments,
}

/// The level that pictures show by default.
const LEVEL: f64 = 0.9;

/// The remedy when a file cannot be written.
const ROOM: &str = "make room, or give another place by --output FILE";

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For a person
    Table,
    /// One row an agent
    Csv,
    /// The whole of scores.json
    Json,
    /// A page with pictures, in a file of its own
    Html,
    /// One row a unit, with all its scores, in a Parquet file for pandas, Polars, DuckDB and others
    Parquet,
}

impl Report {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        self.check()?;
        let directory = RunDirectory::existing(&self.directory)?;
        let plan = directory.plan()?;
        refuse_without_journal(&directory)?;
        if directory.is_only_read() && self.output.is_none() && matches!(self.format, Format::Html | Format::Parquet) {
            bail!(
                "{} has compressed files and is only read: say where the file goes by --output",
                self.directory.shown()
            );
        }
        // A page shows results problem by problem.
        let results = match self.format {
            Format::Html => RunResults::Held(directory.results()?),
            _ => RunResults::of(&plan, &directory, &directory.find_results(drop)?)?,
        };
        let scores = results.scores(&plan, &directory)?;
        let leaderboard = Leaderboard::new(&scores);
        let place = self.directory.shown().to_string();
        let baseline =
            self.baseline.as_deref().map(|given| baseline(&leaderboard, given, &place, &self.list())).transpose()?;
        if scores.missing() > 0 {
            let total = plan.agents.len() * plan.problems.len();
            let have = if total == 1 { "has" } else { "have" };
            output::note(&format!("{} of {} {have} no result yet", scores.missing(), counted(total, "unit")));
        }
        match self.format {
            Format::Table => output::print(&leaderboard_text(&leaderboard, baseline.as_deref()))?,
            Format::Csv => output::print(&leaderboard.to_csv())?,
            Format::Json => output::print_json(&scores)?,
            Format::Html => self.write_page(&directory, &scores, baseline.as_deref())?,
            Format::Parquet => self.write_units(&scores)?,
        }
        Ok(ExitCode::from(exit::DONE))
    }

    /// Refuses options that do not go together.
    fn check(&self) -> Result<()> {
        if self.output.is_some() && !matches!(self.format, Format::Html | Format::Parquet) {
            bail!("--output is for a file: give --format html with it, or --format parquet");
        }
        let of_page = [
            ("--real", self.real.is_some()),
            ("--active", !self.active.is_empty()),
            ("--level", self.level.is_some()),
            ("--parameter", self.parameter.is_some()),
            ("--pair", self.pair.is_some()),
        ];
        if let Some((option, _)) = of_page.iter().find(|(_, given)| *given && !matches!(self.format, Format::Html)) {
            bail!("{option} is for the page: give --format html with it");
        }
        if matches!(self.format, Format::Parquet) && self.output.as_deref() == Some(Path::new("-")) {
            bail!("a Parquet file is not text, and its reader seeks in it: give a place by --output FILE");
        }
        Ok(())
    }

    fn write_page(&self, directory: &RunDirectory, scores: &Scores, baseline: Option<&str>) -> Result<()> {
        let (pair, parameter) = (self.pair(scores.plan)?, self.parameter(scores.plan)?);
        let real = self.real.as_deref().map(|path| self.real_run(scores.plan, path)).transpose()?;
        let real_scores = real.as_ref().map(|(plan, results)| Scores::new(plan, results));
        let active = active::runs(&self.directory, scores.plan, &self.active)?;
        let active_scores: Vec<Scores> = active.iter().map(|(plan, results)| Scores::new(plan, results)).collect();
        let of_real = self.real.iter().zip(&real).map(|(path, (plan, _))| ("--real", name(path), plan));
        let of_active = self.active.iter().zip(&active).map(|(path, (plan, _))| ("--active", name(path), plan));
        let others: Vec<Other> = of_real.chain(of_active).collect();
        let page = Page {
            scores,
            choices: Choices {
                shown: self.shown(scores.plan),
                parameter,
                defaults: &|agent, name| {
                    default(directory, (scores.plan.kind().interface)(&scores.plan.suite), agent, name)
                },
                pair,
                real: real_scores.as_ref(),
                active: &active_scores,
                level: self.level(scores.plan)?,
            },
            baseline,
            directory: &name(directory.path()),
            others: &others,
            bundled: &is_bundled,
            given: &self.given(),
        };
        let path = self.output.clone().unwrap_or_else(|| self.directory.join("report.html"));
        directory::write_whole(&path, page.to_html().as_bytes(), ROOM)?;
        output::print(&path.shown().to_string())
    }

    fn write_units(&self, scores: &Scores) -> Result<()> {
        let path = self.output.clone().unwrap_or_else(|| self.directory.join("report.parquet"));
        directory::write_parts(&path, ROOM, |file| unit_table::write(scores, file))?;
        output::print(&path.shown().to_string())
    }

    /// Returns the images that the page of a run of dataset shift shows, if its data are at hand.
    fn shown(&self, plan: &Plan) -> Shown {
        match shift_suite::pictured(plan, &self.data.directories()) {
            Ok(Some(instance)) => Shown::Images(instance.into()),
            Ok(None) => Shown::Nothing,
            Err(error) => {
                output::note(&format!("the page has no images of the inputs: {error:#}"));
                Shown::Missing
            }
        }
    }

    /// Returns the options that change the page, as words of the command, except those that name other runs.
    fn given(&self) -> Vec<String> {
        let level = self.level.map(|percent| percent.to_string());
        let given = [
            ("--baseline", self.baseline.as_ref()),
            ("--level", level.as_ref()),
            ("--parameter", self.parameter.as_ref()),
        ];
        let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?.clone()])).flatten();
        let pair = self.pair.iter().flat_map(|pair| std::iter::once("--pair".to_owned()).chain(pair.iter().cloned()));
        given.chain(pair).collect()
    }

    /// Returns the hint that lists the agents of the run.
    fn list(&self) -> String {
        format!("`jointly report {}` lists its agents", quoted(&self.directory.shown().to_string()))
    }

    /// Returns the agents of Figure 4, by label or by name.
    fn pair(&self, plan: &Plan) -> Result<[String; 2]> {
        let pair = match self.pair.as_deref() {
            None => return Ok(PAIR.map(str::to_owned)),
            // As for --baseline, the settings may be in any order.
            Some(given) => given.iter().map(|given| match given.parse::<AgentSpec>() {
                Ok(spec) if !plan.agents.iter().any(|agent| agent.label == *given) => spec.settings.spec(&spec.agent),
                _ => given.clone(),
            }),
        };
        let pair: Vec<String> = pair.collect();
        let known = |name: &String| plan.agents.iter().any(|agent| agent.label == *name || agent.agent == *name);
        if let Some(unknown) = pair.iter().find(|name| !known(name)) {
            let labels = plan.agents.iter().flat_map(|agent| [agent.label.as_str(), agent.agent.as_str()]);
            let place = self.directory.shown();
            bail!("--pair: no agent {unknown} in {place}: {}", guess::remedy(unknown, labels, &self.list()));
        }
        pair.try_into().ok().context("--pair takes two agents")
    }

    /// Returns the setting of Figure 3, which must be set for some agent.
    fn parameter(&self, plan: &Plan) -> Result<&str> {
        let Some(parameter) = self.parameter.as_deref() else { return Ok(PARAMETER) };
        let given: Vec<&str> = plan.agents.iter().flat_map(|agent| agent.settings.names()).collect();
        if given.contains(&parameter) {
            return Ok(parameter);
        }
        let remedy = guess::remedy(parameter, given, "its plan.json has the settings that agents were given");
        bail!("--parameter: no agent in {} was given the setting {parameter}: {remedy}", self.directory.shown())
    }

    /// Returns the level that pictures of coverage show, which must be a level of the run's intervals.
    fn level(&self, plan: &Plan) -> Result<f64> {
        let levels = plan.options::<Regression>().map_or(&[][..], |options| &options.levels);
        let Some(percent) = self.level else {
            let usual = levels.iter().copied().find(|level| *level == LEVEL);
            return Ok(usual.or(levels.first().copied()).unwrap_or(LEVEL));
        };
        if let Some(level) = levels.iter().find(|level| (100.0 * **level - percent).abs() < 1e-9) {
            return Ok(*level);
        }
        if levels.is_empty() {
            bail!("--level is for runs of regression, and {} is not one", self.directory.shown());
        }
        let levels: Vec<String> = levels.iter().map(|level| (100.0 * level).round().to_string()).collect();
        bail!("--level: {} has intervals at {} %, not {percent} %", self.directory.shown(), levels.join(", "))
    }

    /// Reads the plan and results of the run on real data that the page compares with this one.
    fn real_run(&self, plan: &Plan, path: &Path) -> Result<(Plan, Vec<UnitResult>)> {
        let directory = RunDirectory::existing(path)?;
        let real = directory.plan()?;
        let (own, path) = (self.directory.shown(), path.shown());
        if is_of_real_data(plan) {
            bail!(
                "--real compares with a run on synthetic problems, and {own} is itself one on real data, {}; report the \
                 other run and give --real {own}",
                plan.suite
            );
        }
        if !is_of_real_data(&real) {
            bail!(
                "--real {path}: that is a run of {}, which is not real data; run the same agents with --suite testbed/real \
                 or quick/real, and give that run",
                real.suite
            );
        }
        if !plan.agents.iter().any(|mine| real.agents.iter().any(|theirs| mine.is_same(theirs))) {
            bail!("{path} has no agent with the bytes and settings of one in {own}; run the same agents on both");
        }
        Ok((real, results(&directory)?))
    }
}

/// Returns the label of the baseline that the user gave, as `run` would accept it, with its settings in any order.
/// `list` names the command that lists the agents.
pub(super) fn baseline(leaderboard: &Leaderboard, given: &str, place: &str, list: &str) -> Result<String> {
    let labels = leaderboard.labels();
    let label = match given.parse::<AgentSpec>() {
        Ok(spec) if !labels.contains(&given) => spec.settings.spec(&spec.agent),
        _ => given.to_owned(),
    };
    if !labels.contains(&label.as_str()) {
        bail!("no agent {label} in {place}: {}", guess::remedy(&label, labels, list));
    }
    Ok(label)
}

/// Returns whether a plan's suite is one of real data.
fn is_of_real_data(plan: &Plan) -> bool {
    jointly_classification::suite(&plan.suite)
        .is_some_and(|suite| suite.problems.iter().any(|problem| problem.real().is_some()))
}

/// Returns whether the bundled agent of that name has these bytes.
pub(super) fn is_bundled(agent: &PlannedAgent) -> bool {
    let bundled = jointly_bundle::find(&agent.agent);
    bundled.is_some_and(|bundled| jointly_core::digest(bundled.component) == agent.digest)
}

/// Returns the default of a setting from the run's own copy of the agent, or `None` if that cannot be loaded.
fn default(directory: &RunDirectory, interface: Interface, agent: &PlannedAgent, name: &str) -> Option<String> {
    let bytes = directory.whole(Kept::Agent, &agent.digest).ok()?;
    let loaded = cache::runtime(Execution::Compiled).ok()?.load(&bytes, Limits::default()).ok()?;
    let parameter = loaded.description().parameters_of(interface).find(|parameter| parameter.name == name)?;
    Some(parameter.default.clone())
}

/// Reads the results in a run's journal.
fn results(directory: &RunDirectory) -> Result<Vec<UnitResult>> {
    refuse_without_journal(directory)?;
    directory.results()
}

/// Refuses a run with scores but no journal.
fn refuse_without_journal(directory: &RunDirectory) -> Result<()> {
    if directory.lacks_journal() {
        bail!(
            "{} has scores but no journal, which a report is made from: read its leaderboard.csv and scores.json, or make the \
             journal again by `jointly run` as its plan.json says",
            directory.path().shown()
        );
    }
    Ok(())
}

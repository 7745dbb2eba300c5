//! `jointly suites`: lists what can be run.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_classification::Suite;
use jointly_classification::shift::{ShiftSuite, shift_suite, shift_suites};
use jointly_decisions::{DecisionSuite, decision_suite, decision_suites};
use jointly_engine::user_tables;
use jointly_record::quantity::counted;
use jointly_record::suites;
use jointly_regression::{RegressionSuite, regression_suite, regression_suites};
use jointly_report::table::wrap;
use serde_json::{Value, json};

use crate::{exit, output};

/// Lists the suites, what each measures and what it costs, or the problems of those that are named
#[derive(Args)]
pub(crate) struct Suites {
    /// A suite, such as quick/real; none means all of them
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// Print JSON, with every problem's name
    #[arg(long)]
    json: bool,
}

/// The text about user-supplied tables that replace a suite's.
const USER_TABLES: &str =
    "user-supplied tables: by --table FILE (repeated for more), in the place of the tables of SUITES
    FILE.csv: a row a line, numbers between commas, the target last; header or none
    FILE.npz: arrays x (n, d) and y (n,), float32 or float64
    30 to 50000 rows; problems are named by the file, coverage/tables/FILE/sim0; splits are drawn by the seed\n";

/// The text about the suite of imported problems, which has no list of problems.
const IMPORTED: &str = "imported: user-supplied problems, by --problem FILE.npz (repeated for more)
    arrays x_train (T, d), x_test (N, tau, d) float32; y_train (T,), y_test (N, tau) int64;
    optional log_likelihood (N,) float64, temperature, num_classes, hidden_layers
    1000 draws, 10 planes above tau 10, probits clipped\n";

impl Suites {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let (mut suites, mut regression, mut shifts, mut decisions) =
            (jointly_classification::suites(), regression_suites(), shift_suites(), decision_suites());
        if !self.suites.is_empty() {
            let names = || self.suites.iter();
            regression = names().filter_map(|name| regression_suite(name)).collect();
            shifts = names().filter_map(|name| shift_suite(name)).collect();
            decisions = names().filter_map(|name| decision_suite(name)).collect();
            let others = names().filter(|name| {
                regression_suite(name).is_none() && shift_suite(name).is_none() && decision_suite(name).is_none()
            });
            suites = others.map(|name| suites::named(name)).collect::<Result<_>>()?;
        }
        if self.json {
            let named = suites.iter().map(|suite| {
                let own = json!({ "evaluation": suite.evaluation });
                to_json(
                    &suite.name,
                    &suite.summary,
                    suite.cost(),
                    &own,
                    suite.problems.iter().map(|it| it.name.as_str()),
                )
            });
            let named = named.chain(regression.iter().map(|suite| {
                let (cost, own) = (suite.cost(), json!({ "tables": tables(suite).0, "regression": suite.options }));
                to_json(&suite.name, &suite.summary, cost, &own, suite.problems.iter().map(|it| it.name.as_str()))
            }));
            let named = named.chain(shifts.iter().map(|suite| {
                let own = json!({ "shift": suite.options });
                to_json(
                    &suite.name,
                    &suite.summary,
                    suite.cost(),
                    &own,
                    suite.problems.iter().map(|it| it.name.as_str()),
                )
            }));
            let named = named.chain(decisions.iter().map(|suite| {
                let own = json!({ "decisions": suite.options });
                to_json(
                    &suite.name,
                    &suite.summary,
                    suite.cost(),
                    &own,
                    suite.problems.iter().map(|it| it.name.as_str()),
                )
            }));
            output::print_json(&named.collect::<Vec<_>>())?;
        } else {
            let mut cards: Vec<String> = suites.iter().map(|suite| card(suite, !self.suites.is_empty())).collect();
            if self.suites.is_empty() {
                cards.push(IMPORTED.into());
            }
            cards.extend(regression.iter().map(|suite| regression_card(suite, !self.suites.is_empty())));
            cards.extend(shifts.iter().map(|suite| shift_card(suite, !self.suites.is_empty())));
            cards.extend(decisions.iter().map(|suite| decision_card(suite, !self.suites.is_empty())));
            if self.suites.is_empty() {
                let names: Vec<&str> = regression
                    .iter()
                    .filter(|suite| user_tables::has_tables(suite))
                    .map(|suite| suite.name.as_str())
                    .collect();
                cards.push(USER_TABLES.replace("SUITES", &names.join(", ")));
            }
            output::print(&wrap(&cards.join("\n"), 4))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

/// Returns a suite as JSON: the fields of every kind, and `own` fields of its kind.
fn to_json<'p>(name: &str, summary: &str, cost: &str, own: &Value, problems: impl Iterator<Item = &'p str>) -> Value {
    let mut suite = json!({ "name": name, "summary": summary, "cost": cost });
    for (field, value) in own.as_object().into_iter().flatten() {
        suite[field] = value.clone();
    }
    suite["problems"] = problems.collect();
    suite
}

/// Returns the description of a suite: its facts, its cost and further lines, with the name of one problem, or of all
/// if requested.
fn text<'p>(
    (name, summary): (&str, &str),
    facts: &str,
    cost: &str,
    more: &[String],
    (mut problems, all): (impl Iterator<Item = &'p str>, bool),
) -> String {
    let mut text = format!("{name}: {summary}\n    {facts}\n");
    if let Some(problem) = (!all).then(|| problems.next()).flatten() {
        let _ = writeln!(text, "    a problem is named like {problem}");
    }
    let _ = writeln!(text, "    {cost}");
    for line in more {
        let _ = writeln!(text, "{line}");
    }
    for problem in problems.filter(|_| all) {
        let _ = writeln!(text, "        {problem}");
    }
    text
}

/// Returns the description of a suite of classification, with its problems if requested.
fn card(suite: &Suite, problems: bool) -> String {
    let evaluation = &suite.evaluation;
    let taus: Vec<String> = evaluation.taus.iter().map(u32::to_string).collect();
    let facts = format!(
        "{}, tau {}; {} tau-samples, {} draws, {} planes{}",
        counted(suite.problems.len(), "problem"),
        taus.join(" and "),
        evaluation.samples,
        evaluation.draws,
        evaluation.planes,
        if evaluation.clip { ", probits clipped" } else { "" },
    );
    let names = suite.problems.iter().map(|problem| problem.name.as_str());
    text((&suite.name, &suite.summary), &facts, suite.cost(), &[], (names, problems))
}

/// Returns the description of a suite of regression, with its problems if requested.
fn regression_card(suite: &RegressionSuite, problems: bool) -> String {
    let levels: Vec<String> = suite.options.levels.iter().map(|level| (100.0 * level).round().to_string()).collect();
    let facts = format!(
        "{}; regression, {} draws, intervals at {} %",
        counted(suite.problems.len(), "problem"),
        suite.options.draws,
        levels.join(", ")
    );
    let (tables, made) = tables(suite);
    let these =
        if made == suite.problems.len() { "it needs".to_owned() } else { format!("{made} of its problems need") };
    let needs = format!("    {these} tables of the UCI repository (`jointly data`): {}", tables.join(", "));
    let more: Vec<String> = (!tables.is_empty()).then_some(needs).into_iter().collect();
    let names = suite.problems.iter().map(|problem| problem.name.as_str());
    text((&suite.name, &suite.summary), &facts, suite.cost(), &more, (names, problems))
}

/// Returns the description of a suite of dataset shift, with its problems if requested.
fn shift_card(suite: &ShiftSuite, problems: bool) -> String {
    let (levels, taus) = (&suite.options.levels, suite.options.taus.iter().map(u32::to_string).collect::<Vec<_>>());
    let mut shifts: Vec<&str> = levels.iter().map(|level| level.shift().name()).collect();
    shifts.dedup();
    let facts = format!(
        "{}; dataset shift, {} draws, tau {}; unshifted and at {}: {}",
        counted(suite.problems.len(), "problem"),
        suite.options.draws,
        taus.join(", "),
        counted(levels.len(), "level"),
        shifts.join(", ")
    );
    let of_shift = |shift: &&str| {
        let own = levels.iter().filter(|level| level.shift().name() == *shift);
        format!("        {}", own.map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    let more: Vec<String> = shifts.iter().filter(|_| problems).map(of_shift).collect();
    let names = suite.problems.iter().map(|problem| problem.name.as_str());
    text((&suite.name, &suite.summary), &facts, suite.cost(), &more, (names, problems))
}

/// Returns the description of a suite of decisions, with its problems if requested.
fn decision_card(suite: &DecisionSuite, problems: bool) -> String {
    let (options, count) = (&suite.options, counted(suite.problems.len(), "problem"));
    let trainings = suite.problems.iter().map(|problem| problem.schedule(options).trainings());
    let facts = format!(
        "{count}; decisions, {} actions in batches that grow by {}, so up to {}, {} draws",
        options.steps,
        options.growth,
        counted(trainings.max().unwrap_or(0), "training"),
        options.draws,
    );
    let names = suite.problems.iter().map(|problem| problem.name.as_str());
    text((&suite.name, &suite.summary), &facts, suite.cost(), &[], (names, problems))
}

/// Returns the tables that a suite's problems are made of, in order, and the number of those problems.
fn tables(suite: &RegressionSuite) -> (Vec<&str>, usize) {
    let all: Vec<&str> = suite.problems.iter().filter_map(|problem| problem.table()).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in &all {
        if !names.contains(name) {
            names.push(name);
        }
    }
    (names, all.len())
}

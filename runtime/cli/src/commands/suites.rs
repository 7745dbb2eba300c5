//! `jointly suites`: what can be run.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_classification::Suite;
use jointly_classification::shift::{ShiftSuite, shift_suite, shift_suites};
use jointly_engine::user_tables;
use jointly_record::quantity::counted;
use jointly_record::suites;
use jointly_regression::{RegressionSuite, regression_suite, regression_suites};
use serde_json::json;

use crate::table::wrap;
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

/// The text about tables in the place of a suite's.
const USER_TABLES: &str =
    "user-supplied tables: by --table FILE (repeated for more), in the place of the tables of SUITES
    FILE.csv: a row a line, numbers between commas, the target last; header or none
    FILE.npz: arrays x (n, d) and y (n,), float32 or float64
    30 to 50000 rows; problems are named by the file, coverage/tables/FILE/sim0; splits are drawn by the seed\n";

/// Not a list of problems, but a suite all the same.
const IMPORTED: &str = "imported: user-supplied problems, by --problem FILE.npz (repeated for more)
    arrays x_train (T, d), x_test (N, tau, d) float32; y_train (T,), y_test (N, tau) int64;
    optional log_likelihood (N,) float64, temperature, num_classes, hidden_layers
    1000 draws, 10 planes above tau 10, probits clipped\n";

impl Suites {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let (mut suites, mut regression, mut shifts) =
            (jointly_classification::suites(), regression_suites(), shift_suites());
        if !self.suites.is_empty() {
            let names = || self.suites.iter();
            regression = names().filter_map(|name| regression_suite(name)).collect();
            shifts = names().filter_map(|name| shift_suite(name)).collect();
            let others = names().filter(|name| regression_suite(name).is_none() && shift_suite(name).is_none());
            suites = others.map(|name| suites::named(name)).collect::<Result<_>>()?;
        }
        if self.json {
            let suites: Vec<_> = suites
                .iter()
                .map(|suite| {
                    let problems: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
                    json!({
                        "name": suite.name,
                        "summary": suite.summary,
                        "cost": cost(suite),
                        "evaluation": suite.evaluation,
                        "problems": problems,
                    })
                })
                .chain(regression.iter().map(|suite| {
                    let problems: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
                    json!({
                        "name": suite.name,
                        "summary": suite.summary,
                        "cost": regression_cost(suite),
                        "tables": tables(suite).0,
                        "regression": suite.options,
                        "problems": problems,
                    })
                }))
                .chain(shifts.iter().map(|suite| {
                    let problems: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
                    json!({
                        "name": suite.name,
                        "summary": suite.summary,
                        "cost": shift_cost(suite),
                        "shift": suite.options,
                        "problems": problems,
                    })
                }))
                .collect();
            output::print_json(&suites)?;
        } else {
            let mut cards: Vec<String> = suites.iter().map(|suite| card(suite, !self.suites.is_empty())).collect();
            if self.suites.is_empty() {
                cards.push(IMPORTED.into());
            }
            cards.extend(regression.iter().map(|suite| regression_card(suite, !self.suites.is_empty())));
            cards.extend(shifts.iter().map(|suite| shift_card(suite, !self.suites.is_empty())));
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

/// The description of a suite, and its problems if they are asked for.
fn card(suite: &Suite, problems: bool) -> String {
    let evaluation = &suite.evaluation;
    let taus: Vec<String> = evaluation.taus.iter().map(u32::to_string).collect();
    let mut text = format!("{}: {}\n", suite.name, suite.summary);
    let _ = writeln!(
        text,
        "    {}, tau {}; {} tau-samples, {} draws, {} planes{}",
        counted(suite.problems.len(), "problem"),
        taus.join(" and "),
        evaluation.samples,
        evaluation.draws,
        evaluation.planes,
        if evaluation.clip { ", probits clipped" } else { "" },
    );
    if let Some(problem) = suite.problems.first().filter(|_| !problems) {
        let _ = writeln!(text, "    a problem is named like {}", problem.name);
    }
    let _ = writeln!(text, "    {}", cost(suite));
    for problem in suite.problems.iter().filter(|_| problems) {
        let _ = writeln!(text, "        {}", problem.name);
    }
    text
}

/// The description of a suite of regression, and its problems if they are asked for.
fn regression_card(suite: &RegressionSuite, problems: bool) -> String {
    let levels: Vec<String> = suite.options.levels.iter().map(|level| (100.0 * level).round().to_string()).collect();
    let mut text = format!("{}: {}\n", suite.name, suite.summary);
    let _ = writeln!(
        text,
        "    {}; regression, {} draws, intervals at {} %",
        counted(suite.problems.len(), "problem"),
        suite.options.draws,
        levels.join(", ")
    );
    if let Some(problem) = suite.problems.first().filter(|_| !problems) {
        let _ = writeln!(text, "    a problem is named like {}", problem.name);
    }
    let _ = writeln!(text, "    {}", regression_cost(suite));
    let (names, made) = tables(suite);
    if let [_, ..] = names[..] {
        let these =
            if made == suite.problems.len() { "it needs".to_owned() } else { format!("{made} of its problems need") };
        let _ = writeln!(text, "    {these} tables of the UCI repository (`jointly data`): {}", names.join(", "));
    }
    for problem in suite.problems.iter().filter(|_| problems) {
        let _ = writeln!(text, "        {}", problem.name);
    }
    text
}

/// The description of a suite of dataset shift, and its problems if they are asked for.
fn shift_card(suite: &ShiftSuite, problems: bool) -> String {
    let taus: Vec<String> = suite.options.taus.iter().map(u32::to_string).collect();
    let mut shifts: Vec<&str> = suite.options.levels.iter().map(|level| level.shift().name()).collect();
    shifts.dedup();
    let mut text = format!("{}: {}\n", suite.name, suite.summary);
    let _ = writeln!(
        text,
        "    {}; dataset shift, {} draws, tau {}; unshifted and at {}: {}",
        counted(suite.problems.len(), "problem"),
        suite.options.draws,
        taus.join(", "),
        counted(suite.options.levels.len(), "level"),
        shifts.join(", ")
    );
    if let Some(problem) = suite.problems.first().filter(|_| !problems) {
        let _ = writeln!(text, "    a problem is named like {}", problem.name);
    }
    let _ = writeln!(text, "    {}", shift_cost(suite));
    for shift in shifts.iter().filter(|_| problems) {
        let of_shift = suite.options.levels.iter().filter(|level| level.shift().name() == *shift);
        let levels: Vec<String> = of_shift.map(ToString::to_string).collect();
        let _ = writeln!(text, "        {}", levels.join(" "));
    }
    for problem in suite.problems.iter().filter(|_| problems) {
        let _ = writeln!(text, "        {}", problem.name);
    }
    text
}

/// Measured as [those of classification](cost); what was not says so.
fn shift_cost(suite: &ShiftSuite) -> &'static str {
    match suite.name.as_str() {
        "quick/shift" => {
            "on one core, seconds a problem: mlp, temperature-scaling, ll-svi and ll-dropout 0.4, dropout 0.9, bbb 1.7, \
             ensemble 2.8"
        }
        "shift/mnist" => {
            "on one core, seconds a problem of t10k, rotated and moved alone: mlp 8, ll-svi and ll-dropout 13, dropout 57, \
             ensemble 63; all levels take five times as many predictions, and a LeNet learns for 7 minutes"
        }
        "shift/synthetic" => "on one core, seconds a problem: mlp 11; the others in proportion as on shift/mnist",
        _ => {
            "on one core, seconds a problem: not measured; about those of shift/mnist by the number of examples, test inputs, \
             levels and draws, so try one problem first"
        }
    }
}

/// The tables that a suite's problems are made of, in their order, and the number of those problems.
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

/// Measured as [those of classification](cost): the slowest problems of each suite, but where tables are large those that are
/// small. Bootstrap is of 50 networks; gp learns slowly on 1000 rows, since its cost grows with their cube.
fn regression_cost(suite: &RegressionSuite) -> &'static str {
    match suite.name.as_str() {
        "coverage/line" => "on one core, seconds a problem: linear 0.01, gp 0.02, bootstrap and concrete-dropout 0.2",
        "coverage/homoscedastic" | "coverage/heteroscedastic" | "coverage/gap" => {
            "on one core, seconds a problem: linear 0.01, concrete-dropout 1.5, bootstrap 4.5, gp 13"
        }
        "quick/coverage" => {
            "on one core, seconds a problem: linear 0.01, concrete-dropout 1.5, bootstrap 4.5, gp 13; on tables, bootstrap 1; \
             on line, 0.2"
        }
        "coverage/boston" => "on one core, seconds a problem: bootstrap 1",
        "coverage/tables" => "on one core, seconds a problem: bootstrap 1 on 366 rows, more on tables with more",
        "correlations/synthetic" | "correlations/synthetic-own" => {
            "on one core, seconds a problem: gp 0.1, ensemble 0.2, dropout 0.3, bbb and nng 0.8, hmc 4, fbnn 5"
        }
        "quick/correlations" => {
            "on one core, seconds a problem: gp 0.1, ensemble 0.2, dropout 0.3, bbb and nng 0.8, hmc 4, fbnn 5; on tables as \
             in correlations/uci"
        }
        "correlations/active-synthetic" => {
            "on one core, seconds a problem, which is eleven trainings: gp 0.7, ensemble 1.4, hmc 40"
        }
        "correlations/active" => {
            "on one core, seconds a problem, which is eleven trainings: about eleven times those of correlations/uci"
        }
        "quick/active" => {
            "on one core, seconds a problem, which is four trainings: gp 0.2, hmc 10; on tables, about four times \
             those of correlations/uci"
        }
        // What is left are splits of tables: coverage/uci and correlations/uci.
        _ => {
            "on one core, seconds a problem: on small tables, dropout and ensemble 1 to 2, gp 1 to 3, bbb and nng 3 to 5, \
             fbnn 8, hmc 5 to 15; more on large ones"
        }
    }
}

/// Measured with the bundled agents at their defaults, on one core, with `jointly run AGENT --jobs 1`: the slowest
/// problems of each suite, those with most examples.
fn cost(suite: &Suite) -> &'static str {
    match suite.name.as_str() {
        "testbed/dyadic" => {
            "on one core, seconds a problem: mlp 2, prior 37, ensemble 96, ensemble+ 126; at d 2, a tenth of it"
        }
        "quick/dyadic" => {
            "on one core, seconds a problem: mlp 1, prior 2, ensemble 92, ensemble+ 91; at size=10, a tenth"
        }
        "quick" => "on one core, seconds a problem: mlp 0.2, prior 0.5, ensemble and ensemble+ 8; at size=10, 1",
        "quick/real" => {
            "on one core, seconds a problem: mlp 1.3, prior 16, ensemble+ at size=10 13 on images, 1.5 on tables"
        }
        "testbed/real" => {
            "on one core, seconds a problem: on MNIST, mlp 2.3, ensemble+ at size=10 28; on tables, 0.3 and 2.5"
        }
        _ => {
            "on one core, seconds a problem: mlp 0.5, ensemble 9, ensemble+ 10, bbb, dropout and hypermodel 16 to 20, sgmcmc 47"
        }
    }
}

//! The suites of each kind of task, as cards.

use jointly_classification::Suite;
use jointly_classification::shift::{ShiftSuite, shift_suites};
use jointly_core::interface::Interface;
use jointly_decisions::{DecisionSuite, decision_suites};
use jointly_engine::user_tables;
use jointly_record::quantity::counted;
use jointly_regression::{RegressionSuite, regression_suites};
use serde_json::{Map, Value, json};

use super::card::Card;

/// The suites of a kind.
pub(super) struct KindCards {
    pub(super) cards: Vec<Card>,
    /// A text about problems of the kind that are in no suite.
    pub(super) more: Option<String>,
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

/// Returns the cards of all kinds, in the order in which they are listed.
pub(super) fn all() -> [KindCards; 4] {
    let suites = |cards| KindCards { cards, more: None };
    [
        KindCards {
            cards: jointly_classification::suites().iter().map(classification).collect(),
            more: Some(IMPORTED.to_owned()),
        },
        suites(regression_suites().iter().map(regression).collect()),
        suites(shift_suites().iter().map(shift).collect()),
        suites(decision_suites().iter().map(decisions).collect()),
    ]
}

/// Returns the text about user-supplied tables, with the suites that take them.
pub(super) fn user_tables() -> String {
    let suites = regression_suites().into_iter().filter(user_tables::has_tables);
    USER_TABLES.replace("SUITES", &suites.map(|suite| suite.name).collect::<Vec<_>>().join(", "))
}

fn classification(suite: &Suite) -> Card {
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
    Card {
        name: suite.name.clone(),
        summary: suite.summary.clone(),
        cost: suite.cost(),
        facts,
        fields: fields([("evaluation", json!(evaluation))]),
        problems: suite.problems.iter().map(|problem| problem.name.clone()).collect(),
        ..Card::default()
    }
}

fn regression(suite: &RegressionSuite) -> Card {
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
    Card {
        name: suite.name.clone(),
        summary: suite.summary.clone(),
        cost: suite.cost(),
        facts,
        needs: (!tables.is_empty()).then_some(needs).into_iter().collect(),
        fields: fields([("tables", json!(tables)), ("regression", json!(suite.options))]),
        problems: suite.problems.iter().map(|problem| problem.name.clone()).collect(),
        ..Card::default()
    }
}

fn shift(suite: &ShiftSuite) -> Card {
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
    Card {
        name: suite.name.clone(),
        summary: suite.summary.clone(),
        cost: suite.cost(),
        facts,
        details: shifts.iter().map(of_shift).collect(),
        fields: fields([("shift", json!(suite.options))]),
        problems: suite.problems.iter().map(|problem| problem.name.clone()).collect(),
        ..Card::default()
    }
}

fn decisions(suite: &DecisionSuite) -> Card {
    let (options, count) = (&suite.options, counted(suite.problems.len(), "problem"));
    let trainings = suite.problems.iter().map(|problem| problem.trainings(options));
    let agents = match suite.interface() {
        Interface::Classification => "",
        Interface::Regression => " of agents of regression",
    };
    let facts = format!(
        "{count}; decisions{agents}, {} actions, {}, so up to {}, {} draws",
        options.steps,
        options.batches(),
        counted(trainings.max().unwrap_or(0), "training"),
        options.draws,
    );
    Card {
        name: suite.name.clone(),
        summary: suite.summary.clone(),
        cost: suite.cost(),
        facts,
        fields: fields([("decisions", json!(options))]),
        problems: suite.problems.iter().map(|problem| problem.name.clone()).collect(),
        ..Card::default()
    }
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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

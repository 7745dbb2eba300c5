//! Regression agents that misbehave in a run: each ends as its own kind of recorded failure or in well-defined results,
//! and affects nothing else.

use serde_json::json;

use crate::command::{finish, jointly};
use crate::encounter::{Encounter, FUEL};
use crate::guests::argument;
use crate::regression::{AGENTS, arguments};
use crate::run::RunDirectory;

/// An agent that keeps its contract.
const HONEST: &str = AGENTS[0];

const COVERAGE: &str = "quick/coverage/line/sim0";
const CORRELATIONS: &str = "quick/correlations/d1/set0";
const ACTIVE: &str = "quick/active/d1/set0/batch-mig";

/// Asserts that the guest's sampling gives an invalid answer on every kind of problem.
fn invalid(guest: &str, message: &str) {
    for problem in [COVERAGE, CORRELATIONS, ACTIVE] {
        Encounter::on(guest, problem).failed("sample", "invalid-output", message);
    }
}

#[test]
pub(crate) fn nan_means() {
    invalid("nan-means", "means hold NaN at 0, expected a finite number");
}

#[test]
pub(crate) fn negative_noise() {
    invalid("negative-noise", "noise-stds hold -0.5 at 0, expected a finite number, 0 or more");
}

#[test]
pub(crate) fn short_means() {
    Encounter::on("short-means", COVERAGE).failed(
        "sample",
        "invalid-output",
        "means are 49999 numbers, expected 50000",
    );
}

#[test]
pub(crate) fn long_noise() {
    let message = "noise-stds are 50001 numbers, expected 50000";
    Encounter::on("long-noise", COVERAGE).failed("sample", "invalid-output", message);
}

#[test]
pub(crate) fn short_covariance() {
    let message = "covariances are 39999 numbers, expected 40000";
    Encounter::on("short-covariance", CORRELATIONS).failed("sample", "invalid-output", message);
}

#[test]
pub(crate) fn lopsided_covariance() {
    invalid("lopsided-covariance", "the covariance of rows 1 and 0 is");
}

#[test]
pub(crate) fn negative_variance() {
    invalid("negative-variance", "variances hold -1.0 at");
}

#[test]
pub(crate) fn infinite_covariance() {
    invalid("infinite-covariance", "covariances hold inf at 0, expected a number within 1e200 of 0");
}

#[test]
pub(crate) fn astronomical() {
    invalid("astronomical", "means hold 1e300 at 0, expected a number within 1e100 of 0");
}

#[test]
pub(crate) fn crossed_intervals() {
    invalid("crossed-intervals", "row 0 has an interval from 0.7 to -0.7, expected no upper end below its lower end");
}

#[test]
pub(crate) fn short_intervals() {
    let message = "intervals at 499 rows, expected 500";
    Encounter::on("short-intervals", COVERAGE).failed("sample", "invalid-output", message);
}

#[test]
pub(crate) fn forgetful_functions() {
    invalid("forgetful-functions", "when asked again");
}

#[test]
pub(crate) fn crowd_dependent() {
    invalid("crowd-dependent", "when asked again");
}

#[test]
pub(crate) fn lying_canonical_functions() {
    invalid("lying-canonical-functions", "when asked again");
}

#[test]
pub(crate) fn crowd_dependent_moments() {
    let guest = |problem| Encounter::on("crowd-dependent-moments", problem);
    for (problem, rows) in [(COVERAGE, 256), (CORRELATIONS, 200), (ACTIVE, 200)] {
        let said = guest(problem).failed("sample", "invalid-output", &format!("among {rows} rows and"));
        assert!(said.starts_with("the variance of row") && said.ends_with("among 4 of them"), "{said}");
    }
}

#[test]
pub(crate) fn crowd_dependent_intervals() {
    let said =
        Encounter::on("crowd-dependent-intervals", COVERAGE).failed("sample", "invalid-output", "among 500 rows and");
    assert!(said.starts_with("the lower end of row") && said.ends_with("among 4 of them"), "{said}");
}

#[test]
pub(crate) fn enormous_functions() {
    // The list takes 384 MiB in the agent; a copy of it in the command would exceed the bound.
    let encounter = Encounter::within("enormous-functions", COVERAGE, 400);
    encounter.failed("sample", "invalid-output", "too much data");
}

#[test]
pub(crate) fn diverging() {
    let said = Encounter::on("diverging", ACTIVE).failed("train", "agent-failure", "diverged: the loss is infinite");
    assert!(said.contains("try a smaller learning-rate"), "{said}");
}

/// A failure of the predicting agent is not attributed to the one that selects.
#[test]
fn a_predictor_that_fails_is_named() {
    let directory = RunDirectory::new();
    let options = ["--predict", &argument("diverging"), "--fuel", FUEL];
    let finished = finish(jointly().args(arguments(&directory, &[HONEST], "quick/active", ACTIVE, &options)));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let failure = &directory.scores()["agents"][0]["failures"][0];
    assert_eq!((&failure["phase"], &failure["kind"]), (&json!("train"), &json!("agent-failure")));
    assert!(failure["message"].as_str().unwrap().starts_with("diverging, which predicts: "), "{failure}");
}

#[test]
pub(crate) fn gives_up_on_moments() {
    let message = "there is no covariance of 256 rows";
    Encounter::on("gives-up-on-moments", COVERAGE).failed("sample", "agent-failure", message);
}

#[test]
pub(crate) fn needs_many_rows() {
    let message = "unsupported task: 5 examples are too few; give 20 or more";
    for problem in [CORRELATIONS, ACTIVE] {
        Encounter::on("needs-many-rows", problem).failed("train", "agent-failure", message);
    }
    Encounter::on("needs-many-rows", COVERAGE).scored();
}

/// It trains on 5, 12 and 19 examples, so the first two rounds are over when it begins the third.
#[test]
pub(crate) fn endless_third_training() {
    Encounter::on("endless-third-training", ACTIVE).failed("train", "out-of-fuel", "--fuel");
    Encounter::on("endless-third-training", CORRELATIONS).scored();
}

/// A problem's trainings share one limit: fuel that suffices for each of them does not suffice for all four.
#[test]
pub(crate) fn thirsty() {
    let fuel_of = |problem| {
        let encounter = Encounter::on("thirsty", problem);
        encounter.scored();
        encounter.directory.scores()["agents"][0]["problems"][0]["fuel"].as_f64().unwrap() as u64
    };
    let (all, limit) = (fuel_of(ACTIVE), fuel_of(ACTIVE) * 2 / 3);
    assert!(fuel_of(CORRELATIONS) < limit && limit < all);
    let directory = RunDirectory::new();
    let asked = Encounter::arguments(&directory, "thirsty", ACTIVE, &["--fuel", &limit.to_string()]);
    assert_eq!(finish(jointly().args(asked)).code, Some(3));
    let failure = &directory.scores()["agents"][0]["failures"][0];
    assert_eq!(failure["kind"], "out-of-fuel", "{failure}");
}

/// Asserts that scores of correlations are missing, by their names in the table, with a part of the reason.
fn absent(encounter: &Encounter, expected: &[(&str, &str)]) {
    let scores = encounter.directory.scores();
    let absences = scores["agents"][0]["absences"].as_array().unwrap();
    for (name, reason) in expected {
        let absence = absences.iter().find(|absence| absence["score"] == *name);
        let found = absence.unwrap_or_else(|| panic!("{name} is not in {absences:?}"))["reason"].as_str().unwrap();
        assert!(found.contains(reason), "{name}: {found}");
        assert!(scores["agents"][0]["problems"][0].get(*name).is_none(), "{name} has a value all the same");
    }
    let notes = encounter.notes();
    assert!(notes.contains("xllr, xll on 1 problem and has no rank; first, quick/correlations/d1/set0: "), "{notes}");
    let leaderboard = encounter.directory.read("leaderboard.csv");
    assert!(leaderboard.lines().nth(1).unwrap().starts_with("1,bootstrap,"), "{leaderboard}");
}

/// No five rows can be correlated like this: scores of their joint density have no value, and all others do.
#[test]
pub(crate) fn impossible_correlations() {
    let encounter = Encounter::on("impossible-correlations", CORRELATIONS);
    let scores = encounter.scored();
    assert!(scores["correlations"]["marginal"].is_f64() && scores["scores"]["nll"].is_f64());
    let density = "have no joint density";
    let constant = "the candidate's values are all the same";
    absent(
        &encounter,
        &[("xllr", density), ("xll", density), ("joint_nll", density), ("group_nll", density), ("xll_oracle", density)],
    );
    absent(&encounter, &[("metacorrelation", constant), ("variance_correlation_ranks", constant)]);
    for problem in [COVERAGE, ACTIVE] {
        assert!(Encounter::on("impossible-correlations", problem).scored()["scores"]["nll"].is_f64());
    }
}

/// Correlations of 1 and -1 reduce five rows to a line; against the oracle they can be compared.
#[test]
pub(crate) fn perfect_correlations() {
    let encounter = Encounter::on("perfect-correlations", CORRELATIONS);
    let scores = encounter.scored();
    let metacorrelation = scores["correlations"]["metacorrelation"].as_f64().unwrap();
    assert!((-1.0..=1.0).contains(&metacorrelation), "{metacorrelation}");
    absent(&encounter, &[("xllr", "no joint density"), ("joint_nll", "no joint density")]);
    // After one query nothing is left to learn, and queries continue.
    let rounds = Encounter::on("perfect-correlations", ACTIVE).scored()["rounds"].take();
    let train: Vec<u64> = rounds.as_array().unwrap().iter().map(|round| round["train"].as_u64().unwrap()).collect();
    assert_eq!(train, [5, 12, 19, 26]);
}

/// Ranks among three agents on one problem and two on another are not comparable, so an agent that failed somewhere is
/// compared nowhere, and does not affect the others.
#[test]
fn ranks_are_among_the_same_agents_everywhere() {
    let run = |agents: &[&str]| {
        let directory = RunDirectory::new();
        let finished =
            finish(jointly().args(arguments(&directory, agents, "quick/correlations", "*/{d1,d5}/set0", &[])));
        (directory, finished)
    };
    let (fails, thirsty) = (argument("needs-many-rows"), argument("thirsty"));
    let (without, finished) = run(&[&thirsty, HONEST]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let (directory, finished) = run(&[&fails, &thirsty, HONEST]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let (scores, expected) = (directory.scores(), without.scores());
    let (guest, others) = scores["agents"].as_array().unwrap().split_first().unwrap();
    assert_eq!(others, expected["agents"].as_array().unwrap());
    assert!(others.iter().all(|agent| agent["scores"]["xllr"]["problems"] == 2), "{others:?}");
    let leaderboard = directory.read("leaderboard.csv");
    assert!(leaderboard.lines().nth(2).unwrap().starts_with("2,"), "{leaderboard}");
    // On the problem on which it did not fail it has a belief, and scores that need no other agent.
    let problem = &guest["problems"][0];
    assert!(problem.get("metacorrelation").is_some() && problem.get("xllr").is_none(), "{guest}");
    let reason = guest["absences"].as_array().unwrap().iter().find(|absence| absence["score"] == "xllr").unwrap();
    assert!(reason["reason"].as_str().unwrap().starts_with("it failed on quick/correlations/d1/set0"), "{reason}");
    // A single remaining agent has none to be compared with.
    let (directory, _) = run(&[&fails, HONEST]);
    assert!(!directory.read("scores.json").contains("xllr"));
}

/// Asserts that certain and wrong predictions have an infinite log-likelihood loss, and all other scores are numbers.
fn certain_and_wrong(guest: &str) {
    let encounter = Encounter::on(guest, CORRELATIONS);
    let scores = encounter.scored();
    assert_eq!((&scores["scores"]["nll"], &scores["scores"]["certain"]), (&json!("inf"), &json!(200)));
    assert!(scores["scores"]["crps"].is_f64() && scores["scores"]["sharpness"] == 0.0);
    let reason = "has no variance and no noise, so no density";
    absent(&encounter, &[("xllr", reason), ("joint_nll", reason)]);
    let coverage = Encounter::on(guest, COVERAGE);
    let scores = coverage.scored();
    assert_eq!(
        (&scores["scores"]["levels"][0]["picp"], &scores["scores"]["levels"][0]["width"]),
        (&json!(0.0), &json!(0.0))
    );
    assert!(coverage.notes().contains(&format!("nll of {guest} is not finite on 1 problem")), "{}", coverage.notes());
    let rounds = Encounter::on(guest, ACTIVE).scored()["rounds"].take();
    assert!(rounds.as_array().unwrap().iter().all(|round| round["nll"] == "inf" && round["rmse"].is_f64()), "{rounds}");
}

#[test]
pub(crate) fn certain() {
    certain_and_wrong("certain");
}

#[test]
pub(crate) fn single_function() {
    certain_and_wrong("single-function");
}

/// The intervals cover everything, and no width is finite.
#[test]
pub(crate) fn endless_intervals() {
    let encounter = Encounter::on("endless-intervals", COVERAGE);
    let level = &encounter.scored()["scores"]["levels"][0];
    assert_eq!((&level["picp"], &level["width"], &level["interval"]), (&json!(1.0), &json!("inf"), &json!("inf")));
    assert!(
        encounter.notes().contains("width_70 of endless-intervals is not finite on 1 problem"),
        "{}",
        encounter.notes()
    );
}

/// Each level is scored separately; `check` finds that the next one is narrower.
#[test]
pub(crate) fn shrinking_intervals() {
    let levels = Encounter::on("shrinking-intervals", COVERAGE).scored()["scores"]["levels"].take();
    let widths: Vec<f64> = levels.as_array().unwrap().iter().map(|level| level["width"].as_f64().unwrap()).collect();
    assert!(widths.windows(2).all(|pair| pair[0] > pair[1]), "{widths:?}");
}

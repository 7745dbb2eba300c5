//! Requests for regression: listed, swept and checked, and refused in one line if they are invalid.

use crate::command::{done, finish, fits_a_terminal, is_one_line, joined, jointly, refused};
use crate::guests::argument;
use crate::regression::{AGENTS, arguments};
use crate::run::{RunDirectory, json};

const LINE: (&str, &str) = ("quick/coverage", "quick/coverage/line/sim0");
const AGENT: &str = AGENTS[0];

/// Asserts that the request is refused in a line that contains the texts, before anything is written.
pub(crate) fn refused_request(agents: &[&str], (suite, problems): (&str, &str), options: &[&str], texts: &[&str]) {
    let directory = RunDirectory::new();
    refused(arguments(&directory, agents, suite, problems, options), texts);
    assert!(!directory.path.exists());
}

#[test]
fn an_agent_that_supports_something_else_is_refused() {
    let directory = RunDirectory::new();
    for command in ["run", "sweep"] {
        let on = |agent: &str, suite: &str, problems: &str| {
            [command, agent, "--suite", suite, "--problems", problems, "--out", directory.argument()].map(String::from)
        };
        let texts = ["mlp does not support regression", "`jointly agents` lists agents that do"];
        refused(on("mlp", LINE.0, LINE.1), &texts);
        let texts = ["bootstrap does not support classification", "`jointly agents` lists agents that do"];
        refused(on("bootstrap", "quick", "quick/t10/temp0.1/seed0"), &texts);
        let guest = argument("certain");
        refused(on(&guest, "quick", "quick/t10/temp0.1/seed0"), &[&guest, "does not support classification"]);
    }
    refused_request(
        &["oracle", AGENT],
        LINE,
        &[],
        &["the oracle takes part in classification only", "quick/coverage is a suite of regression"],
    );
    let texts = ["mlp does not support regression", "`jointly agents` lists agents that do"];
    refused_request(&[AGENT], ("quick/active", "*/d1/set0/random"), &["--predict", "mlp"], &texts);
    assert!(!directory.path.exists());
}

#[test]
fn options_of_classification_are_refused() {
    for options in [
        &["--planes", "3"][..],
        &["--no-clip"],
        &["--anchors", "3"],
        &["--initialization", "glorot"],
        &["--partition", "k-means"],
    ] {
        let texts = [options[0], "is for classification, and quick/coverage is regression: leave it out"];
        refused_request(&[AGENT], LINE, options, &texts);
    }
    let texts = ["--problem is for classification, and quick/coverage is regression: give a table by --table"];
    refused_request(&[AGENT], LINE, &["--problem", "mine.npz"], &texts);
}

#[test]
fn options_of_regression_are_refused_where_they_do_not_belong() {
    let predict = ["--predict", AGENT];
    let (correlations, active) = (("quick/correlations", "*/d1/set0"), ("quick/active", "*/d1/set0/random"));
    for (suite, options, purpose) in [
        (LINE, &predict[..], "active learning"),
        (correlations, &["--rounds", "2"], "active learning"),
        (correlations, &["--noise", "exponential"], "simulated training sets"),
        (active, &["--noise", "exponential"], "simulated training sets"),
        (LINE, &["--residuals", "in-bag"], "simulations that resemble a table"),
        (correlations, &["--agent-units", "data"], "simulated training sets"),
        (LINE, &["--pool", "7"], "synthetic datasets"),
        (LINE, &["--test", "7"], "synthetic datasets"),
        (LINE, &["--standardize"], "synthetic datasets"),
        (LINE, &["--moment-draws", "7"], "correlations and active learning"),
    ] {
        let (said, none) = (format!("{} is for {purpose}, and {}", options[0], suite.0), "has none: leave it out");
        refused_request(&[AGENT], suite, options, &[&said, none]);
    }
    let texts =
        ["--residuals is for simulations that resemble a table, and quick/coverage/line/sim0 is not one", "--problems"];
    refused_request(&[AGENT], ("quick/coverage", "*/{line,boston}/sim0"), &["--residuals", "in-bag"], &texts);
    for (options, text) in [
        (["--pool", "0"], "pool is 0, expected 1 to"),
        (["--levels", "50,50"], "the level 0.5 is given twice"),
        (["--levels", "99.5"], "invalid value '99.5'"),
        (["--rounds", "0"], "invalid value '0' for '--rounds <N>'"),
    ] {
        refused_request(&[AGENT], correlations, &options, &[text]);
    }
    for options in [&predict[..], &["--noise", "normal"], &["--levels", "50"], &["--standardize"]] {
        let texts = [options[0], "is for suites of regression; see `jointly suites`"];
        refused_request(&["uniform"], ("quick", "quick/t10/temp0.1/seed0"), options, &texts);
    }
}

/// They change the plan, the name of its directory, and its heading.
#[test]
fn options_of_regression_are_the_plans() {
    let directory = RunDirectory::new();
    let options = ["--pool", "30", "--test", "20", "--moment-draws", "50", "--levels", "50,80", "--standardize"];
    let agents = [AGENT, "linear"];
    done(arguments(&directory, &agents, "quick/correlations", "*/d1/set0", &options));
    let unit = &directory.units()[0]["regression"]["scores"];
    let sizes = (&unit["correlations"]["pool"], &unit["correlations"]["rows"]);
    assert_eq!((sizes.0.as_u64(), sizes.1.as_u64()), (Some(30), Some(20)));
    let levels: Vec<f64> =
        unit["scores"]["levels"].as_array().unwrap().iter().filter_map(|l| l["level"].as_f64()).collect();
    assert_eq!(levels, [0.5, 0.8]);
    let table = joined(&done(["report", directory.argument()]));
    let said =
        "intervals of 50, 80 %, covariances of 50 draws, 30 pool points, 20 test points, synthetic data standardised";
    assert!(table.contains(said), "{table}");
    done(["verify", directory.argument()]);
}

/// In standardised units the mean is 0, so that a multiple of it is right; in the data's units it is not.
#[test]
fn agents_see_the_units_that_are_chosen() {
    let agents = ["target-average", "target-average:mean-factor=1.05"];
    let rmses = |suite: &str, options: &[&str]| {
        let directory = RunDirectory::new();
        done(arguments(&directory, &agents, suite, "*/sim0", options));
        done(["verify", directory.argument()]);
        let table = joined(&done(["report", directory.argument()]));
        let said = options.last().is_none_or(|units| table.contains(&format!("agents see {units} units")));
        assert!(said, "{table}");
        let rmse = |agent: usize| directory.scores()["agents"][agent]["scores"]["rmse"]["mean"].as_f64().unwrap();
        (rmse(0), rmse(1))
    };
    let (right, wrong) = rmses("coverage/constant", &[]);
    // The shift d = 5 adds d^2 + 2 d e to the mean squared error, where e is the mean of 100 training targets less that of
    // 500 test targets. Its standard error is 0.55; the bound is four of it.
    assert!((wrong * wrong - right * right - 25.0).abs() < 22.0, "{right} and {wrong}");
    for (suite, units) in [("coverage/constant", "standardized"), ("coverage/gap", "standardized-inputs")] {
        let (right, wrong) = rmses(suite, &["--agent-units", units]);
        assert_eq!((right - wrong).abs() < 1e-5, units == "standardized", "{suite}: {right} and {wrong}");
    }
}

/// Section 3.4 of the coverage paper; the expectations are those of `runtime/tasks/regression/src/tests/pair.rs`.
#[test]
fn the_better_likelihood_has_the_worse_intervals() {
    let directory = RunDirectory::new();
    let agents = ["target-average:deviation-factor=0.8", "target-average:mean-factor=1.02"];
    done(arguments(&directory, &agents, "coverage/constant", "*/sim{[0-9],[1-3][0-9]}", &[]));
    for (agent, (nll, coverage)) in [(3.109, 0.570), (3.111, 0.675)].into_iter().enumerate() {
        let scores = &directory.scores()["agents"][agent]["scores"];
        let mean = |name: &str| scores[name]["mean"].as_f64().unwrap();
        // Four standard errors of 40 simulations.
        assert!((mean("nll") - nll).abs() < 0.04 && (mean("picp_68") - coverage).abs() < 0.03, "{scores}");
    }
    // A Brier score of coverage is about the squared distance from 68.3 %, and tells them apart where nll does not.
    let brier = |agent: usize| directory.scores()["agents"][agent]["scores"]["picf_brier_68"]["mean"].as_f64().unwrap();
    assert!((brier(0) - 0.0127).abs() < 0.004 && brier(1) < 0.001, "{} and {}", brier(0), brier(1));
}

#[test]
fn what_is_not_there_is_refused() {
    let (suite, problem) = LINE;
    let texts = ["no problem of quick/coverage matches quick/nothing/*; a name looks like quick/coverage/line/sim0"];
    refused_request(&[AGENT], (suite, "quick/nothing/*"), &[], &texts);
    refused_request(
        &[AGENT],
        ("quick/nothing", "*"),
        &[],
        &["there is no suite quick/nothing: `jointly suites` lists all"],
    );
    refused_request(&[AGENT], LINE, &["--noise", "gumbel"], &["--noise", "normal, student-t, exponential"]);
    refused_request(&["bootstrap:size=0"], LINE, &[], &["size=0: expected a whole number of at least 1"]);
    refused_request(
        &["bootstrap:breadth=3"],
        LINE,
        &[],
        &["bootstrap has no setting breadth: `jointly agents bootstrap` describes its settings"],
    );
    let nobody = ["--predict", "nobody"];
    let active = ("quick/active", "*/d1/set0/random");
    refused_request(&[AGENT], active, &nobody, &["there is no agent nobody: `jointly agents` lists"]);
    let refuses = ["bootstrap refuses its settings", "size=0"];
    refused_request(&[AGENT], active, &["--predict", "bootstrap:size=0"], &refuses);
    refused_request(&[AGENT, AGENT], (suite, problem), &[], &["is given twice"]);
}

#[test]
fn missing_tables_are_named_with_the_remedy() {
    let directory = RunDirectory::new();
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().to_str().unwrap();
    for (problems, data) in [("*", &["--data", nothing][..]), ("*/uci/boston/*", &[])] {
        let asked = arguments(&directory, &[AGENT], "quick/coverage", problems, data);
        let finished = finish(jointly().env_remove("JOINTLY_DATA").env("XDG_DATA_HOME", "/nonexistent").args(asked));
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        let texts = [
            "there is no table boston in",
            if data.is_empty() { "/nonexistent/jointly" } else { nothing },
            "data.txt, index_features.txt, index_target.txt",
            "uci/bostonHousing",
            "--data or JOINTLY_DATA",
            "--problems of `jointly run` leaves problems out",
        ];
        is_one_line(&finished.stderr, &texts);
    }
    assert!(!directory.path.exists());
    let asked = arguments(&directory, &[AGENT], LINE.0, LINE.1, &["--data", nothing]);
    done(asked);
}

#[test]
fn a_sweep_of_regression_chooses_and_is_verified() {
    let directory = RunDirectory::new();
    let asked = ["sweep", "bootstrap:epochs=1", "--only", "size", "--suite", LINE.0];
    let rest = ["--problems", "quick/coverage/line/sim[01]", "--out", directory.argument()];
    let said = done(asked.iter().chain(&rest));
    assert!(said.contains("\nbest: bootstrap:epochs=1"), "{said}");
    let swept = json(&directory.read("sweep.json"));
    let variants = swept["agents"][0]["variants"].as_array().unwrap();
    assert_eq!((variants.len(), &swept["score"]), (4, &"nll".into()), "{swept}");
    let best = &swept["agents"][0]["choices"][0]["best"];
    assert!(variants.iter().any(|variant| variant["label"] == *best), "{swept}");
    done(["verify", directory.argument()]);
}

#[test]
fn agents_and_suites_of_regression_are_listed() {
    let agents = json(&done(["agents", "--json"]));
    let interfaces = |name: &str| {
        let agent = agents.as_array().unwrap().iter().find(|agent| agent["name"] == name).unwrap();
        agent["interfaces"].clone()
    };
    assert_eq!(interfaces("bootstrap"), serde_json::json!(["regression"]));
    assert_eq!(interfaces("uniform"), serde_json::json!(["classification"]));
    let text = done(["agents"]);
    assert!(text.contains("\nbootstrap "), "{text}");
    fits_a_terminal(&text);

    let suites = json(&done(["suites", "--json"]));
    let suite = |name: &str| suites.as_array().unwrap().iter().find(|suite| suite["name"] == name).unwrap();
    let problems = |name: &str| suite(name)["problems"].as_array().unwrap().len();
    assert_eq!((problems("coverage/line"), problems("correlations/synthetic")), (500, 250));
    assert_eq!((problems("quick/coverage"), problems("quick/correlations"), problems("quick/active")), (22, 10, 20));
    assert_eq!(suite("coverage/line")["regression"]["levels"], serde_json::json!([0.7, 0.8, 0.9, 0.95]));
    let text = done(["suites", "quick/active"]);
    assert!(text.starts_with("quick/active: ") && text.contains("quick/active/d5/set2/batch-mig"), "{text}");
}

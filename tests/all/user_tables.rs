//! User-supplied tables in place of a suite's tables: running, keeping, verifying and reusing them, and refusing invalid ones.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::command::{done, finish, joined, jointly, refused, run};
use crate::npz::{Archive, TemporaryFile};
use crate::regression::{AGENTS, arguments, scored};
use crate::run::{RunDirectory, json};

const AGENT: &str = "linear";
/// Suites of regression, each with a pattern of problems that need only tables, and the number of these problems.
const SUITES: [(&str, &str, usize); 5] = [
    ("coverage/boston", "coverage/boston/mine/sim[01]", 2),
    ("coverage/tables", "coverage/tables/mine/sim[01]", 2),
    ("coverage/uci", "coverage/uci/mine/split1[89]", 2),
    ("quick/correlations", "quick/correlations/mine/*", 2),
    ("quick/active", "quick/active/mine/seed0/*", 2),
];

/// Tolerance for scores that should be equal: `scores.json` has twelve digits.
const DIGITS: f64 = 1e-11;
/// Relative tolerance for targets near 1e-42: subnormal numbers have fewer bits.
const SUBNORMAL: f64 = 1e-3;

/// Returns sixty rows of two features and a target.
fn rows() -> Vec<(f64, f64, f64)> {
    (0..60_u32)
        .map(|i| {
            let (a, b) = (f64::from(i * 13 % 17) / 4.0, f64::from(i * 7 % 11));
            (a, b, 2.0 * a - 0.5 * b + f64::from(i * 5 % 7) / 8.0)
        })
        .collect()
}

fn text() -> String {
    let mut text = "a,b,y\n".to_owned();
    for (a, b, y) in rows() {
        writeln!(text, "{a},{b},{y}").unwrap();
    }
    text
}

fn archive() -> Vec<u8> {
    let inputs = rows().iter().flat_map(|(a, b, _)| [*a as f32, *b as f32]).collect();
    let targets = rows().iter().map(|(_, _, y)| *y).collect();
    Archive::new().array("x", &[60, 2], inputs).array("y", &[60], targets).bytes()
}

fn mine() -> TemporaryFile {
    TemporaryFile::new("mine.csv", text())
}

#[test]
fn a_table_is_run_in_every_suite_that_has_tables_and_its_directory_suffices() {
    for (suite, problems, count) in SUITES {
        let file = mine();
        let (directory, finished) = scored(&[AGENT, AGENTS[0]], suite, problems, &["--table", file.argument()]);
        assert!(joined(&finished.stdout).contains("seed 0, table mine.csv; ranked by"), "{}", finished.stdout);
        let plan = json(&directory.read("plan.json"));
        assert_eq!(
            (plan["tables"][0]["file"].as_str(), plan["problems"].as_array().unwrap().len()),
            (Some("mine.csv"), count)
        );
        let kept = plan["tables"][0]["digest"].as_str().unwrap().replace(':', "-");
        assert_eq!(directory.read(&format!("tables/{kept}.csv")), text());
        // The run's directory is enough: there is no data directory.
        drop(file);
        let nowhere = |args: &[&str]| {
            finish(jointly().env_remove("JOINTLY_DATA").env("XDG_DATA_HOME", "/nonexistent").args(args))
        };
        let verified = nowhere(&["verify", directory.argument()]);
        assert!(verified.stdout.contains(&format!("verified: {} units on {count} of", 2 * count)), "{verified:?}");
        let report = nowhere(&["report", directory.argument()]);
        assert!(finished.stdout.starts_with(report.stdout.trim_end()), "{report:?}");
        let page = directory.file("page.html");
        done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
        let html = fs::read_to_string(page).unwrap();
        assert!(html.contains("--table mine.csv") && !html.contains("NaN"), "{suite}");
    }
}

#[test]
fn what_is_kept_is_gone_on_with_and_taken_over_however_it_is_written_down() {
    let (suite, problems, _) = SUITES[2];
    let file = mine();
    let (whole, _) = scored(&[AGENT], suite, problems, &["--table", file.argument()]);
    let units = whole.read("results.jsonl");
    fs::write(whole.file("results.jsonl"), units.lines().next().unwrap().to_owned() + "\n").unwrap();
    let before = whole.read("scores.json");
    let again = run(arguments(&whole, &[AGENT], suite, problems, &["--table", file.argument()]));
    assert!(again.stderr.contains("1 of 2 units are done already; going on"), "{again:?}");
    assert_eq!(whole.read("scores.json"), before);
    // The same contents in another format.
    let other = TemporaryFile::new("mine.npz", archive());
    let options = ["--table", other.argument(), "--reuse", whole.argument()];
    let (taken, finished) = scored(&[AGENT], suite, problems, &options);
    assert!(finished.stderr.contains("2 of 2 units are taken from other runs"), "{}", finished.stderr);
    assert_eq!(taken.scores()["agents"][0]["problems"], whole.scores()["agents"][0]["problems"]);
    done(["verify", taken.argument()]);
    // Other contents under the same name.
    let changed = TemporaryFile::new("mine.csv", text().replacen("\n0,0,", "\n0,1,", 1));
    let options = ["--table", changed.argument(), "--reuse", whole.argument()];
    let (_, finished) = scored(&[AGENT], suite, problems, &options);
    assert!(finished.stderr.contains("nothing is taken from other runs"), "{}", finished.stderr);
    refused(
        arguments(&whole, &[AGENT], suite, problems, &["--table", changed.argument()]),
        &["holds another plan (this run has other bytes of the table mine.csv)"],
    );
    // Files with equal contents may have different bytes, and the directory keeps one of them.
    for (table, difference) in [
        (TemporaryFile::new("mine.csv", text().replace(',', ", ")), "other bytes of the table mine.csv"),
        (other, "tables mine.npz, not mine.csv"),
    ] {
        let asked = arguments(&whole, &[AGENT], suite, problems, &["--table", table.argument()]);
        refused(asked, &[&format!("holds another plan (this run has {difference})")]);
    }
}

#[test]
fn a_kept_table_that_was_changed_or_lost_does_not_pass_for_the_runs() {
    let (suite, problems, _) = SUITES[2];
    let file = mine();
    let (directory, _) = scored(&[AGENT], suite, problems, &["--table", file.argument()]);
    let plan = directory.read("plan.json");
    let digest = json(&plan)["tables"][0]["digest"].as_str().unwrap().to_owned();
    let kept = directory.file("tables").join(digest.replace(':', "-")).with_extension("csv");
    fs::write(&kept, text().replacen("\n0,0,", "\n0,1,", 1)).unwrap();
    refused(["verify", directory.argument()], &[kept.to_str().unwrap(), "is not the table that the plan names"]);
    fs::remove_file(&kept).unwrap();
    refused(["verify", directory.argument()], &[kept.to_str().unwrap(), "failed to read"]);
    for (from, to, said) in [
        ("mine.csv", "../mine.csv", "is not a plan that this command made: failed to read the table"),
        (digest.as_str(), "sha256:../../x", "is not a digest"),
    ] {
        fs::write(directory.file("plan.json"), plan.replacen(from, to, 1)).unwrap();
        refused(["verify", directory.argument()], &[said]);
    }
}

#[test]
fn what_is_no_table_is_refused_before_anything_is_written() {
    let (suite, problems, _) = SUITES[1];
    let refuse = |file: &TemporaryFile, suite: &str, texts: &[&str]| {
        let directory = RunDirectory::new();
        refused(arguments(&directory, &[AGENT], suite, problems, &["--table", file.argument()]), texts);
        assert!(!directory.path.exists());
    };
    let of = |name: &str, text: &str| TemporaryFile::new(name, text);
    let few = text().lines().take(21).collect::<Vec<_>>().join("\n");
    for (file, texts) in [
        (of("mine.csv", &few), ["mine.csv", "it has 20 rows, expected 30 to 50000"]),
        (of("mine.csv", &format!("{}1,oops,3\n", text())), ["line 62, column 2 (b)", "\"oops\""]),
        (of("mine.csv", &format!("{}1,2,3,4\n", text())), ["line 62", "it has 4 columns, expected 3"]),
        (of("mine.csv", &format!("{}1,2,1e38\n", text())), ["the target of row 61 is 1e38", "larger unit"]),
        (of("mine.txt", &text()), ["mine.txt", "neither .csv nor .npz"]),
        (of("boston.csv", &text()), ["called boston", "rename the file"]),
        (of("my table.csv", &text()), ["called \"my table\"", "rename the file"]),
        (of("mine.npz", &text()), ["mine.npz", "not an .npz archive"]),
    ] {
        refuse(&file, suite, &texts);
    }
    refuse(&mine(), "coverage/gap", &["coverage/gap has none: give --suite coverage/boston or coverage/tables or"]);
    refuse(&mine(), "quick", &["--table is for suites of regression; see `jointly suites`"]);
    let yours = TemporaryFile::new("yours.csv", text());
    let directory = RunDirectory::new();
    refused(
        arguments(&directory, &[AGENT], suite, problems, &["--table", mine().argument(), "--table", yours.argument()]),
        &["uses the table yours.csv: leave it out, or let --problems match one such as coverage/tables/yours/sim0"],
    );
    assert!(!directory.path.exists());
    let nowhere = ["--table", "/nowhere/mine.csv"];
    let directory = RunDirectory::new();
    refused(
        arguments(&directory, &[AGENT], suite, problems, &nowhere),
        &["/nowhere/mine.csv", "No such file", ".csv or .npz"],
    );
}

/// A power of two as a factor of the targets changes their exponents and nothing else.
#[test]
fn extreme_units_are_scored() {
    for (suite, problems, count) in SUITES {
        let scores = |scale: f64| {
            let mut text = String::new();
            for (a, b, y) in rows() {
                writeln!(text, "{a},{b},{:e}", scale * y).unwrap();
            }
            let file = TemporaryFile::new("mine.csv", text);
            let (directory, _) = scored(&[AGENT, AGENTS[0]], suite, problems, &["--table", file.argument()]);
            directory.scores()
        };
        let plain = scores(1.0);
        for (exponent, tolerance) in [(100, DIGITS), (-100, DIGITS), (-140, SUBNORMAL)] {
            let scale = 2_f64.powi(exponent);
            let scaled = scores(scale);
            let agents = |scores: &Value| scores["agents"].as_array().unwrap().clone();
            assert_eq!(agents(&scaled).len(), 2);
            for (agent, expected) in agents(&scaled).iter().zip(agents(&plain)) {
                assert_eq!((&agent["agent"], &agent["failures"]), (&expected["agent"], &json!([])));
                let problems = |agent: &Value| agent["problems"].as_array().unwrap().clone();
                assert_eq!(problems(agent).len(), count);
                for (problem, expected) in problems(agent).iter().zip(problems(&expected)) {
                    assert_eq!(covered(problem), covered(&expected), "{suite} at {scale:e}");
                    let rmse = |problem: &Value| problem["rmse"].as_f64().unwrap();
                    let (found, expected) = (rmse(problem) / scale, rmse(&expected));
                    let error = (found - expected).abs() / expected;
                    assert!(error <= tolerance, "{suite} at {scale:e}: {found}, not {expected}");
                }
            }
        }
    }
}

/// Returns the coverage of the intervals at each level.
fn covered(problem: &Value) -> Vec<(&String, &Value)> {
    let shares: Vec<_> = problem.as_object().unwrap().iter().filter(|(name, _)| name.starts_with("picp_")).collect();
    assert_eq!(shares.len(), 4, "{problem}");
    shares
}

/// A value far from all training rows may overflow an f32 when it is standardised. The data are at fault, not an agent.
#[test]
fn data_that_cannot_be_standardised_are_no_agents_failure() {
    let mut text = String::new();
    for (a, b, y) in rows() {
        writeln!(text, "{a}e-3,{b},{y}").unwrap();
    }
    text += "1e38,0,1\n";
    let file = TemporaryFile::new("mine.csv", text);
    let directory = RunDirectory::new();
    let asked = arguments(&directory, &[AGENT], "coverage/uci", "*", &["--table", file.argument()]);
    let finished = finish(jointly().args(asked));
    assert_eq!(finished.code, Some(2), "{finished:?}");
    for text in ["once standardised", "finished units are kept", "leave the problem out with --problems"] {
        assert!(finished.stderr.contains(text), "{text}: {finished:?}");
    }
    assert!(!directory.read("results.jsonl").contains("failed"));
    // A predicting agent is not at fault either.
    let directory = RunDirectory::new();
    let options = ["--table", file.argument(), "--predict", AGENT];
    let finished = finish(jointly().args(arguments(&directory, &[AGENT], "correlations/active", "*/random", &options)));
    assert!(finished.stderr.contains("once standardised"), "{finished:?}");
    assert!(!finished.stderr.contains("which predicts"), "{finished:?}");
}

//! `jointly reproduce`: the experiments, their kept runs, the pages that are made of them, and manifests of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::{done, finish, fits_a_terminal, jointly, refused, run, skipped, workspace};
use crate::run::{RunDirectory, json, read};

/// Returns the folder of the kept runs.
fn kept() -> String {
    workspace().join("docs/results").to_str().unwrap().to_owned()
}

/// Returns the listed experiments.
fn experiments(data: &Path) -> Vec<Value> {
    let list = done(["reproduce", "--json", "--kept", &kept(), "--data", data.to_str().unwrap()]);
    serde_json::from_str::<Vec<Value>>(&list).unwrap()
}

/// A manifest of two agents that always give the same, with the words of its run and of its comparison.
fn manifest(arguments: &str, compare: &str) -> String {
    format!(
        "page = \"testbed\"\ntitle = \"Equal\"\ncost = \"a second\"\n\
         [[run]]\nname = \"equal\"\narguments = [\"run\", {arguments}]\n\
         [[compare]]\ntitle = \"KL\"\nscore = \"kl_tau1\"\nreading-error = 0.0\n{compare}\n"
    )
}

const QUICK: &str =
    "\"uniform\", \"prior\", \"--suite\", \"quick\", \"--problems\", \"quick/t10/*\", \"--draws\", \"10\"";

#[test]
fn pages_say_what_follows_from_the_kept_runs() {
    let said = done(["reproduce", "--all", "--check", "--kept", &kept()]);
    assert!(said.contains("published numbers"), "{said}");
}

#[test]
fn a_page_that_says_anything_else_is_found() {
    // The whole folder is copied, so that nothing of it is changed.
    let folder = tempfile::tempdir().unwrap();
    let copied = finish(std::process::Command::new("cp").args(["-R", &kept()]).arg(folder.path()));
    assert_eq!(copied.code, Some(0), "{}", copied.stderr);
    let results = folder.path().join("results");
    let page = results.join("testbed.md");
    let text = fs::read_to_string(&page).unwrap();
    let edited = text.replacen("reproduced |", "**differs** |", 1);
    assert!(edited != text);
    fs::write(&page, edited).unwrap();
    let results = results.to_str().unwrap();
    let found = run(["reproduce", "--all", "--check", "--kept", results]);
    assert_eq!(found.code, Some(2), "{found:?}");
    for part in ["testbed.md: line ", "**differs**", "and the runs say", "jointly reproduce --all --write"] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    done(["reproduce", "--all", "--write", "--kept", results]);
    assert!(fs::read_to_string(&page).unwrap() == text);
}

#[test]
fn experiments_are_listed_with_what_they_lack() {
    let nowhere = tempfile::tempdir().unwrap();
    // A run of one's own is listed beside the kept one; here it is a copy of that, and stands in the place of another too.
    let out = nowhere.path().join("out");
    for place in ["regression/line", "regression/figure-2"] {
        let own = out.join(place);
        fs::create_dir_all(&own).unwrap();
        for file in fs::read_dir(Path::new(&kept()).join("regression/line")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), own.join(file.file_name())).unwrap();
        }
    }
    let data = nowhere.path().to_str().unwrap();
    let list = ["reproduce", "--kept", &kept(), "--data", data, "--out", out.to_str().unwrap()];
    let text = done(list);
    fits_a_terminal(&text);
    for part in ["testbed-figure-2: Neural Testbed, Figure 2", "reproduced", "differ", "needs", "/out: 1 reproduced"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let entries: Vec<Value> = serde_json::from_str(&done(list.iter().copied().chain(["--json"]))).unwrap();
    let entry = |id: &str| entries.iter().find(|entry| entry["id"] == id).unwrap();
    assert_eq!(entry("coverage-line")["own"]["reproduced"], 1);
    assert!(entry("coverage-line")["own_error"].is_null());
    assert!(entry("coverage-boston")["own"].is_null() && entry("coverage-boston")["own_error"].is_null());
    let error = entry("coverage-figure-2")["own_error"].as_str().unwrap();
    assert!(error.contains("another run than the manifest's"), "{error}");
    let some = done(["reproduce", "coverage-{line,gap}", "--kept", data, "--data", data]);
    let listed: Vec<&str> = some.lines().filter(|line| line.starts_with(char::is_alphabetic)).collect();
    assert_eq!(listed.len(), 2, "{some}");
    assert!(listed[0].starts_with("coverage-line: ") && !some.contains("no run in"), "{some}");
    refused(["reproduce", "nothing-*"], &["no experiment matches nothing-*"]);
    refused(["reproduce", "coverage-*", "--check"], &["need one experiment"]);
    refused(["reproduce", "coverage"], &["no experiment coverage", "'coverage*'"]);
    let nothing = nowhere.path().join("nothing");
    let misspelt = ["reproduce", "testbed-figure-2x", "--out", nothing.to_str().unwrap()];
    refused(misspelt, &["no experiment testbed-figure-2x", "testbed-figure-2"]);
    assert!(!nothing.exists());
    refused(
        ["reproduce", "coverage-line", "--check", "--out", nothing.to_str().unwrap()],
        &["coverage-line has no run in", "nothing; `jointly reproduce coverage-line --out ", " runs it"],
    );
    let lacks = ["reproduce", "coverage-boston", "--data", data];
    refused(
        lacks,
        &["coverage-boston needs data that are not there", "boston", "what needs none of them", "coverage-line"],
    );
}

#[test]
fn the_list_says_how_far_an_experiment_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").to_str().unwrap().to_owned();
    let list = ["reproduce", "--kept", &kept(), "--out", &out];
    let progress = || {
        let entries: Vec<Value> = serde_json::from_str(&done(list.iter().copied().chain(["--json"]))).unwrap();
        let entry = entries.into_iter().find(|entry| entry["id"] == "coverage-line").unwrap();
        assert!(entry["own"].is_null() && entry["own_error"].is_null(), "{entry}");
        entry["own_progress"].clone()
    };
    assert!(progress().is_null());
    done(["reproduce", "coverage-line", "--out", &out, "--", "--shard", "1/250"]);
    let found = progress();
    assert_eq!((found["finished"].as_u64(), found["runs"].as_u64()), (Some(0), Some(1)), "{found}");
    assert_eq!(
        (found["begun"][0]["done"].as_u64(), found["begun"][0]["units"].as_u64()),
        (Some(2), Some(500)),
        "{found}"
    );
    refused(
        ["reproduce", "coverage-line", "--check", "--out", &out],
        &[
            "0 of 1 run finished; 2 of 500 units of regression/line done; `jointly reproduce coverage-line --out ",
            " goes on",
        ],
    );
    let text = done(list);
    fits_a_terminal(&text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("0 of 1 run finished; 2 of 500 units of regression/line done"), "{text}");
}

#[test]
fn every_experiment_can_be_planned() {
    let folder = tempfile::tempdir().unwrap();
    let data = workspace().join("../shared/data");
    let (data, there) = if data.is_dir() { (data, true) } else { (folder.path().to_owned(), false) };
    let mut planned = 0;
    for experiment in experiments(&data) {
        let id = experiment["id"].as_str().unwrap();
        if !experiment["missing"].as_array().unwrap().is_empty() {
            continue;
        }
        // A folder of images is given by whoever runs it.
        if experiment["commands"].as_array().unwrap().iter().any(|it| it.as_str().unwrap().contains("shift/images")) {
            let out = folder.path().join("out");
            let found = run(["reproduce", id, "--out", out.to_str().unwrap(), "--", "--plan-only"]);
            let refused = found.code == Some(2) && found.stderr.ends_with("give their folder by --images DIR\n");
            assert!(refused, "{id}: {found:?}");
            continue;
        }
        let out = folder.path().join("out");
        let mut command = jointly();
        command.args(["reproduce", id, "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        let finished = finish(command.args(["--", "--plan-only"]));
        assert_eq!(finished.code, Some(0), "{id}: {finished:?}");
        assert!(finished.stdout.contains(" planned in "), "{id}: {finished:?}");
        planned += 1;
    }
    assert!(planned >= 5, "{planned} experiments were planned");
    if !there {
        skipped("the plans of experiments on real data", "../shared/data is not there");
    }
}

#[test]
fn an_experiment_of_a_file_runs_continues_and_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // KL of equal probabilities is far above 0.
    let compare = "published = { uniform = \"> 0\", prior = \"< -1\" }\ncause = { prior = \"No KL is below 0.\" }";
    let ratio = "[[compare]]\ntitle = \"Ratio\"\nscore = \"kl_tau1\"\nstatistic = \"ratio\"\nover = \"uniform\"\n\
                 tolerance = 5\npicture = true\npublished = { prior = 1 }\n";
    fs::write(path("equal.toml"), manifest(QUICK, compare) + ratio).unwrap();
    let arguments = ["reproduce", &path("equal.toml"), "--out", &path("out")];
    let first = run(arguments);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stderr.contains("jointly run uniform prior --suite quick"), "{}", first.stderr);
    for part in ["Ratio", "reproduced", "differs", "No KL is below 0.", "2 reproduced, 1 differs"] {
        assert!(first.stdout.contains(part), "{part}: {}", first.stdout);
    }
    let picture = fs::read_to_string(path("out/equal-1.svg")).unwrap();
    assert!(picture.contains("published: 1") && picture.contains("kl_tau1 / kl_tau1 of uniform"), "{picture}");
    let journal = fs::read(path("out/equal/results.jsonl")).unwrap();
    let again = run(arguments);
    assert_eq!((again.code, again.stdout.ends_with("2 reproduced, 1 differs\n")), (Some(0), true), "{again:?}");
    assert_eq!(fs::read(path("out/equal/results.jsonl")).unwrap(), journal);
    let json: Value =
        serde_json::from_str(&done(["reproduce", &path("equal.toml"), "--check", "--out", &path("out"), "--json"]))
            .unwrap();
    let scores: Value = serde_json::from_str(&fs::read_to_string(path("out/equal/scores.json")).unwrap()).unwrap();
    let mean = |place: usize| scores["agents"][place]["scores"]["kl_tau1"]["mean"].as_f64().unwrap();
    let ratio = json["comparisons"][1]["rows"][0]["ours"].as_f64().unwrap();
    assert!((ratio - mean(1) / mean(0)).abs() < 1e-9, "{ratio}: {scores}");
}

#[test]
fn an_option_after_the_dashes_stands_in_place_of_the_manifests() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let arguments = format!("{QUICK}, \"--fuel\", \"2e12\"");
    fs::write(path("equal.toml"), manifest(&arguments, "published = { uniform = \"> 0\" }")).unwrap();
    done(["reproduce", &path("equal.toml"), "--out", &path("out"), "--", "--plan-only", "--fuel=3e12"]);
    let plan: Value = serde_json::from_str(&fs::read_to_string(path("out/equal/plan.json")).unwrap()).unwrap();
    assert_eq!(plan["limits"]["fuel"], 3_000_000_000_000_u64);
}

/// The unknown score is known to be one after the run alone.
#[test]
fn a_comparison_that_fails_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let wrong = "[[compare]]\ntitle = \"Wrong\"\nscore = \"kl_tua1\"\npublished = { uniform = 1 }\n\
                 [[table]]\ntitle = \"Wrong table\"\nscores = [\"kl_tua1\"]\n";
    let table = "[[table]]\ntitle = \"Means\"\nscores = [\"kl_tau1\"]\n";
    fs::write(path("equal.toml"), manifest(QUICK, "published = { uniform = \"> 0\" }") + wrong + table).unwrap();
    let arguments = ["reproduce", &path("equal.toml"), "--out", &path("out")];
    let found = run(arguments);
    assert_eq!(found.code, Some(2), "{found:?}");
    for part in ["KL\n", "uniform", "Means", "1 reproduced"] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    assert!(!found.stdout.contains("Wrong"), "{}", found.stdout);
    assert!(found.stdout.ends_with("1 reproduced; 1 comparison failed\n"), "{}", found.stdout);
    for part in ["equal: Wrong: uniform has no", "equal: Wrong table: ", "did you mean `kl_tau1`?"] {
        assert!(found.stderr.contains(part), "{part}: {}", found.stderr);
    }
    let check = [arguments.as_slice(), &["--check", "--json"]].concat();
    let json: Value = serde_json::from_str(&run(check).stdout).unwrap();
    let (right, wrong) = (&json["comparisons"][0]["rows"][0], &json["comparisons"][1]["rows"]);
    assert_eq!((right["verdict"].as_str(), wrong.as_array().map(Vec::len)), (Some("reproduced"), Some(0)), "{json}");
    assert!(right["units"].as_u64().is_some_and(|units| units > 1), "{json}");
    assert_eq!(json["defects"].as_array().map(Vec::len), Some(2), "{json}");
}

/// Scores of the same run: one goes with itself, and one that is given leaves nothing of itself.
#[test]
fn scores_of_agents_are_correlated_by_rank() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let agents = "\"uniform\", \"class-average\", \"knn\", \"logistic-regression\", \"random-forest:trees=5\"";
    let words = format!("{agents}, \"--suite\", \"quick\", \"--problems\", \"quick/t10/*\", \"--draws\", \"10\"");
    let association = "[[association]]\ntitle = \"Ranks\"\nscore = \"kl_tau1\"\nproblems = [\"*\", \"*/temp0.1/*\"]\n\
                       with = { scores = [\"kl_tau1\", \"accuracy\"], given = \"kl_tau1\" }\n";
    let alike = "[[association]]\ntitle = \"Alike\"\nscore = \"kl_tau1\"\nproblems = [\"*/temp0.1/*\"]\n\
                 agents = [\"class-average\", \"knn\", \"logistic-regression\", \"random-forest:trees=5\"]\n\
                 with = { scores = [\"kl_tau1\"], alike = true }\npicture = true\n";
    let whole = manifest(&words, "published = { uniform = \"> 0\" }") + association + alike;
    fs::write(path("ranks.toml"), whole).unwrap();
    let said = done(["reproduce", &path("ranks.toml"), "--out", &path("out")]);
    let table = said.split_once("Ranks\n").unwrap().1;
    let rows: Vec<&str> = table.lines().take(3).collect();
    assert!(rows[0].contains("accuracy given kl_tau1") && !rows[0].contains("kl_tau1 given"), "{said}");
    assert!(rows[1].starts_with("* ") && rows[1].contains(" 1.00 (1.00 to 1.00) "), "{said}");
    // Accuracy is better the higher it is; ranked by it, agents are in no other order than by the score that is given.
    assert!(rows[1].contains(" -1.00 (") && rows[1].ends_with(" none"), "{said}");
    assert!(rows[2].starts_with("temp0.1 ") && rows[2].matches(" to ").count() == 2, "{said}");
    // A picture has a point for each agent.
    let picture = fs::read_to_string(path("out/ranks-1.svg")).unwrap();
    assert_eq!(picture.matches("class=\"marker\"").count(), 4, "{picture}");
    // Over the problems of temperature .1 alone on both sides, the score goes with itself.
    let row = said.split_once("Alike\n").unwrap().1.lines().nth(1).unwrap();
    assert!(row.starts_with("temp0.1 ") && row.contains(" 1.00 (1.00 to 1.00)"), "{said}");
    // The intervals are a function of the results.
    assert_eq!(done(["reproduce", &path("ranks.toml"), "--out", &path("out")]), said);
}

#[test]
fn an_agent_of_a_file_takes_part_under_its_own_name() {
    let problem = "quick/t10/temp0.1/seed0";
    let source = RunDirectory::of(&["class-average"], problem);
    let component = source.kept_agent();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let manifest = |agents: &str, published: &str| {
        let arguments = format!("{agents}, \"--suite\", \"quick\", \"--problems\", \"{problem}\"");
        fs::write(path("equal.toml"), manifest(&arguments, published)).unwrap();
        run(["reproduce", &path("equal.toml"), "--out", &path("out")])
    };
    let file = format!("\"uniform\", \"{}\"", component.to_str().unwrap());
    let found = manifest(&file, "published = { class-average = \"> 0\" }");
    assert!(found.code == Some(0) && found.stdout.contains("class-average"), "{found:?}");
    let check = || run(["reproduce", &path("equal.toml"), "--check", "--out", &path("out")]);
    assert_eq!(check().code, Some(0), "{:?}", check());
    // The run of both is not that of one, and another bundled agent is missing in it.
    let refused_as = |agents: &str, part: &str| {
        let text = fs::read_to_string(path("equal.toml")).unwrap();
        fs::write(path("equal.toml"), text.replace(&file, agents)).unwrap();
        let found = check();
        assert!(found.code == Some(2) && found.stderr.contains(part), "{part}: {found:?}");
        fs::write(path("equal.toml"), text).unwrap();
    };
    refused_as(&format!("{file}, \"prior\""), "it has 2 agents, and the manifest asks for 3");
    refused_as(&file.replace("uniform", "prior"), "it has no agent prior");
}

#[test]
fn manifests_that_do_not_fit_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let published = "published = { uniform = 1 }";
    let later = "[[run]]\nname = \"later\"\narguments = [\"run\", \"nobody\", \"--suite\", \"quick\"]\n";
    let cases = [
        (manifest("\"nobody\", \"--suite\", \"quick\"", "published = { nobody = 1 }"), "nobody"),
        (manifest("\"uniform\", \"--suite\", \"nowhere\"", published), "nowhere"),
        (manifest("\"uniform\", \"--sweet\", \"quick\"", published), "--sweet"),
        (manifest(QUICK, "published = { nobody = 1 }"), "has no agent nobody"),
        (manifest(QUICK, "published = { uniform = 1 }\nproblems = \"*/t11/*\""), "no problem of equal matches */t11/*"),
        (manifest(QUICK, "published = { uniform = \"about 1\" }"), "no published number"),
        (manifest(QUICK, "published = 1"), "in line 11"),
        (manifest(QUICK, "unknown = 1"), "in line 11"),
        (manifest(QUICK, published).replace("[[run]]", "[[runs]]"), "unknown field `runs`"),
        (
            manifest(QUICK, published).replace("[[compare]]", &format!("{later}[[compare]]\nrun = \"equal\"")),
            "later: there is no agent nobody",
        ),
    ];
    for (text, part) in cases {
        fs::write(path("wrong.toml"), text).unwrap();
        fs::remove_dir_all(path("out")).unwrap_or_default();
        let found = run(["reproduce", &path("wrong.toml"), "--out", &path("out")]);
        assert_eq!(found.code, Some(2), "{part}: {found:?}");
        assert!(found.stderr.lines().last().unwrap_or_default().contains(part), "{part}: {}", found.stderr);
        assert!(!Path::new(&path("out")).exists(), "{part}");
    }
    fs::write(path("...toml"), manifest(QUICK, published)).unwrap();
    refused(["reproduce", &path("...toml")], &["name it with letters"]);
    // A run of another suite, of other agents or with other options is not taken for that of the manifest.
    let kept = path("kept");
    let problems = ["--suite", "quick", "--problems", "quick/t10/*"];
    done([
        "run",
        "uniform",
        problems[0],
        problems[1],
        problems[2],
        problems[3],
        "--draws",
        "20",
        "--out",
        &path("kept/equal"),
    ]);
    let quick = "\"--suite\", \"quick\", \"--problems\", \"quick/t10/*\"";
    let others = [
        ("\"uniform\", \"--suite\", \"quick/real\"".to_owned(), vec!["is of the suite quick", "quick/real"]),
        (format!("\"uniform\", \"prior\", {quick}, \"--draws\", \"20\""), vec!["its agents differ", "asks for prior"]),
        (
            format!("\"uniform\", {quick}"),
            vec!["its options differ: the run has --draws 20, and the manifest asks for nothing more"],
        ),
        (format!("\"uniform\", {quick}, \"--draws\", \"30\""), vec!["asks for --draws 30"]),
    ];
    for (arguments, parts) in others {
        fs::write(path("other.toml"), manifest(&arguments, published)).unwrap();
        refused(["reproduce", &path("other.toml"), "--check", "--kept", &kept], &parts);
    }
    fs::write(path("same.toml"), manifest(&format!("\"uniform\", {quick}, \"--draws\", \"20\""), published)).unwrap();
    done(["reproduce", &path("same.toml"), "--kept", &kept, "--out", &path("same")]);
    refused(["reproduce", &path("none.toml")], &["failed to read", "none.toml"]);
    refused(["reproduce", "coverage-line", "--write"], &["--write needs --all"]);
    refused(["reproduce", "--all"], &["--all needs --check or --write"]);
}

#[test]
fn what_would_be_another_run_or_any_command_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let refused_with = |words: &[&str], parts: &[&str]| {
        let out = path("out");
        let arguments = ["reproduce", words[0], "--out", &out];
        refused(arguments.iter().chain(&words[1..]).copied(), parts);
        assert!(!Path::new(&out).exists(), "{words:?}");
    };
    refused_with(&["coverage-line", "--", "--seed", "1"], &["--seed after -- is none of", "--jobs"]);
    refused_with(&["coverage-line", "--", "--problems=*/sim1"], &["--problems after --"]);
    refused_with(&["coverage-line", "--", "--jobs", "1", "target-average"], &["target-average after -- is none of"]);
    refused_with(&["coverage-line", "--jobs", "1"], &["unexpected argument '--jobs'", "follow --, as in `-- --jobs`"]);
    refused_with(&["coverage-line", "--seed", "1"], &["unexpected argument '--seed' found; see --help"]);
    let done = path("done");
    let native = format!("\"uniform\", \"exec:touch {done}\", \"--suite\", \"quick\"");
    fs::write(path("native.toml"), manifest(&native, "published = { uniform = 1 }")).unwrap();
    refused_with(
        &[&path("native.toml")],
        &["names the native agent exec:touch", "give --native if you trust the file"],
    );
    assert!(!Path::new(&done).exists());
    fs::write(path("python.toml"), manifest("\"mine.py:size=5\", \"--suite\", \"quick\"", "published = { mine = 1 }"))
        .unwrap();
    refused_with(&[&path("python.toml")], &["names the native agent mine.py:size=5", "give --native"]);
    let started = run(["reproduce", &path("native.toml"), "--out", &path("out"), "--native"]);
    assert!(started.code == Some(2) && Path::new(&done).exists(), "{started:?}");
}

#[test]
fn standard_output_has_the_json_document_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let compare = "published = { uniform = \"> 0\", prior = [-1, 0.5] }";
    fs::write(path("equal.toml"), manifest(QUICK, compare)).unwrap();
    let first = done(["reproduce", &path("equal.toml"), "--out", &path("out"), "--json"]);
    let json: Value = serde_json::from_str(&first).unwrap();
    let rows = &json["comparisons"][0]["rows"];
    assert_eq!((&rows[0]["published"], &rows[0]["published_stderr"]), (&(-1.0).into(), &0.5.into()), "{json}");
    assert_eq!((&rows[1]["side"], &rows[1]["verdict"]), (&"above".into(), &"reproduced".into()), "{json}");
    // A number differs, and the manifest gives no cause.
    assert!(json["defects"][0].as_str().unwrap().contains("prior"), "{json}");
    let checked = run(["reproduce", &path("equal.toml"), "--out", &path("out"), "--json", "--check"]);
    assert_eq!((checked.code, serde_json::from_str::<Value>(&checked.stdout).unwrap()), (Some(2), json));
    // Scores of other agents, or of another seed, than the plan beside them.
    let scores = fs::read_to_string(path("out/equal/scores.json")).unwrap();
    for (from, to) in
        [("\"suite\": \"quick\"", "\"suite\": \"slow\""), ("\"digest\": \"sha256:", "\"digest\": \"sha256:0")]
    {
        assert!(scores.contains(from), "{scores}");
        fs::write(path("out/equal/scores.json"), scores.replacen(from, to, 1)).unwrap();
        refused(
            ["reproduce", &path("equal.toml"), "--out", &path("out"), "--check"],
            &["is of other agents, or of another suite"],
        );
    }
}

/// knn of the nearest example alone is worse than the default on these problems, so a sweep does not choose it.
#[test]
fn settings_that_a_sweep_did_not_choose_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = |agent: &str, seed: u32| {
        let options = "\"--draws\", \"20\", \"--suite\", \"quick\", \"--problems\"";
        format!(
            "page = \"testbed\"\ntitle = \"Chosen\"\ncost = \"a second\"\n\
             [[run]]\nname = \"sweep\"\narguments = [\"sweep\", \"knn\", \"--joint\", {options}, \"quick/t10/*/seed0\"]\n\
             [[run]]\nname = \"final\"\narguments = [\"run\", \"{agent}\", {options}, \"quick/t10/*/seed{seed}\"]\n\
             chosen = {{ by = \"sweep\", score = \"kl_tau1\" }}\n\
             [[table]]\ntitle = \"KL\"\nrun = \"final\"\nstatistic = \"rank\"\nscores = [\"kl_tau1\"]\n"
        )
    };
    let out = path("out");
    let reproduce = |agent: &str, seed: u32| {
        fs::write(path("chosen.toml"), text(agent, seed)).unwrap();
        fs::remove_dir_all(path("out/final")).unwrap_or_default();
        run(["reproduce", &path("chosen.toml"), "--out", &out])
    };
    let wrong = reproduce("knn:k=1", 1);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    let said = wrong.stderr.lines().last().unwrap_or_default();
    let (_, rest) = said.split_once("sweep chose ").unwrap();
    let (best, rest) = rest.split_once(" by kl_tau1").unwrap();
    assert!(best != "knn:k=1" && rest.contains("the run has knn:k=1"), "{said}");
    let right = reproduce(best, 1);
    // The only agent of a run is the first.
    assert!(right.code == Some(0) && right.stdout.contains("rank by kl_tau1"), "{right:?}");
    // A sweep of another agent is not the manifest's.
    let swept = text(best, 1).replace("[\"sweep\", \"knn\", \"--joint\"", "[\"sweep\", \"knn\", \"random-forest\"");
    fs::write(path("chosen.toml"), swept).unwrap();
    let part = run(["reproduce", &path("chosen.toml"), "--check", "--out", &path("out")]);
    assert!(part.code == Some(2) && part.stderr.contains("it has no variant of random-forest"), "{part:?}");
    let same = reproduce(best, 0);
    assert_eq!(same.code, Some(2), "{same:?}");
    assert!(same.stderr.contains("is among the problems of sweep that chose"), "{}", same.stderr);
    let none = reproduce("uniform", 1);
    assert!(none.code == Some(2) && none.stderr.contains("no variant of uniform"), "{none:?}");
}

/// Reads the scores of a run: by label and problem, the score of that name.
fn values(run: &str, score: &str) -> BTreeMap<(String, String), f64> {
    let read = |file: &str| json(&read(&Path::new(run).join(file)));
    let (plan, scores) = (read("plan.json"), read("scores.json"));
    let agents = plan["agents"].as_array().unwrap().iter().zip(scores["agents"].as_array().unwrap());
    let of = |(planned, scored): (&Value, &Value)| {
        let label = planned["label"].as_str().unwrap().to_owned();
        let problems = scored["problems"].as_array().unwrap().clone().into_iter();
        problems.map(move |problem| {
            let name = problem["problem"].as_str().unwrap().to_owned();
            ((label.clone(), name), problem[score]["mean"].as_f64().or(problem[score].as_f64()).unwrap())
        })
    };
    agents.flat_map(of).collect()
}

/// The mean of `knn:*` is computed here from the scores of all variants.
#[test]
fn a_sweep_chooses_a_variant_for_each_setting() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let out = path("out");
    let reproduce = |agents: &str, fields: &str| {
        let options = "\"--draws\", \"20\", \"--suite\", \"quick\", \"--problems\"";
        let text = format!(
            "title = \"Chosen\"\ncost = \"a second\"\n\
             [[run]]\nname = \"sweep\"\narguments = [\"sweep\", \"knn\", \"--joint\", {options}, \"*/seed0\"]\n\
             [[run]]\nname = \"final\"\narguments = [\"run\", {agents}, {options}, \"*/seed1\"]\n\
             chosen = {{ by = \"sweep\", score = \"kl_tau1\"{fields} }}\n\
             [[compare]]\ntitle = \"KL\"\nrun = \"final\"\nscore = \"kl_tau1\"\npublished = {{ \"knn:*\" = \"> 0\" }}\n\
             [[table]]\ntitle = \"KL\"\nrun = \"final\"\nagents = [\"knn:*\", \"knn:k=1\"]\nscores = [\"kl_tau1\"]\n"
        );
        fs::write(path("chosen.toml"), text).unwrap();
        fs::remove_dir_all(path("out/final")).unwrap_or_default();
        run(["reproduce", &path("chosen.toml"), "--out", &out, "--json"])
    };
    let global = reproduce("\"knn:k=1\"", "");
    assert!(global.stderr.contains("final has no agent knn:*: its run needs"), "{global:?}");
    let one = reproduce("\"knn:k=1\"", ", per-setting = true");
    assert_eq!(one.code, Some(2), "{one:?}");
    assert!(one.stderr.contains("the run lacks variants that sweep chose by kl_tau1: knn"), "{one:?}");

    let swept = values(&path("out/sweep"), "kl_tau1");
    let labels: BTreeSet<&String> = swept.keys().map(|(label, _)| label).collect();
    let agents: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
    let all = reproduce(&agents.join(", "), ", per-setting = true");
    assert_eq!(all.code, Some(0), "{all:?}");
    let found = values(&path("out/final"), "kl_tau1");
    let settings: BTreeSet<&str> = swept.keys().map(|(_, problem)| problem.strip_suffix("/seed0").unwrap()).collect();
    assert_eq!(settings.len(), 6);
    let chosen = settings.iter().map(|setting| {
        let on = |label: &&&String| swept[&((**label).clone(), format!("{setting}/seed0"))];
        *labels.iter().min_by(|a, b| on(a).total_cmp(&on(b))).unwrap()
    });
    let chosen: Vec<&String> = chosen.collect();
    assert!(chosen.iter().collect::<BTreeSet<_>>().len() > 1, "the settings differ: {chosen:?}");
    let of = |(label, setting): (&&String, &&str)| found[&((*label).clone(), format!("{setting}/seed1"))];
    let mean = chosen.iter().zip(&settings).map(of).sum::<f64>() / settings.len() as f64;
    let ours = json(&all.stdout)["comparisons"][0]["rows"][0]["ours"].as_f64().unwrap();
    assert!((ours - mean).abs() < 1e-12, "{ours} {mean}");
    let text = done(["reproduce", &path("chosen.toml"), "--check", "--out", &out]);
    let rows = text.lines().filter(|line| line.starts_with("knn:*")).count();
    assert_eq!(rows, 2, "a row of the comparison, and one of the table: {text}");

    let manifest = fs::read_to_string(path("chosen.toml")).unwrap();
    let few = manifest.replace("\"*/seed0\"", "\"*/t10/*/seed0\"").replace("\"sweep\"\n", "\"few\"\n");
    fs::write(path("few.toml"), few.replace("by = \"sweep\"", "by = \"few\"")).unwrap();
    let few = run(["reproduce", &path("few.toml"), "--out", &out]);
    assert!(few.code == Some(2) && few.stderr.contains("few has no problem of quick/t100/"), "{few:?}");
}

/// The second run has another agent on other problems, all of one weight.
#[test]
fn a_mean_is_over_the_datasets_of_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let reproduce = |second: &str| {
        let section = |name: &str, agent: &str, problems: &str| {
            format!(
                "[[run]]\nname = \"{name}\"\narguments = [\"run\", \"{agent}\", \"--suite\", \"quick\", \"--draws\", \"20\", \
                 \"--problems\", \"{problems}\"]\n"
            )
        };
        let text = format!(
            "title = \"Means\"\ncost = \"a second\"\n{}{}[[compare]]\ntitle = \"KL\"\nrun = \"a\"\nscore = \"kl_tau1\"\n\
             also = {{ run = \"b\", agents = {{ knn = \"knn:k=1\" }} }}\npublished = {{ knn = 1 }}\n",
            section("a", "knn", "quick/t10/*/seed0"),
            section("b", "knn:k=1", second)
        );
        fs::write(path("means.toml"), text).unwrap();
        run(["reproduce", &path("means.toml"), "--out", &path("out"), "--json"])
    };
    let twice = reproduce("quick/t10/*/seed0");
    assert!(twice.code == Some(2) && twice.stderr.contains("both runs have quick/t10/"), "{twice:?}");
    fs::remove_dir_all(path("out/b")).unwrap();
    let found = reproduce("quick/t100/*/seed[0-1]");
    assert_eq!(found.code, Some(0), "{found:?}");
    let (own, other) = (values(&path("out/a"), "kl_tau1"), values(&path("out/b"), "kl_tau1"));
    let all: Vec<f64> = own.values().chain(other.values()).copied().collect();
    assert_eq!((own.len(), all.len()), (3, 9));
    let ours = json(&found.stdout)["comparisons"][0]["rows"][0]["ours"].as_f64().unwrap();
    assert!((ours - all.iter().sum::<f64>() / 9.0).abs() < 1e-12, "{ours} {all:?}");
}

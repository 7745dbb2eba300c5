//! Native agents: processes and servers outside the sandbox, honest and not.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::{done, finish, jointly, refused, run, skipped, workspace};
use crate::run::{PROBLEM, RunDirectory};

const PROBLEMS: &str = "quick/t10/temp0.1/*";

fn file() -> PathBuf {
    workspace().join("tests/native/agent.py")
}

/// Returns the agent that misbehaves as a mode says.
fn agent(mode: &str) -> String {
    format!("exec:python3 '{}' {mode}", file().display())
}

/// Returns whether agents in Python can be run here; where continuous integration runs, they must be.
fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    let must = std::env::var_os("JOINTLY_CI").is_some_and(|ci| ci == "1");
    assert!(there || !must, "there is no python3");
    if !there {
        skipped("native agents", "there is no python3");
    }
    there
}

/// Runs the agent of a mode on three problems and returns its journal, in the order in which units ended.
fn journal(mode: &str, options: &[&str]) -> Vec<Value> {
    let directory = RunDirectory::new();
    let options = [&["--jobs", "1"], options].concat();
    let finished = directory.run(&[&agent(mode)], PROBLEMS, &options);
    assert!(matches!(finished.code, Some(0 | 3)), "{finished:?}");
    directory.read("results.jsonl").lines().map(crate::run::json).collect()
}

#[test]
fn an_image_of_a_bundled_agent_has_its_scores_to_the_bit_and_another_tier() {
    if !python() {
        return;
    }
    let native = file();
    let directory = RunDirectory::of(&[native.to_str().unwrap(), "uniform", "mlp"], PROBLEMS);
    let scores = directory.scores();
    let [native, uniform, mlp] = [0, 1, 2].map(|at| &scores["agents"][at]);
    for name in ["kl_tau1", "kl_tau100", "accuracy", "ece", "smooth_ece"] {
        assert_eq!(native["scores"][name], uniform["scores"][name], "{name}");
    }
    assert_eq!((&native["tier"], &uniform["tier"]), (&"reported".into(), &Value::Null));
    assert_eq!((&native["scores"]["fuel"], mlp["scores"]["fuel"].is_null()), (&Value::Null, false));
    let header = directory.read("leaderboard.csv");
    assert!(header.starts_with("rank,agent,settings,digest,problems,failures,tier,"), "{header}");
    let shown = done(["report", directory.argument()]);
    assert!(shown.contains("native   reported") && shown.contains("mlp      replayed"), "{shown}");
    assert!(shown.contains("reported: native ran outside the sandbox"), "{shown}");
    done(["report", directory.argument(), "--format", "html"]);
    assert!(directory.read("report.html").contains("reported"));
}

#[test]
fn verify_replays_components_and_says_what_it_cannot_replay() {
    if !python() {
        return;
    }
    let directory = RunDirectory::of(&[&agent("fair"), "uniform"], PROBLEM);
    let text = done(["verify", directory.argument()]);
    assert!(
        text.contains(
            "verified: 1 unit on 1 of 18 problems of quick, the same to the bit; 1 agent replayed, 1 reported"
        ),
        "{text}"
    );
    let pack = directory.file("entry.jointly");
    done(["pack", directory.argument(), "--output", pack.to_str().unwrap()]);
    assert_eq!(done(["verify", pack.to_str().unwrap()]).split_once(": ").unwrap().1, text.split_once(": ").unwrap().1);
    let table = done(["leaderboard", pack.to_str().unwrap()]);
    assert!(table.contains("reported"), "{table}");
    // Scores that do not follow from the journal are found without the agent.
    let journal = directory.read("results.jsonl");
    let (line, rest) = journal.split_once('\n').unwrap();
    let changed = line.replacen("\"ece\":0.", "\"ece\":0.1", 1);
    assert_ne!(changed, line);
    std::fs::write(directory.file("results.jsonl"), format!("{changed}\n{rest}")).unwrap();
    let finished = run(["verify", directory.argument()]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stdout.contains("verification failed"), "{finished:?}");
}

#[test]
fn every_way_to_fail_is_recorded_and_the_next_unit_has_a_new_process() {
    if !python() {
        return;
    }
    let expected = [
        ("dies", "train", "trapped", "the process ended (exit status: 3); its log ends: no memory on the device"),
        ("prints", "train", "invalid-output", "standard output is the connection: print to standard error"),
        ("raises", "train", "agent-failure", "ValueError: singular matrix"),
        ("nan", "sample", "invalid-output", "a probability that is not finite at row 0 of draw 0"),
        ("sum", "sample", "invalid-output", "probabilities that sum to 1.39"),
        (
            "shape",
            "sample",
            "invalid-output",
            "answers with probs float32 (1, 100), expected probs float32 (1, 100, 2)",
        ),
        ("dtype", "sample", "invalid-output", "answers with probs float64 (1, 100, 2), expected"),
        ("huge", "sample", "invalid-output", "answers with probs float32 (1000000000000000, 100, 2), expected"),
        ("half", "sample", "trapped", "the process ended (exit status: 0)"),
        ("header", "sample", "invalid-output", "sends a header of more than 16 MiB"),
        ("twice", "sample", "invalid-output", "expected probs float32 ("),
        ("company", "sample", "invalid-output", "among others and"),
    ];
    for (mode, phase, kind, message) in expected {
        for unit in journal(mode, &[]) {
            let failure = &unit["failed"];
            assert_eq!((&failure["phase"], &failure["kind"]), (&phase.into(), &kind.into()), "{mode}: {unit}");
            assert!(failure["message"].as_str().unwrap().contains(message), "{mode}: {unit}");
        }
    }
    let units = journal("dies-second", &[]);
    let failed: Vec<bool> = units.iter().map(|unit| !unit["failed"].is_null()).collect();
    assert_eq!(failed, [false, true, false]);
}

#[test]
fn an_agent_that_hangs_is_ended_at_its_time_limit() {
    if !python() {
        return;
    }
    for unit in journal("hangs", &["--request-timeout", "1"]) {
        assert_eq!((&unit["failed"]["kind"], &unit["failed"]["phase"]), (&"timed-out".into(), &"train".into()));
        assert!(unit["failed"]["message"].as_str().unwrap().contains("more than 1 s"), "{unit}");
    }
    // The command was one of several of `sh`, and all that it started has ended.
    let compound = format!("exec:cd / && python3 '{}' hangs {}; true", file().display(), std::process::id());
    let directory = RunDirectory::new();
    directory.run(&[&compound], PROBLEM, &["--request-timeout", "1"]);
    let listed =
        Command::new("sh").args(["-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"]).output().unwrap();
    let trace = format!("hangs {}", std::process::id());
    assert!(!String::from_utf8_lossy(&listed.stdout).contains(&trace));
}

#[test]
fn who_waits_for_slow_imports_is_told() {
    if !python() {
        return;
    }
    let slow = format!("exec:sleep 6; python3 '{}'", file().display());
    let said = RunDirectory::new().run(&[&slow], PROBLEM, &[]).stderr;
    assert!(said.starts_with("waiting for exec:sleep 6;") && said.contains("to describe itself"), "{said}");
    let quick = RunDirectory::new().run(&[&agent("")], PROBLEM, &[]).stderr;
    assert!(!quick.contains("waiting"), "{quick}");
}

#[test]
fn an_agent_that_ends_while_its_child_lives_is_seen_to_have_ended() {
    if !python() {
        return;
    }
    for unit in journal("leaves-child", &["--request-timeout", "20"]) {
        assert_eq!(unit["failed"]["kind"], "trapped", "{unit}");
        assert!(unit["seconds"].as_f64().unwrap() < 10.0, "{unit}");
    }
}

#[test]
fn what_cannot_be_started_ends_the_command_before_any_unit() {
    if !python() {
        return;
    }
    let refuse = |agent: &str, texts: &[&str]| {
        refused(["run", agent, "--suite", "quick", "--problems", PROBLEM], texts);
    };
    refuse("no-such.py", &["failed to start no-such.py", "give the path of a .py"]);
    let folder = tempfile::tempdir().unwrap();
    let silent = folder.path().join("silent.py");
    std::fs::write(&silent, "class Mine:\n    pass\n").unwrap();
    refuse(silent.to_str().unwrap(), &["exit status: 0", "the file of an agent ends with je.serve(MyAgent())"]);
    refuse("socket:/no/such.sock", &["failed to start socket:/no/such.sock", "start the agent"]);
    refuse("exec:no-such-command", &["failed to start exec:no-such-command", "exit status: 127", "not found"]);
    refuse(&agent("version"), &["speaks protocol 2 and this command speaks protocol 1"]);
    refuse(&format!("{} :slope=1", agent("fair")), &["has no setting slope"]);
    let failed = run(["run", &agent("import"), "--suite", "quick", "--problems", PROBLEM]);
    assert_eq!(failed.code, Some(2));
    let expected = [
        "the process ended (exit status: 1)",
        "name its interpreter by 'exec:PYTHON FILE.py'",
        "Traceback (most recent call last)",
        "import no_such_module",
    ];
    assert!(expected.iter().all(|text| failed.stderr.contains(text)), "{failed:?}");
}

#[test]
fn a_run_continues_in_shards_and_a_plan_from_elsewhere_starts_no_command_unasked() {
    if !python() {
        return;
    }
    let whole = RunDirectory::of(&[&agent("fair"), "uniform"], PROBLEMS);
    let planned = RunDirectory::new();
    let finished = planned.run(&[&agent("fair"), "uniform"], PROBLEMS, &["--plan-only"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let other = RunDirectory::new();
    let like = ["run", "--like", planned.argument(), "--out", other.argument()];
    let finished = run(like);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("names 1 native agent (above)"), "{}", finished.stderr);
    let shards = [RunDirectory::new(), RunDirectory::new()];
    for (at, shard) in shards.iter().enumerate() {
        let share = ["--native", "--shard", &format!("{}/2", at + 1)].map(str::to_owned);
        done(like[..3].iter().map(ToString::to_string).chain(share).chain(["--out".into(), shard.argument().into()]));
    }
    let [one, two] = [&shards[0], &shards[1]].map(RunDirectory::argument);
    done(["merge", other.argument(), one, two]);
    assert_eq!(other.read("scores.json"), whole.read("scores.json"));
    // The run continues from its journal, wherever the agent is reached.
    let journal = whole.read("results.jsonl");
    let first = journal.lines().next().unwrap();
    std::fs::write(whole.file("results.jsonl"), format!("{first}\n")).unwrap();
    let elsewhere = format!("exec:env A=1 python3 '{}' fair", file().display());
    let finished = whole.run(&[&elsewhere, "uniform"], PROBLEMS, &["--jobs", "2"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(whole.read("results.jsonl").lines().count(), 6);
    assert_eq!(other.read("scores.json"), whole.read("scores.json"));
    // An agent that describes itself in another way is another plan.
    let finished = whole.run(&[&agent("renamed"), "uniform"], PROBLEMS, &[]);
    assert!(finished.stderr.contains("holds another plan"), "{finished:?}");
}

/// Changes the plan of a run.
fn change_plan(directory: &RunDirectory, change: impl FnOnce(&mut Value)) {
    let mut plan = crate::run::json(&directory.read("plan.json"));
    change(&mut plan);
    std::fs::write(directory.file("plan.json"), serde_json::to_string_pretty(&plan).unwrap()).unwrap();
}

#[test]
fn a_plan_that_was_sent_starts_nothing_and_says_all_that_it_would_start() {
    if !python() {
        return;
    }
    // As the agent that predicts.
    let directory = RunDirectory::new();
    let mark = directory.path.with_file_name("started");
    let fair = agent("fair");
    let suite = ["--suite", "quick/active", "--problems", "quick/active/d1/set0/random", "--out", directory.argument()];
    let finished = finish(jointly().args(["run", "linear", "--predict", &fair]).args(suite));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.contains("reported"), "{}", finished.stdout);
    assert_eq!(directory.scores()["agents"][0]["tier"], "reported");
    let text = done(["verify", directory.argument()]);
    assert!(text.contains("all its results are reported: nothing can be replayed"), "{text}");
    let touch = format!("exec:touch {}", mark.display());
    change_plan(&directory, |plan| plan["regression"]["predictor"]["reported"] = touch.clone().into());
    run(["verify", directory.argument()]);
    assert!(!mark.exists());
    // Beside a harmless one.
    let directory = RunDirectory::of(&[&fair, "uniform"], PROBLEM);
    change_plan(&directory, |plan| plan["agents"][1]["reported"] = touch.clone().into());
    let finished = run(["run", "--like", directory.argument(), "--out", mark.to_str().unwrap()]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains(&fair) && finished.stderr.contains(&touch), "{}", finished.stderr);
    assert!(finished.stderr.contains("names 2 native agents (above)"), "{}", finished.stderr);
    assert!(!mark.exists());
}

#[test]
fn what_is_reported_is_never_shown_as_replayed() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    change_plan(&directory, |plan| plan["agents"][0]["reported"] = "exec:true".into());
    let other = RunDirectory::new();
    let finished = other.run(&["uniform"], PROBLEM, &["--reuse", directory.argument()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("uniform on"), "the unit runs again: {}", finished.stderr);
    for place in ["", "nonsense", "mlp"] {
        change_plan(&directory, |plan| plan["agents"][0]["reported"] = place.into());
        let finished = run(["verify", directory.argument()]);
        assert_eq!(finished.code, Some(2), "{place}");
        assert!(finished.stderr.contains("is no native agent"), "{finished:?}");
    }
    change_plan(&directory, |plan| {
        plan["agents"][0]["reported"] = "exec:true".into();
        plan["limits"]["timeout"] = 0.into();
    });
    let finished = run(["report", directory.argument()]);
    assert!(finished.stderr.contains("time limit is 0 s"), "{finished:?}");
}

#[test]
fn check_says_what_holds_to_the_bit_and_what_within_the_tolerance() {
    if !python() {
        return;
    }
    let fair = done(["check", &agent("fair")]);
    assert!(fair.ends_with("native keeps all 36 clauses\n"), "{fair}");
    assert!(!fair.contains("near"), "{fair}");
    let near = done(["check", &agent("near")]);
    assert!(near.contains("near  rows-alone") && near.contains("not to the bit"), "{near}");
    assert!(near.contains("of them within the tolerance and not to the bit"), "{near}");
    let finished = run(["check", &agent("company"), "--json"]);
    assert_eq!(finished.code, Some(2));
    let verdicts = crate::run::json(&finished.stdout);
    let alone = verdicts.as_array().unwrap().iter().find(|verdict| verdict["clause"] == "rows-alone").unwrap();
    assert_eq!(alone["ok"], false);
}

#[test]
fn regression_too_with_settings() {
    if !python() {
        return;
    }
    let directory = RunDirectory::new();
    let agents = [format!("{} :slope=0.5", agent("fair")), agent("fair")];
    let suite =
        ["--suite", "quick/coverage", "--problems", "quick/coverage/line/sim[01]", "--out", directory.argument()];
    let finished = finish(jointly().arg("run").args(&agents).args(suite));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let scores = directory.scores();
    let error = |at: usize| scores["agents"][at]["scores"]["rmse"]["mean"].as_f64().unwrap();
    assert!((error(0) - error(1)).abs() > 0.1, "{} and {}", error(0), error(1));
    assert!(finished.stdout.contains("native:slope=0.5"), "{}", finished.stdout);
}

#[test]
fn an_agent_in_r_from_the_specification_alone() {
    let r = Command::new("Rscript").args(["-e", "library(jsonlite)"]).output();
    let there = r.is_ok_and(|output| output.status.success());
    let must = std::env::var_os("JOINTLY_CI").is_some_and(|ci| ci == "1");
    assert!(there || !must, "there is no Rscript with jsonlite");
    if !there {
        skipped("an agent in R", "there is no Rscript with jsonlite; run `make toolchains`");
        return;
    }
    let agent = format!("exec:Rscript '{}'", workspace().join("examples/r/logistic.R").display());
    assert!(done(["check", &agent]).contains("r-logistic keeps all 18 clauses"));
    let directory = RunDirectory::of(&[&agent, "uniform"], PROBLEMS);
    let scores = directory.scores();
    let kl = |at: usize| scores["agents"][at]["scores"]["kl_aggregate"]["mean"].as_f64().unwrap();
    assert!(kl(0) < kl(1), "{} and {}", kl(0), kl(1));
}

/// A server that is ended with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server on a socket, runs it beside `uniform`, and checks that it has the same scores.
fn serve(mode: &str, jobs: &str) {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("agent.sock");
    let server = Command::new("python3").arg(file()).arg(mode).arg(&socket).spawn().unwrap();
    let _server = Server(server);
    let end = Instant::now() + Duration::from_secs(20);
    while !socket.exists() && Instant::now() < end {
        std::thread::yield_now();
    }
    let directory = RunDirectory::new();
    let agent = format!("socket:{}", socket.display());
    let finished = directory.run(&[&agent, "uniform"], PROBLEMS, &["--jobs", jobs]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let scores = directory.scores();
    assert_eq!(scores["agents"][0]["scores"]["kl_tau1"], scores["agents"][1]["scores"]["kl_tau1"]);
}

#[test]
fn a_server_on_a_socket_answers_several_units_at_once() {
    serve("listen", "2");
}

#[test]
fn a_server_that_closes_a_connection_between_units_fails_none() {
    serve("listen-for-one", "1");
}

//! `jointly contest`: from start to end, with a cheat, and what each party can try.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{done, joined, refused, run};
use crate::guests::argument;
use crate::run::RunDirectory;

/// The options of the contests of these tests.
const RULES: [&str; 4] = ["--suite", "quick", "--problems", "quick/t10/temp0.1/seed0"];

/// A folder in which a contest and its secrets are.
pub(crate) struct Contest {
    folder: tempfile::TempDir,
}

impl Contest {
    /// Opens a contest with further options.
    fn open(options: &[&str]) -> Self {
        let contest = Self { folder: tempfile::tempdir().unwrap() };
        done(["contest", "open", &contest.argument()].iter().chain(&RULES).chain(options));
        contest
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("c")
    }

    fn argument(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    /// Returns the path of a file beside the contest.
    fn beside(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn enter(&self, agents: &[&str], options: &[&str]) -> String {
        done(["contest", "enter", &self.argument()].iter().chain(agents).chain(options))
    }

    fn close(&self) -> String {
        done(["contest", "close", &self.argument()])
    }

    fn check(&self) -> String {
        done(["contest", "check", &self.argument()])
    }

    /// Returns a file of the contest.
    pub(crate) fn json(&self, name: &str) -> Value {
        json(&self.path().join(name))
    }

    /// Returns the files in a folder of the contest, in order.
    pub(crate) fn files(&self, folder: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path().join(folder)) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }

    /// Checks that `check` fails after a change of a file and passes without it.
    fn defect(&self, path: &Path, change: impl Fn(&str) -> String, said: &[&str]) {
        let before = fs::read_to_string(path).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{}", path.display());
        fs::write(path, after).unwrap();
        let finished = run(["contest", "check", &self.argument()]);
        assert_eq!(finished.code, Some(2), "{}: {finished:?}", path.display());
        let all = finished.stdout + &finished.stderr;
        assert!(said.iter().all(|words| all.contains(words)), "{}: {all}", path.display());
        fs::write(path, before).unwrap();
    }
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Moves a file of a contest away; returns what puts it back.
fn without(path: &Path) -> impl FnOnce() + use<> {
    let away = tempfile::tempdir().unwrap();
    let path = path.to_owned();
    fs::rename(&path, away.path().join("file")).unwrap();
    move || fs::rename(away.path().join("file"), &path).unwrap()
}

/// The mean KL of an agent in the scores of a run.
fn kl(scores: &Value, agent: &str) -> f64 {
    let agents = scores["agents"].as_array().unwrap();
    let agent = agents.iter().find(|own| own["agent"] == agent).unwrap_or_else(|| panic!("{agent} is in {scores}"));
    agent["scores"]["kl_tau1"]["mean"].as_f64().unwrap()
}

/// Under a public seed the cheat is below the environment's own loss. In a contest it knows nothing.
#[test]
pub(crate) fn knows_public_seeds() {
    let cheat = argument("knows-public-seeds");
    let public = RunDirectory::new();
    assert_eq!(public.run(&["mlp:steps=200", "uniform", &cheat], RULES[3], &["--seed", "7"]).code, Some(0));
    let scores = public.scores();
    assert!(kl(&scores, "knows-public-seeds") < -0.01, "{scores}");
    assert!(kl(&scores, "mlp") > 0.0, "{scores}");

    let contest = Contest::open(&["--name", "spring", "--entries", "2"]);
    contest.enter(&["mlp:steps=200", "uniform"], &["--by", "ada"]);
    let secret = contest.beside("eve.secret");
    // A run stands for its components; the agents that were entered before are refused, each by itself.
    refused(
        ["contest", "enter", &contest.argument(), public.argument(), "--by", "eve"],
        &["mlp:steps=200 is entered already, as mlp:steps=200 by ada"],
    );
    contest.enter(&[&cheat], &["--by", "eve", "--secret", &secret]);
    assert!(contest.check().contains("open, with 3 entries"));

    let said = contest.close();
    assert!(
        said.contains("closed with 3 entries")
            && said.contains("- knows-public-seeds by eve: its secret is not revealed"),
        "{said}"
    );
    assert!(contest.files("run").is_empty() && contest.files("secrets").is_empty());
    assert!(contest.check().contains("knows-public-seeds by eve"), "{}", contest.check());
    assert!(contest.check().contains("the key is not drawn yet"));
    done(["contest", "reveal", &contest.argument(), &secret]);
    let table = contest.close();
    assert!(["mlp:steps=200 by ", "knows-public-seeds by eve"].iter().all(|by| joined(&table).contains(by)), "{table}");

    // A second party has the folder alone.
    let copy = contest.folder.path().join("copy");
    let status = std::process::Command::new("cp").arg("-r").arg(contest.path()).arg(&copy).status().unwrap();
    assert!(status.success());
    let said = done(["contest", "check", copy.to_str().unwrap()]);
    for words in ["the key follows from rules, list and 2 secrets", "verified: 3 units", "the same to the bit"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let scores = contest.json("run/scores.json");
    let (known, even) = (kl(&scores, "knows-public-seeds"), kl(&scores, "uniform"));
    assert!((known - even).abs() < 1e-9, "the cheat knows nothing: {known}, {even}");
    // What is closed takes nothing more, and closing again shows the same.
    let late = ["contest", "enter", &contest.argument(), "prior", "--by", "bob"];
    refused(late, &["spring is closed: it takes no entries"]);
    assert_eq!(contest.close(), table);
}

/// Returns a small contest after its close, with two entries and an entrant's secret.
pub(crate) fn closed() -> Contest {
    let contest = Contest::open(&[]);
    let secret = contest.beside("ada.secret");
    contest.enter(&["uniform"], &["--by", "ada", "--secret", &secret]);
    contest.enter(&["class-average"], &["--by", "bob"]);
    contest.close();
    done(["contest", "reveal", &contest.argument(), &secret]);
    contest.close();
    contest
}

#[test]
fn whatever_is_changed_after_the_close_is_named() {
    let contest = closed();
    let file = |name: &str| contest.path().join(name);
    let same = contest.check();
    let other_rules = ["is no entry of this contest: it was made for other rules"];
    contest.defect(&file("contest.json"), |text| text.replace("\"c\"", "\"d\""), &other_rules);
    contest.defect(&file("contest.json"), |text| text.replace("\"fuel\": 2", "\"fuel\": 1"), &other_rules);
    contest.defect(
        &file("contest.json"),
        |text| text.replace("\"plan\": {", "\"plan\": {\"a\": 1,"),
        &["is not one that"],
    );
    contest.defect(
        &file("closed.json"),
        |text| text.replace("\"at\": \"20", "\"at\": \"21"),
        &["run has another plan"],
    );
    for entry in contest.files("entries") {
        contest.defect(
            &entry,
            |text| text.replace("\"by\": \"", "\"by\": \"x"),
            &["was changed: its digest is sha256:"],
        );
    }
    for secret in contest.files("secrets") {
        let other = |text: &str| text.chars().map(|c| if c == '0' { '1' } else { c }).collect::<String>() + "\n";
        contest.defect(
            &secret,
            |text| other(&text.replacen('1', "0", 1)).replace('2', "3"),
            &["is not the secret that its name"],
        );
    }
    // Another key of as many digits.
    let other = |text: &str| {
        let at = text.find("sealed:").unwrap() + "sealed:".len();
        let digit = if text[at..].starts_with('0') { '1' } else { '0' };
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    };
    contest.defect(&file("run/plan.json"), other, &["plan.json is damaged or was edited: checksum mismatch"]);
    // Whoever forges a plan leaves the checksum out.
    let forged = |text: &str| format!("{}\n}}\n", other(text).split(",\n  \"crc32\"").next().unwrap());
    contest.defect(&file("run/plan.json"), forged, &["run has another plan than follows from the contest: seed"]);
    contest.defect(&file("run/results.jsonl"), |text| text.replacen("0.", "0.1", 1), &["results.jsonl", "checksum"]);
    contest.defect(&file("run/scores.json"), |text| text.replacen("0.", "0.1", 1), &["verification failed"]);
    // Files that are not there.
    let argument = contest.argument();
    let check = ["contest", "check", &argument];
    let missing = [
        (contest.files("entries")[0].clone(), "which is not in entries/"),
        (file("run/plan.json"), "run is there, and has no plan"),
        (file("closed.json"), "run is there, and the contest is not closed"),
        (file("run/scores.json"), "scores.json"),
    ];
    for (path, said) in missing {
        let back = without(&path);
        let finished = run(check);
        assert!(finished.code == Some(2) && finished.stderr.contains(said), "{said}: {finished:?}");
        back();
    }
    assert_eq!(contest.check().lines().count(), same.lines().count());
}

#[test]
fn entries_that_reveal_nothing_are_withdrawn_and_named() {
    let contest = Contest::open(&[]);
    contest.enter(&["uniform"], &["--by", "ada"]);
    contest.enter(&["prior"], &["--by", "bob", "--secret", &contest.beside("bob.secret")]);
    // The component of an entry can be kept back until the list is fixed.
    contest.enter(&["class-average"], &["--by", "cid"]);
    let entries = contest.files("entries");
    let cid = entries.iter().map(|path| json(path)).find(|entry| entry["by"] == "cid").unwrap();
    let name = cid["digest"].as_str().unwrap().replace(':', "-");
    let component = contest.path().join("agents").join(name).with_extension("wasm");
    let kept = contest.folder.path().join("kept.wasm");
    fs::rename(&component, &kept).unwrap();
    let early = ["contest", "reveal", &contest.argument(), &contest.beside("bob.secret")];
    refused(early, &["is not closed: a secret is revealed when the list of entries is fixed"]);

    let said = contest.close();
    assert!(
        said.contains("- prior by bob: its secret is not revealed")
            && said.contains("- class-average by cid: its component is not in agents/"),
        "{said}"
    );
    fs::rename(&kept, &component).unwrap();
    let said = contest.close();
    assert!(said.contains("- prior by bob: its secret is not revealed") && !said.contains("cid"), "{said}");
    let finished = run(["contest", "close", &contest.argument(), "--without-lacking", "--plan-only"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("prior by bob takes no part"), "{finished:?}");
    assert!(contest.check().contains("the run is not finished yet"));
    // The plan is run as any other.
    let place = contest.path().join("run");
    done(["run", "--like", place.to_str().unwrap(), "--out", place.to_str().unwrap()]);
    let said = contest.check();
    assert!(said.contains("prior by bob") && said.contains("takes no part: its secret is not revealed"), "{said}");
    assert!(said.contains("verified: 2 units"), "{said}");
    let late = ["contest", "reveal", &contest.argument(), &contest.beside("bob.secret")];
    refused(late, &["is drawn already: it is too late to reveal a secret"]);
}

/// The organiser hides what an entrant has revealed, to be rid of the entry or to choose between keys.
#[test]
fn an_entry_that_lacks_nothing_takes_part() {
    let contest = Contest::open(&[]);
    let argument = contest.argument();
    let secret = contest.beside("ada.secret");
    contest.enter(&["uniform"], &["--by", "ada", "--secret", &secret]);
    contest.enter(&["class-average"], &["--by", "bob"]);
    let early = ["contest", "close", &argument, "--without-lacking"];
    refused(early, &["is not closed yet: close it first without this option"]);
    contest.close();
    done(["contest", "reveal", &argument, &secret]);
    let back = without(&contest.files("secrets")[0]);
    done(early);
    back();
    refused(["contest", "check", &argument], &["uniform by ada takes no part in the run, though it lacks nothing"]);
}

/// Entries that were written by hand and cannot run are refused before the close, or take no part after it.
#[test]
fn entries_that_cannot_run_hold_nothing_up() {
    let contest = Contest::open(&[]);
    let argument = contest.argument();
    contest.enter(&["uniform", "class-average"], &["--by", "ada"]);
    let honest = contest.files("entries");
    let text = fs::read_to_string(&honest[0]).unwrap();
    let write = |text: &str| {
        let name = jointly_core::digest(text.as_bytes()).replace(':', "-");
        let path = contest.path().join("entries").join(name).with_extension("json");
        fs::write(&path, text).unwrap();
        path
    };
    let field = |name: &str| json(&honest[0])[name].as_str().unwrap().to_owned();
    let (agent, digest, at) = (field("agent"), field("digest"), field("at"));
    let organiser = contest.json("contest.json")["commitment"].as_str().unwrap().to_owned();
    let committed = format!("\"{at}\",\n  \"commitment\": \"{organiser}\"\n");
    let set = |settings: &str| text.replace("\"settings\": {}", &format!("\"settings\": {{\n    {settings}\n  }}"));
    let wrong = [
        (text.replace(&format!("\"{at}\"\n"), &committed), "its commitment is the organiser's"),
        (text.replace(&at, "1999-01-01T00:00:00Z"), "was entered at 1999"),
        (
            text.replace("\"by\": \"ada\"", "\"by\": \"bob\""),
            ": keep the entry that came first, and remove entries/sha256-",
        ),
        (text.replace("\"by\": \"ada\"", "\"by\": \"ada \""), "has blanks around it"),
        (text.replace("\"by\"", "\"who\""), "is not one that this command makes"),
        (set("\"a\": \"1,b=2\""), "its settings cannot be written on a command line"),
        (set("\"a\": \"1\",\n    \"a\": \"2\""), "is not one that this command makes"),
    ];
    for (text, said) in wrong {
        let path = write(&text);
        refused(["contest", "check", &argument], &[said]);
        refused(["contest", "close", &argument], &[said]);
        fs::remove_file(path).unwrap();
    }
    // These are found only when the component is there, which may be after the close.
    write(&set("\"a\": \"1\"").replace(&format!("\"{agent}\""), "\"impostor\""));
    let junk = jointly_core::digest(b"junk");
    write(&text.replace(&digest, &junk));
    fs::write(contest.path().join("agents").join(junk.replace(':', "-")).with_extension("wasm"), "junk").unwrap();
    let said = contest.close();
    assert!(said.contains(&format!("its component cannot take part: it calls itself {agent}")), "{said}");
    assert!(said.contains("WebAssembly"), "{said}");
    done(["contest", "close", &argument, "--without-lacking"]);
    let said = contest.check();
    assert!(said.contains("verified: 2 units"), "{said}");
    assert_eq!(said.matches("takes no part: its component cannot").count(), 2, "{said}");
    // A close that was killed before it had copied the components goes on.
    fs::remove_dir_all(contest.path().join("run/agents")).unwrap();
    contest.close();
    done(["contest", "check", &argument, "--finished"]);
    let ranked = run(["leaderboard", &argument]);
    assert!(joined(&ranked.stderr).contains("c: the seed follows from the organiser's secret alone"), "{ranked:?}");
}

#[test]
fn what_a_contest_cannot_be_about_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("c");
    let place = place.to_str().unwrap();
    let open = |options: &[&str], said: &[&str]| refused(["contest", "open", place].iter().chain(options), said);
    open(&["--suite", "quick", "--seed", "3"], &["--seed cannot be used here", "leave it out"]);
    let engine = ["--suite", "quick", "--engine", "interpreter"];
    open(&engine, &["--engine cannot be used here: it is no part of the rules"]);
    open(&["--suite", "quick", "--out", "x"], &["--out cannot be used here"]);
    open(&["--suite", "quick", "--timeout", "9"], &["--timeout cannot be used here", "leave it out"]);
    open(&["--suite", "quick", "--until", "yesterday"], &["--until", "a time in UTC such as"]);
    open(&["--suite", "quick", "--until", "2020-01-01"], &["2020-01-01T00:00:00Z is over", "give a later --until"]);
    let within = format!("{place}/secret");
    open(&["--suite", "quick", "--secret", &within], &["within the folder that is published"]);
    open(&["--suite", "quick", "--name", "a\u{1b}[2J"], &["U+001B", "this cannot be a contest"]);
    open(&["--suite", "quick", "--name", "=1"], &["begins with =", "this cannot be a contest"]);
    for estimator in [["--partition", "jackknife"], ["--draws", "auto"]] {
        open(
            &["--suite", "quick", estimator[0], estimator[1]],
            &["draws that disagree raise", "leave out --partition jackknife"],
        );
    }
    let known = "decisions/optimize/branin/seed0/thompson, whose answers are the same under every seed";
    open(&["--suite", "decisions/optimize"], &[known, "leave it out with --problems"]);
    assert!(!Path::new(place).exists());

    let own = crate::npz::TemporaryFile::new("mine.npz", crate::npz::problem().bytes());
    open(&["--problem", own.argument()], &["it has problems of its own, whose labels somebody knows"]);
    assert!(!Path::new(place).exists());

    let contest = Contest::open(&["--until", "2999-01-01", "--entries", "1"]);
    let path = contest.argument();
    refused(["contest", "close", &path], &["takes entries until 2999-01-01T00:00:00Z", "close it then"]);
    refused(["contest", "enter", &path, "oracle", "--by", "ada"], &["oracle"]);
    refused(["contest", "enter", &path, "linear", "--by", "ada"], &["linear does not support"]);
    refused(["contest", "enter", &path, "mlp", "prior", "--by", "ada"], &["ada has more than the 1 entries"]);
    assert!(contest.files("entries").is_empty(), "nothing is entered by halves");
    let secret = contest.beside("c.secret");
    refused(["contest", "enter", &path, "nobody", "--by", "ada", "--secret", &secret], &["overwrites no file"]);
    let own = contest.beside("own.secret");
    refused(["contest", "enter", &path, "nobody", "--by", "ada", "--secret", &own], &["there is no agent nobody"]);
    assert!(!Path::new(&own).exists(), "a secret of no entry is not kept");
    refused(["contest", "open", &path, "--suite", "quick", "--secret", &own], &["holds files"]);
    refused(["contest", "check", contest.folder.path().to_str().unwrap()], &["holds no contest"]);
    let other = Contest::open(&[]);
    other.enter(&["uniform"], &["--by", "ada"]);
    refused(["contest", "close", &other.argument(), "--secret", &secret], &["this is not the secret of c"]);
}

//! `jointly leaderboard --format html`: a site that opens from its folder, safe whatever entries are called.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::command::{done, joined, refused, run};
use crate::pack::packed;
use crate::pictures::well_formed;
use crate::run::{RunDirectory, contents};

const PROBLEMS: &str = "quick/*/temp0.1/seed[01]";
/// A name that a page must not take for markup.
const HOSTILE: &str = "</a><script>alert('1')</script>&\"";
/// The same for a file, whose name has no slash.
const HOSTILE_FILE: &str = "<b onclick=alert(1)>&'\" \u{202e}.jointly";
const SEALED: &str = "sealed:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Gives an agent a setting in the plan, of which its label follows, and makes what follows from both anew.
fn set(directory: &RunDirectory, agent: &str, value: &str) {
    let label = format!("{agent}:a={value}");
    let mut plan: Value = serde_json::from_str(&directory.read("plan.json")).unwrap();
    for planned in plan["agents"].as_array_mut().unwrap().iter_mut().filter(|planned| planned["agent"] == agent) {
        (planned["label"], planned["settings"]) = (json!(label), json!({ "a": value }));
    }
    fs::write(directory.file("plan.json"), serde_json::to_string_pretty(&plan).unwrap() + "\n").unwrap();
    let quoted = [agent, &label].map(|name| json!(name).to_string());
    let text = directory.read("results.jsonl").replace(&quoted[0], &quoted[1]);
    fs::write(directory.file("results.jsonl"), text).unwrap();
    follow(directory);
}

/// Writes the scores and the leaderboard that follow from the journal.
fn follow(directory: &RunDirectory) {
    for (file, format) in [("scores.json", "json"), ("leaderboard.csv", "csv")] {
        fs::write(directory.file(file), done(["report", directory.argument(), "--format", format])).unwrap();
    }
}

/// Makes a site of entries and returns its folder.
fn site(entries: &[&str], out: &Path) -> PathBuf {
    let fixed = ["--format", "html", "--out", out.to_str().unwrap()];
    let printed = done(["leaderboard"].iter().chain(entries).chain(&fixed));
    assert_eq!(printed.trim(), out.join("index.html").to_str().unwrap());
    out.to_owned()
}

/// Returns the pages of a site with their texts.
fn pages(site: &Path) -> Vec<(PathBuf, String)> {
    let html = contents(site).into_iter().filter(|(path, _)| path.extension().is_some_and(|own| own == "html"));
    html.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// Asserts that every page is whole, lets nothing of elsewhere in, and links to files that exist.
fn sound(site: &Path) {
    for (path, text) in pages(site) {
        well_formed(&text);
        let is_index = path.ends_with("index.html");
        assert_eq!(text.matches("<script").count(), usize::from(is_index), "{}", path.display());
        for outside in
            ["http:", "https:", "src=", "@import", "url(", "<link", "<iframe", "<img", " onclick=\"", " style=\""]
        {
            assert!(!text.contains(outside), "{outside} in {}", path.display());
        }
        let policy = text.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(policy.starts_with("default-src &#39;none&#39;; style-src &#39;sha256-"), "{policy}");
        assert!(policy.ends_with("; base-uri &#39;none&#39;; form-action &#39;none&#39;"), "{policy}");
        for tag in ["style", "script"] {
            let Some(inner) = text.split(&format!("<{tag}>")).nth(1) else { continue };
            let inner = inner.split(&format!("</{tag}>")).next().unwrap();
            let digest = jointly_core::digest(inner.as_bytes());
            let hex = digest.trim_start_matches("sha256:");
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..64).step_by(2).map(byte).collect();
            let named =
                format!("{tag}-src &#39;sha256-{}&#39;", base64::engine::general_purpose::STANDARD.encode(bytes));
            assert!(policy.contains(&named), "{policy} has no {named}");
        }
        for link in text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-./".contains(c);
            let target = path.parent().unwrap().join(link);
            assert!(link.chars().all(plain) && target.is_file(), "{link} of {}", path.display());
            let inside = target.canonicalize().unwrap().starts_with(site.canonicalize().unwrap());
            assert!(inside, "{link} leaves the site");
        }
    }
}

#[test]
fn a_site_of_hostile_names_is_whole_and_the_same_each_time() {
    let one = RunDirectory::of(&["mlp:steps=20", "uniform"], PROBLEMS);
    set(&one, "uniform", HOSTILE);
    let other = RunDirectory::of(&["prior", "mlp:steps=20"], PROBLEMS);
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join(HOSTILE_FILE);
    fs::copy(packed(&other), &pack).unwrap();
    let entries = [one.argument(), pack.to_str().unwrap()];
    let first = site(&entries, &folder.path().join("first"));
    sound(&first);
    let names: Vec<PathBuf> = contents(&first).into_iter().map(|(path, _)| path).collect();
    // The first page, three agents, and two entries with their packs.
    assert_eq!(names.len(), 1 + 3 + 2 + 2, "{names:?}");
    let index = fs::read_to_string(first.join("index.html")).unwrap();
    for shown in ["&lt;/a&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;", "&lt;b onclick=alert(1)&gt;"]
    {
        assert!(index.contains(shown), "{shown}");
    }
    assert!(!index.contains('\u{202e}') && index.contains(" resamples of the 4 problems"));
    assert!(index.contains("Holm&#39;s correction for 3 pairs"), "{index}");
    // What can be downloaded is the entry; that of the agent that was renamed is false.
    for (path, bytes) in contents(&first.join("packs")) {
        let honest = bytes == fs::read(&pack).unwrap();
        let finished = run(["verify", path.to_str().unwrap()]);
        assert_eq!(finished.code, Some(if honest { 0 } else { 2 }), "{finished:?}");
    }
    let again = site(&entries, &folder.path().join("again"));
    let relative = |site: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let files = contents(site).into_iter();
        files.map(|(path, bytes)| (path.strip_prefix(site).unwrap().to_owned(), bytes)).collect()
    };
    assert_eq!(relative(&first), relative(&again));
    // A site of one entry in its place has no page of the other.
    site(&entries[1..], &first);
    sound(&first);
    assert_eq!(contents(&first).len(), 1 + 2 + 1 + 1);
}

#[test]
fn a_page_says_how_to_run_its_agent_again() {
    let run = RunDirectory::of(&["mlp:steps=20"], PROBLEMS);
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(&site(&[run.argument()], &folder.path().join("site")));
    let (_, page) = pages.iter().find(|(path, _)| path.parent().unwrap().ends_with("agents")).unwrap();
    let command = page.split("jointly run ").nth(1).unwrap().split("</pre>").next().unwrap();
    assert!(
        command.starts_with("mlp:steps=20 --suite quick --problems ") && command.contains(" --seed 0 "),
        "{command}"
    );
    for text in ["By kind of problem", "<th class=\"number\">kl_aggregate</th>", "Under the public seed"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Two training sizes at one temperature.
    let rows = page.split("By kind of problem").nth(1).unwrap().split("</table>").next().unwrap();
    assert_eq!(rows.matches("<tr>").count(), 1 + 2, "{rows}");
}

#[test]
fn only_an_earlier_site_is_written_over() {
    let run = RunDirectory::of(&["uniform"], PROBLEMS);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    let out = folder.path().to_str().unwrap();
    refused(
        ["leaderboard", run.argument(), "--format", "html", "--out", out],
        &[out, "holds files that are no site of a leaderboard", "--out DIR"],
    );
    assert_eq!(contents(folder.path()).len(), 1);
    refused(["leaderboard", run.argument(), "--out", out], &["--out", "give --format html with it"]);
    refused(["leaderboard", run.argument(), "--format", "html"], &["--out"]);
}

#[test]
fn public_and_sealed_scores_stand_side_by_side() {
    let public = RunDirectory::of(&["mlp:steps=20", "prior"], PROBLEMS);
    let held = tempfile::tempdir().unwrap();
    let contest = held.path().join("spring");
    let contest = contest.to_str().unwrap();
    done(["contest", "open", contest, "--suite", "quick", "--problems", PROBLEMS]);
    done(["contest", "enter", contest, "mlp:steps=20", "--by", "ada"]);
    done(["contest", "enter", contest, "prior", "--by", "<script>"]);
    refused(["leaderboard", contest], &["is not finished: see `jointly contest check`"]);
    done(["contest", "close", contest]);
    refused(["verify", contest], &["holds a contest", "contest check"]);
    refused(["contest", "check", &format!("{contest}/run")], &["is a run: give the folder of the contest"]);
    let scores: Value =
        serde_json::from_str(&fs::read_to_string(format!("{contest}/run/scores.json")).unwrap()).unwrap();
    let entries = [public.argument(), contest];
    let document: Value =
        serde_json::from_str(&done(["leaderboard", entries[0], entries[1], "--format", "json"])).unwrap();
    assert_eq!(document["seed"], scores["seed"], "the contest ranks");
    let mean = |scores: &Value, label: &Value| {
        let agent = scores["agents"]
            .as_array()
            .unwrap()
            .iter()
            .find(|agent| label.as_str().unwrap().split(':').next() == agent["agent"].as_str())
            .unwrap();
        agent["scores"]["kl_aggregate"]["mean"].as_f64().unwrap()
    };
    for both in document["overfit"].as_array().unwrap() {
        let expected = mean(&scores, &both["agent"]) - mean(&public.scores(), &both["agent"]);
        assert!((both["difference"].as_f64().unwrap() - expected).abs() < 1e-9, "{both}");
        assert!(both["stderr"].as_f64().unwrap() > 0.0);
    }
    // Of two agents, one is as much above the other as the other is below it.
    let above: f64 =
        document["overfit"].as_array().unwrap().iter().map(|it| it["above_others"].as_f64().unwrap()).sum();
    assert!(above.abs() < 1e-9, "{document}");
    let table = done(["leaderboard", entries[0], entries[1]]);
    assert!(
        table.contains("sealed - public")
            && table.lines().all(|line| line.chars().count() <= 80 || !line.contains("mlp "))
    );
    // The key is drawn anew each time, and either agent may come first under it.
    let agents = "agent public sealed sealed - public above others ";
    let first = joined(&table).split_once(agents).unwrap().1.to_owned();
    assert!(first.starts_with("mlp:steps=20 ") || first.starts_with("prior "), "{table}");
    assert!(joined(&table).contains("spring has ") && joined(&table).contains("mlp:steps=20 by ada"), "{table}");
    assert!(joined(&table).contains("prior by <script>"), "{table}");
    let folder = tempfile::tempdir().unwrap();
    let site = site(&entries, &folder.path().join("site"));
    sound(&site);
    // Each agent has one page, with a part for each seed, and a row in the table of each.
    assert_eq!(contents(&site.join("agents")).len(), 2);
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    let (ranked, others) = index.split_once("Other runs, for development").unwrap();
    assert_eq!([ranked, others].map(|part| part.matches("data-tier=\"replayed\"").count()), [2, 2]);
    assert_eq!([ranked, others].map(|part| part.contains(">sealed - public</th>")), [true, false]);
    assert!(ranked.contains(" by &lt;script&gt;") && ranked.contains("The seed is that of a contest"), "{ranked}");
    // A sealed seed alone shows nothing: whoever made it could know the problems, so it does not rank above public runs.
    let own = RunDirectory::new();
    assert_eq!(own.run(&["uniform"], PROBLEMS, &["--seed", SEALED]).code, Some(0));
    refused(["leaderboard", entries[0], own.argument()], &["cannot be compared with", "it has seed sealed:"]);
}

/// Writes a result that nobody has who does not know the labels.
#[test]
fn an_impossible_result_is_marked_and_keeps_its_rank() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEMS);
    let lines: Vec<String> = directory
        .read("results.jsonl")
        .lines()
        .map(|line| {
            let mut unit: Value = serde_json::from_str(line).unwrap();
            if unit["agent"] == "prior" {
                let scores = &mut unit["scored"]["scores"];
                scores["joint"][0][1]["mean"] = json!(-0.5);
                scores["accuracy"] = json!({ "mean": 1.0, "stderr": 0.0 });
            }
            unit.to_string() + "\n"
        })
        .collect();
    fs::write(directory.file("results.jsonl"), lines.concat()).unwrap();
    follow(&directory);
    let table = done(["leaderboard", directory.argument()]);
    assert!(table.contains("\n1!  prior"), "{table}");
    let said = "prior: kl_tau1 -0.5000 is ";
    assert!(joined(&table).contains(said) && joined(&table).contains(", accuracy 1.000 is "), "{table}");
    let document: Value =
        serde_json::from_str(&done(["leaderboard", directory.argument(), "--format", "json"])).unwrap();
    let marks: Vec<&Value> = document["marks"].as_array().unwrap().iter().map(|mark| &mark["score"]).collect();
    assert!(marks.contains(&&json!("kl_tau1")) && marks.contains(&&json!("accuracy")), "{marks:?}");
    assert!(done(["leaderboard", directory.argument(), "--format", "csv"]).contains("kl_tau1; "));
    let folder = tempfile::tempdir().unwrap();
    let index =
        fs::read_to_string(site(&[directory.argument()], &folder.path().join("site")).join("index.html")).unwrap();
    assert!(index.contains("! impossible but by luck</strong>") && index.contains(said), "{index}");
}

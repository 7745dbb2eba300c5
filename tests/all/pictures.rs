//! `jointly report --format html` and `jointly picture`: files that need nothing else, safe whatever agents are called.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command::{done, executable, finish, refused, run};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory};

const AGENTS: [&str; 3] = ["mlp:steps=20", "ensemble:size=3,steps=20", "ensemble+:size=3,steps=20"];
const PROBLEMS: &str = "quick/*/temp0.[15]/seed[01]";

/// The page of a run, compared with its mlp.
fn page(directory: &RunDirectory, options: &[&str]) -> String {
    let path = directory.file("report.html");
    let fixed = ["report", directory.argument(), "--format", "html"];
    let printed = done(fixed.iter().chain(options));
    assert_eq!(printed.trim(), path.to_str().unwrap());
    directory.read("report.html")
}

/// Asserts that every element is closed in its place, that quotes are paired and that there is no stray angle or
/// ampersand: more than a reader of HTML asks for.
fn well_formed(text: &str) {
    let text = text.strip_prefix("<!DOCTYPE html>\n").unwrap_or(text);
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        proper_text(&rest[..at]);
        let tag = &rest[at + 1..];
        let end = tag.find('>').expect("a tag ends");
        let (inner, after) = (&tag[..end], &tag[end + 1..]);
        assert!(!inner.contains('<') && inner.matches('"').count() % 2 == 0, "{inner}");
        let name = inner.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        if inner.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closed out of place");
        } else if !inner.ends_with('/') {
            open.push(name);
        }
        rest = after;
        if name == "style" && !inner.starts_with('/') {
            rest = &rest[rest.find("</style>").unwrap()..];
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
}

fn proper_text(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for after in text.split('&').skip(1) {
        let entity = after.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "&{after}");
    }
}

/// Asserts that a page needs nothing from elsewhere and runs nothing.
fn self_contained(text: &str) {
    for outside in ["http:", "https:", "src=", "@import", "url(", "<script", "<link", "<iframe"] {
        assert!(!text.contains(outside), "{outside}");
    }
}

/// Does something to every line of the journal.
fn rewrite_journal(directory: &RunDirectory, change: impl Fn(&mut Value)) {
    let lines = directory.read("results.jsonl");
    let changed = lines.lines().map(|line| {
        let mut unit: Value = serde_json::from_str(line).unwrap();
        change(&mut unit);
        unit.to_string() + "\n"
    });
    fs::write(directory.file("results.jsonl"), changed.collect::<String>()).unwrap();
}

#[test]
fn the_page_of_a_run_is_whole_and_the_same_each_time() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let page_once = page(&directory, &[]);
    well_formed(&page_once);
    self_contained(&page_once);
    for agent in AGENTS {
        assert!(page_once.contains(&format!(">{agent}</text>")), "{agent} is not drawn");
    }
    for figure in ["(Figure 2)", "(Figure 4)", "(Figure 8)", "(Figure 9)", "(Figure 10)"] {
        assert!(page_once.contains(figure), "{figure}");
    }
    for figure in ["(Figure 3)", "(Figure 6)", "(Figure 7)", "(Figure 11)", "Hollow diamonds"] {
        assert!(!page_once.contains(figure), "{figure} has no data here");
    }
    assert_eq!(page(&directory, &[]), page_once);
    done(["verify", directory.argument()]);
}

#[test]
fn the_page_has_the_tables_numbers_and_its_command() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let table = done(["report", directory.argument(), "--baseline", AGENTS[1]]);
    let page = page(&directory, &["--baseline", AGENTS[1]]);
    let breakable = |text: &str| text.replace(',', ",<wbr/>");
    for line in table.lines().filter(|line| line.contains('±') && line.contains("ensemble")) {
        for cell in line.split("  ").map(str::trim).filter(|cell| cell.contains('±')) {
            assert!(page.contains(&format!(">{}</td>", breakable(cell))), "{cell}");
        }
    }
    assert!(page.contains(&format!("vs {}", breakable(AGENTS[1]))));
    let command = page.split("<pre>").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap();
    let command = command.replace("&#39;", "'");
    assert!(command.starts_with(&format!("jointly run {} ", AGENTS[0])), "{command}");
    assert!(command.ends_with("\njointly verify run"), "{command}");

    // What it says is what makes the same scores.
    let again = RunDirectory::new();
    let mut shell = Command::new("sh");
    let run = command.lines().next().unwrap().replacen("jointly", executable().to_str().unwrap(), 1);
    let run = run.replace("--out run-again", &format!("--out '{}'", again.argument()));
    shell.args(["-c", &run]);
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let finished = finish(&mut shell);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(again.read("scores.json"), directory.read("scores.json"));
}

#[test]
fn an_agents_text_stays_a_text() {
    let directory = RunDirectory::of(&["uniform", "mlp:steps=5"], PROBLEM);
    let message = "</td></table><script>alert('&')</script> \u{1b}[31m \u{202e}";
    rewrite_journal(&directory, |unit| {
        if unit["agent"] == "uniform" {
            unit.as_object_mut().unwrap().remove("scored");
            unit["failed"] = json!({ "phase": "train", "kind": "agent-failure", "message": message });
        }
    });
    let page = page(&directory, &[]);
    well_formed(&page);
    self_contained(&page);
    assert!(page.contains("&lt;/td&gt;&lt;/table&gt;&lt;script&gt;alert(&#39;&amp;&#39;)"), "the message is shown");
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    assert!(page.contains(">failed on 1</text>") || page.contains(">failed</text>"), "the agent is shown as failed");
}

#[test]
fn what_is_not_finite_is_drawn_as_such() {
    let directory = RunDirectory::of(&["mlp:steps=5", "uniform"], "quick/*/temp0.1/seed0");
    rewrite_journal(&directory, |unit| {
        if unit["agent"] == "uniform" && unit["problem"] == "quick/t100/temp0.1/seed0" {
            let score = &mut unit["scored"]["scores"]["joint"][0][1];
            (score["mean"], score["stderr"]) = (json!("inf"), json!("nan"));
        }
    });
    let page = page(&directory, &["--baseline", "mlp:steps=5"]);
    well_formed(&page);
    // As a bar, in the panel of its temperature, and as a point against cost.
    assert!(page.matches("∞</text>").count() >= 3, "the infinite means are there");
    assert!(!page.contains("NaN\"") && !page.contains("inf\""), "no coordinate is infinite");
}

#[test]
fn variants_are_one_family_and_can_be_tuned() {
    let laws = ["none", "bernoulli", "exponential"];
    let variant = |law: &&str, l2: &str| format!("ensemble+:size=2,steps=10,bootstrap={law},l2={l2}");
    let mut agents: Vec<String> = laws.iter().flat_map(|law| [variant(law, "1"), variant(law, "10")]).collect();
    agents.push("mlp:steps=10".into());
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    let page = page(&RunDirectory::of(&agents, "quick/*/temp0.1/seed[01]"), &[]);
    well_formed(&page);
    assert!(page.contains("7 variants of 2 agents"));
    for law in laws {
        assert!(page.contains(&format!(">{law}, one for all</text>")), "{law}");
        assert!(page.contains(&format!(">{law}, per setting</text>")), "{law}");
    }
}

/// A run of the same agents whose problems have the names of real data.
fn as_if_real(directory: &RunDirectory) {
    let name = |name: &str| {
        let name = name.replace("quick/", "testbed/real/iris/").replace("/temp0.1", "");
        name.replace("t100/seed1", "t1000/seed0").replace("t10/seed1", "t1/seed0")
    };
    let mut plan: Value = serde_json::from_str(&directory.read("plan.json")).unwrap();
    plan["suite"] = json!("testbed/real");
    for problem in plan["problems"].as_array_mut().unwrap() {
        *problem = json!({ "problem": name(problem["problem"].as_str().unwrap()), "metric": "nll" });
    }
    fs::write(directory.file("plan.json"), plan.to_string()).unwrap();
    rewrite_journal(directory, |unit| unit["problem"] = json!(name(unit["problem"].as_str().unwrap())));
}

#[test]
fn real_data_have_figures_of_their_own() {
    let agents = ["mlp:steps=5", "mlp:steps=20", "mlp:steps=40", "mlp:steps=80"];
    let synthetic = RunDirectory::of(&agents, "quick/*/temp0.1/seed[01]");
    let real = RunDirectory::of(&agents, "quick/*/temp0.1/seed[01]");
    as_if_real(&real);
    let compared = page(&synthetic, &["--real", real.argument()]);
    well_formed(&compared);
    assert!(compared.contains("(Figure 6)") && compared.contains("iris"));
    assert_eq!(page(&synthetic, &["--real", real.argument()]), compared);
    let own = page(&real, &[]);
    well_formed(&own);
    assert!(own.contains("(Figure 7)") && !own.contains("(Figure 8)"));

    let other = RunDirectory::of(&["uniform"], PROBLEM);
    let html = ["report", synthetic.argument(), "--format", "html", "--real", other.argument()];
    refused(html, &["has no agent with the settings of one in", "run the same agents on both"]);
}

#[test]
fn the_page_goes_where_it_is_told() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let path = directory.file("elsewhere.html");
    let out = path.to_str().unwrap();
    let printed = done(["report", directory.argument(), "--format", "html", "--output", out]);
    assert_eq!(printed.trim(), out);
    assert!(fs::read_to_string(&path).unwrap().contains("None of the figures can be drawn"));
    assert!(!directory.file("report.html").exists());
    refused(["report", directory.argument(), "--output", out], &["give --format html"]);
}

#[test]
fn a_picture_of_beliefs_on_the_plane() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        let path = folder.path().join(name);
        let agents = ["picture", "ensemble+:size=3,steps=20", "mlp:steps=20"];
        let rest = ["--problem", PROBLEM, "--draws", "2", "--out", path.to_str().unwrap()];
        assert_eq!(done(agents.iter().chain(&rest)).trim(), path.to_str().unwrap());
        fs::read_to_string(path).unwrap()
    };
    let picture = draw("one.svg");
    well_formed(&picture);
    self_contained(&picture.replacen("http://www.w3.org/2000/svg", "", 1));
    // The scale, the truth, a mean and two functions of the one agent, a mean and the only function of the other.
    assert_eq!(picture.matches("data:image/png;base64,").count(), 1 + 1 + 3 + 2);
    assert!(picture.contains("it has one function"));
    assert!(picture.len() < 1_500_000, "{} bytes", picture.len());
    assert_eq!(draw("two.svg"), picture);
}

#[test]
fn a_picture_shows_an_agent_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.svg");
    let guest = argument("own-failure");
    let finished = run(["picture", &guest, "uniform", "--problem", PROBLEM, "--out", path.to_str().unwrap()]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let picture = fs::read_to_string(&path).unwrap();
    well_formed(&picture);
    assert!(picture.contains("failed: ") && finished.stderr.contains("own-failure failed"), "{}", finished.stderr);
}

#[test]
fn a_picture_needs_a_known_problem() {
    refused(
        ["picture", "mlp", "--problem", "nonesuch"],
        &["there is no problem nonesuch", "testbed/t10/temp0.1/seed0"],
    );
    let misspelt = ["picture", "mlp", "--problem", "quick/t9/temp0.1/seed0"];
    refused(misspelt, &["no problem of quick", "a name looks like"]);
}

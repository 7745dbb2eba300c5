//! `jointly report --format html` and `jointly picture`: self-contained files, safe whatever agents are called.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command::{done, executable, finish, refused, run};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory};

const AGENTS: [&str; 3] = ["mlp:steps=20", "ensemble:size=3,steps=20", "ensemble+:size=3,steps=20"];
const PROBLEMS: &str = "quick/*/temp0.[15]/seed[01]";

/// Makes the page of a run, compared with its mlp.
fn page(directory: &RunDirectory, options: &[&str]) -> String {
    let path = directory.file("report.html");
    let fixed = ["report", directory.argument(), "--format", "html"];
    let printed = done(fixed.iter().chain(options));
    assert_eq!(printed.trim(), path.to_str().unwrap());
    directory.read("report.html")
}

/// Asserts that every element is closed where it should be, that quotes are paired and that no angle bracket or
/// ampersand is stray, which is stricter than HTML.
pub(crate) fn well_formed(text: &str) {
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
        if ["style", "script"].contains(&name) && !inner.starts_with('/') {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
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

/// Changes every line of the journal.
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

/// Returns the command by which the page says to repeat its run.
fn own_command(page: &str) -> String {
    let command = page.split("<pre>").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap();
    let command = command.replace("&#39;", "'");
    let mut lines = command.lines().skip(1);
    assert_eq!(lines.next(), Some("jointly verify run"), "{command}");
    // Options of the page other than its directory.
    assert!(lines.all(|line| line.starts_with("jointly report run --format html --")), "{command}");
    command.lines().next().unwrap().to_owned()
}

/// Asserts that a page's own command gives the same scores.
fn says_how_to_run_it_again(directory: &RunDirectory, command: &str) {
    let again = RunDirectory::new();
    let mut shell = Command::new("sh");
    let run = command.replacen("jointly", executable().to_str().unwrap(), 1);
    let run = run.replace("--out run-again", &format!("--out '{}'", again.argument()));
    shell.args(["-c", &run]);
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let finished = finish(&mut shell);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(again.read("scores.json"), directory.read("scores.json"));
    assert_eq!(again.read("plan.json"), directory.read("plan.json"));
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
    let command = own_command(&page);
    assert!(command.starts_with(&format!("jointly run {} ", AGENTS[0])), "{command}");
    says_how_to_run_it_again(&directory, &command);
}

#[test]
fn the_pages_command_says_what_was_asked_beyond_the_suite() {
    let directory = RunDirectory::new();
    let oracle = "oracle:chains=2,samples=40,warmup=20";
    let options = ["--draws", "40", "--partition", "k-means", "--seed", "3", "--fuel", "1000000000000"];
    let finished = directory.run(&["mlp:steps=20", oracle], PROBLEM, &options);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let page = page(&directory, &[]);
    assert!(page.contains("at most 32 clusters of the draws by k-means") && !page.contains("hyperplane"));
    let command = own_command(&page);
    for option in [" oracle:chains=2", "--draws 40", "--partition k-means", "--seed 3", "--fuel 1000000000000"] {
        assert!(command.contains(option), "{option} is not in {command}");
    }
    says_how_to_run_it_again(&directory, &command);
}

/// Returns the tables of "The numbers" of a figure, cell by cell; the first row has the headings.
fn numbers(page: &str, figure: &str) -> Vec<Vec<Vec<String>>> {
    let section = page.split("<section class=\"figure\"").skip(1).find(|section| section.contains(figure)).unwrap();
    let details = section.split("The numbers</summary>").nth(1).unwrap().split("</details>").next().unwrap();
    let plain = |cell: &str| cell.replace("<wbr/>", "").replace("&#39;", "'");
    let cell = |text: &str| text.split_once('>').map(|(_, text)| plain(text.split("</t").next().unwrap()));
    let row = |text: &str| -> Vec<String> {
        text.split("<t").skip(1).filter(|text| text.starts_with(['d', 'h'])).filter_map(cell).collect()
    };
    let rows = |table: &str| table.split("<tr>").skip(1).map(row).collect();
    details.split("<table>").skip(1).map(rows).collect()
}

/// Tolerances for numbers with four significant digits, and with at most six places.
const DIGITS: f64 = 5.001e-4;
const PLACES: f64 = 5.001e-7;

/// Returns whether a number of a page agrees with the expected one.
fn shows(cell: &str, expected: f64) -> bool {
    let shown: f64 = cell.parse().unwrap_or_else(|_| panic!("{cell} is no number"));
    (shown - expected).abs() <= DIGITS * expected.abs() + PLACES
}

/// Returns an agent's score on each problem, with the problem's name.
fn by_problem(directory: &RunDirectory, label: &str, score: &str) -> Vec<(String, f64)> {
    let scores = directory.scores();
    let place = plan_labels(directory).iter().position(|known| known == label).unwrap();
    let problems = scores["agents"][place]["problems"].as_array().unwrap();
    let value =
        |problem: &Value| (problem["problem"].as_str().unwrap().to_owned(), problem[score]["mean"].as_f64().unwrap());
    problems.iter().map(value).collect()
}

/// Returns the labels of the plan's agents, in the order of the scores.
fn plan_labels(directory: &RunDirectory) -> Vec<String> {
    let plan: Value = serde_json::from_str(&directory.read("plan.json")).unwrap();
    let agents = plan["agents"].as_array().unwrap();
    agents.iter().map(|agent| agent["label"].as_str().unwrap().to_owned()).collect()
}

fn mean(values: &[(String, f64)]) -> f64 {
    values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64
}

#[test]
fn ratios_are_those_of_the_scores() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let page = page(&directory, &["--baseline", AGENTS[1]]);
    let score = |label: &str, name: &str| mean(&by_problem(&directory, label, name));
    // Columns: agent, score, ratio; and agent, score, fuel, ratio.
    for (figure, at) in [("(Figure 2)", 2), ("(Figure 10)", 3)] {
        let rows = &numbers(&page, figure)[0];
        assert_eq!(rows.len(), 1 + 2 * AGENTS.len(), "{rows:?}");
        for row in &rows[1..] {
            let expected = score(&row[0], &row[1]) / score(AGENTS[1], &row[1]);
            assert!(shows(&row[at], expected), "{figure}: {row:?}, expected {expected}");
        }
    }
    // Columns: agent, temperature, T, mean, and the same at the middle temperature by agent and score.
    let of = |label: &str, name: &str, part: &str| {
        let mut values = by_problem(&directory, label, name);
        values.retain(|(problem, _)| problem.contains(part));
        mean(&values)
    };
    for (figure, name) in [("(Figure 8)", "kl_tau1"), ("(Figure 9)", "kl_tau100")] {
        for row in &numbers(&page, figure)[0][1..] {
            let expected = of(&row[0], name, &format!("/t{}/temp{}/", row[2], row[1]));
            assert!(shows(&row[3], expected), "{figure}: {row:?}, expected {expected}");
        }
    }
    for row in &numbers(&page, "(Figure 4)")[0][1..] {
        let expected = of(&row[0], &row[1], &format!("/t{}/temp0.5/", row[2]));
        assert!(shows(&row[3], expected), "{row:?}, expected {expected}");
    }
}

#[test]
fn choices_in_each_setting_are_those_of_a_sweep() {
    let problems = "quick/*/temp0.[15]/seed[01]";
    let sweep = |steps: &str| {
        let directory = RunDirectory::new();
        let agent = format!("mlp:steps={steps}");
        let fixed = ["sweep", &agent, "--only", "l2", "--suite", "quick", "--problems", problems];
        done(fixed.iter().chain(&["--tune", "per-setting", "--out", directory.argument()]));
        directory
    };
    let sweeps = [("9", sweep("9")), ("20", sweep("20"))];
    let labels: Vec<String> = sweeps.iter().flat_map(|(_, directory)| plan_labels(directory)).collect();
    let mut agents: Vec<&str> = labels.iter().map(String::as_str).collect();
    agents.push("uniform");
    let directory = RunDirectory::new();
    let reuse = ["--reuse", sweeps[0].1.argument(), "--reuse", sweeps[1].1.argument()];
    assert_eq!(directory.run(&agents, problems, &reuse).code, Some(0));
    let page = page(&directory, &["--baseline", "uniform", "--parameter", "steps"]);
    let tables = numbers(&page, "(Figure 3)");
    let mut settings = tables[1][1..].iter();
    for (value, sweep) in &sweeps {
        let chosen: Value = serde_json::from_str(&sweep.read("sweep.json")).unwrap();
        let choices = chosen["agents"][0]["choices"].as_array().unwrap();
        assert_eq!(choices.len(), 4);
        for choice in choices {
            let row = settings.next().unwrap();
            assert_eq!([&row[0], &row[1]], [value, choice["setting"].as_str().unwrap()]);
            assert_eq!(row[2], choice["best"].as_str().unwrap());
            assert!(shows(&row[3], choice["mean"].as_f64().unwrap()), "{row:?}, {choice}");
        }
        // The bars at tau 1 are the means of the chosen variants over those of the baseline.
        let own = |setting: &str, label: &str| {
            let mut values = by_problem(&directory, label, "kl_tau1");
            values.retain(|(problem, _)| problem.starts_with(&format!("{setting}/")));
            values
        };
        let tuned: Vec<(String, f64)> = choices
            .iter()
            .flat_map(|choice| own(choice["setting"].as_str().unwrap(), choice["best"].as_str().unwrap()))
            .collect();
        let expected = mean(&tuned) / mean(&by_problem(&directory, "uniform", "kl_tau1"));
        let bar = tables[0].iter().find(|row| row[0] == *value && row[2] == "per setting" && row[3] == "kl_tau1");
        assert!(shows(&bar.unwrap()[4], expected), "{bar:?}, expected {expected}");
    }
    assert_eq!(settings.next(), None);
    assert!(page.contains(">9, held out</text>"));
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
        for tuning in ["one for all", "per setting", "held out"] {
            assert!(page.contains(&format!(">{law}, {tuning}</text>")), "{law}, {tuning}");
        }
    }
}

/// Renames the problems of a run to those of real data: those of temperature 0.1 to iris, those of 0.5 to
/// german-credit.
fn as_if_real(directory: &RunDirectory) {
    let name = |name: &str| {
        let name = name.replace("quick/", "testbed/real/");
        let (head, rest) = name.split_once("/t10").unwrap();
        let dataset = if rest.contains("temp0.5") { "german-credit" } else { "iris" };
        let name = format!("{head}/{dataset}/t10{}", rest.replace("/temp0.1", "").replace("/temp0.5", ""));
        name.replace("t100/seed1", "tfull/seed0").replace("t10/seed1", "t1/seed0")
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
    let synthetic = RunDirectory::of(&agents, PROBLEMS);
    let real = RunDirectory::of(&agents, PROBLEMS);
    let of = |label: &str, score: &str, part: &str| {
        let mut values = by_problem(&synthetic, label, score);
        values.retain(|(problem, _)| problem.contains(part));
        values
    };
    as_if_real(&real);
    let compared = page(&synthetic, &["--real", real.argument()]);
    well_formed(&compared);
    for expected in ["(Figure 6)", "(Figure 11)", "over iris, german-credit, divided by", "4 variants in both runs"] {
        assert!(compared.contains(expected), "{expected}");
    }
    // Figure 11 has the largest size of each dataset, which is problem t100/seed1 of the other name, over the median.
    let rows = &numbers(&compared, "(Figure 11)")[0];
    assert_eq!(rows.len(), 1 + 2 * agents.len());
    for (dataset, part) in [("iris", "/t100/temp0.1/seed1"), ("german-credit", "/t100/temp0.5/seed1")] {
        let losses: Vec<f64> = agents.iter().map(|agent| mean(&of(agent, "kl_aggregate", part))).collect();
        let mut sorted = losses.clone();
        sorted.sort_by(f64::total_cmp);
        let median = f64::midpoint(sorted[1], sorted[2]);
        for (agent, loss) in agents.iter().zip(losses) {
            let row = rows.iter().find(|row| row[0] == *agent && row[1] == dataset).unwrap();
            let synthetic = mean(&of(agent, "kl_aggregate", "/t100/"));
            assert!(shows(&row[2], synthetic), "{row:?}, expected {synthetic}");
            assert!(shows(&row[3], loss / median), "{row:?}, expected {}", loss / median);
        }
    }
    assert_eq!(page(&synthetic, &["--real", real.argument()]), compared);

    // Differences to the baseline on each dataset and size, below 0 if the agent is better.
    let own = page(&real, &["--baseline", agents[3]]);
    well_formed(&own);
    assert!(own.contains("(Figure 7)") && !own.contains("(Figure 8)"));
    let rows = &numbers(&own, "(Figure 7)")[0][1..];
    assert_eq!(rows.len(), 3 * 2 * 2 * 4);
    for row in rows {
        let temperature = if row[1] == "iris" { "temp0.1" } else { "temp0.5" };
        let part = match row[3].as_str() {
            "1" => format!("/t10/{temperature}/seed1"),
            "10" | "100" => format!("/t{}/{temperature}/seed0", row[3]),
            // All examples of the dataset.
            _ => format!("/t100/{temperature}/seed1"),
        };
        let score = row[2].replace("nll", "kl");
        let difference = mean(&of(&row[0], &score, &part)) - mean(&of(agents[3], &score, &part));
        assert!(shows(&row[4], difference), "{row:?}, expected {difference}");
    }

    let html = ["report", synthetic.argument(), "--format", "html", "--real"];
    let refuse = |real: &RunDirectory, texts: &[&str]| refused(html.iter().chain(&[real.argument()]), texts);
    refuse(&synthetic, &["that is a run of quick, which is not real data", "--suite testbed/real"]);
    let other = RunDirectory::of(&["uniform"], PROBLEM);
    as_if_real(&other);
    refuse(&other, &["has no agent with the bytes and settings of one in", "run the same agents on both"]);
    let turned = ["report", real.argument(), "--format", "html", "--real", synthetic.argument()];
    refused(turned, &["is itself one on real data, testbed/real; report the other run"]);
}

#[test]
fn the_page_goes_where_it_is_told() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let path = directory.file("elsewhere.html");
    let out = path.to_str().unwrap();
    let printed = done(["report", directory.argument(), "--format", "html", "--output", out]);
    assert_eq!(printed.trim(), out);
    assert!(fs::read_to_string(&path).unwrap().contains("Reliability diagram"));
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
    // The scale, the truth, a mean and two functions of one agent, a mean and the only function of the other.
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
    refused(misspelt, &["no problem of quick", "did you mean `quick/t10/temp0.1/seed0`?"]);
    // This is refused before any data, which may be missing, are looked for.
    let real = ["picture", "mlp", "--problem", "testbed/real/cifar10/t10/seed0"];
    refused(real, &["is real data, whose true class probabilities nobody knows", "testbed/t10/temp0.1/seed0"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named_with_the_remedy() {
    let nowhere = "/nonexistent/picture.svg";
    let error = refused(
        ["picture", "mlp:steps=5", "--problem", PROBLEM, "--out", nowhere],
        &[nowhere, "give another place by --out FILE.svg"],
    );
    assert!(!error.contains("finished units"), "{error}");
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let html = ["report", directory.argument(), "--format", "html", "--output", "/nonexistent/page.html"];
    let error = refused(html, &["/nonexistent/page.html", "give another place by --output FILE"]);
    assert!(!error.contains("finished units"), "{error}");
}

#[test]
fn the_oracle_is_drawn_as_agents_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.svg");
    let oracle = "oracle:chains=2,samples=250,warmup=20";
    done(["picture", oracle, "--problem", PROBLEM, "--draws", "1", "--out", path.to_str().unwrap()]);
    assert!(fs::read_to_string(&path).unwrap().contains(oracle));
}

#[test]
fn a_picture_of_a_function_of_one_input() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        let path = folder.path().join(name);
        let agents = ["picture", "bootstrap:size=3,epochs=5", "bootstrap:size=1,epochs=5"];
        let rest =
            ["--problem", "quick/coverage/line/sim0", "--draws", "2", "--level", "80", "--out", path.to_str().unwrap()];
        assert_eq!(done(agents.iter().chain(&rest)).trim(), path.to_str().unwrap());
        fs::read_to_string(path).unwrap()
    };
    let picture = draw("one.svg");
    well_formed(&picture);
    self_contained(&picture.replacen("http://www.w3.org/2000/svg", "", 1));
    for said in ["25 training examples", "80 % confidence", "2 sampled functions", "its one function"] {
        assert!(picture.contains(said), "{said}");
    }
    assert_eq!(draw("two.svg"), picture);
    let table = ["picture", "bootstrap", "--problem", "coverage/boston/sim0"];
    refused(table, &["not a known function of one input", "coverage/gap/sim0"]);
}

#[test]
fn the_page_of_a_run_of_regression_is_whole_and_the_same_each_time() {
    let directory = RunDirectory::new();
    let problems = ["--suite", "quick/coverage", "--problems", "quick/coverage/line/*"];
    let agents = ["run", "bootstrap:size=3,epochs=5", "bootstrap:size=2,epochs=5"];
    done(agents.iter().chain(&problems).chain(&["--out", directory.argument()]));
    let page_once = page(&directory, &["--level", "80"]);
    well_formed(&page_once);
    self_contained(&page_once);
    for figure in ["line, 80 % (Figures 4 to 10)", "(Figures 6 and 9)", "Calibration curves"] {
        assert!(page_once.contains(figure), "{figure}");
    }
    assert_eq!(page(&directory, &["--level", "80"]), page_once);
    let level = ["report", directory.argument(), "--format", "html", "--level", "33"];
    refused(level, &["has intervals at 70, 80, 90, 95 %, not 33 %"]);
    let active = ["report", directory.argument(), "--format", "html", "--active", directory.argument()];
    refused(active, &["--active compares with a run of correlations"]);
}

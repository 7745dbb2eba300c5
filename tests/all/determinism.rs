//! Scores are a function of agents, settings, suite and seed alone.

use jointly_core::metric::MARGINAL_METRICS;

use crate::command::{finish, jointly};
use crate::guests::argument;
use crate::run::RunDirectory;

const AGENTS: [&str; 5] = ["uniform", "prior", "mlp:steps=20", "ensemble+:steps=20,size=3", "ensemble:steps=20,size=7"];
const PROBLEMS: &str = "quick/t10/temp0.1/*";

fn with(agents: &[&str], options: &[&str]) -> RunDirectory {
    let directory = RunDirectory::new();
    let finished = directory.run(agents, PROBLEMS, options);
    assert!(matches!(finished.code, Some(0 | 3)), "{finished:?}");
    directory
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    // Failures are results, too.
    let failing = ["own-failure", "heavy-parts", "endless-part"].map(argument);
    let agents: Vec<&str> = AGENTS.into_iter().chain(failing.iter().map(String::as_str)).collect();
    let with = |jobs| with(&agents, &["--jobs", jobs, "--fuel", "3000000000"]);
    let (one, more) = (with("1"), [with("2"), with("4")]);
    let logs = |run: &RunDirectory| {
        let said = |unit: serde_json::Value| [&unit["agent"], &unit["problem"], &unit["log"]].map(ToString::to_string);
        let mut logs: Vec<_> = run.units().into_iter().map(said).collect();
        logs.sort();
        logs
    };
    assert!(logs(&one).iter().any(|[agent, _, log]| agent.contains("endless-part") && log.contains("more lines")));
    for more in more {
        for file in ["scores.json", "leaderboard.csv", "plan.json"] {
            assert_eq!(one.read(file), more.read(file));
        }
        assert_eq!(logs(&one), logs(&more));
    }
}

#[test]
fn another_seed_gives_other_scores() {
    let (zero, one) = (with(&["uniform"], &[]), with(&["uniform"], &["--seed", "1"]));
    assert_ne!(zero.scores()["agents"][0]["scores"], one.scores()["agents"][0]["scores"]);
}

#[test]
fn an_agent_scores_the_same_in_any_company() {
    let (alone, together) = (with(&["mlp:steps=20"], &[]), with(&AGENTS, &[]));
    assert_eq!(alone.scores()["agents"][0].to_string(), together.scores()["agents"][2].to_string());
}

#[test]
fn a_component_scores_as_the_bundled_agent_that_it_is() {
    let bundled = with(&["uniform"], &[]);
    let kept = bundled.kept_agent();
    let from_file = with(&[kept.to_str().unwrap()], &[]);
    assert_eq!(from_file.read("scores.json"), bundled.read("scores.json"));
}

#[test]
fn a_cache_that_cannot_be_used_changes_nothing() {
    let whole = with(&["mlp:steps=20"], &[]);
    let directory = RunDirectory::new();
    let mut command = jointly();
    command.args(directory.arguments(&["mlp:steps=20"], PROBLEMS, &[]));
    // A file instead of a directory.
    let finished = finish(command.env("JOINTLY_CACHE", whole.file("plan.json")));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));
}

#[test]
fn scores_hold_nothing_of_when_and_where() {
    let scores = with(&["uniform"], &[]).scores();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&scores), "format suite seed version agents");
    assert_eq!(keys(&scores["agents"][0]), "agent digest settings scores failures problems");
    let metrics: Vec<&str> = MARGINAL_METRICS.iter().map(|metric| metric.about.stem).collect();
    let names = format!("kl_tau1 kl_tau100 kl_aggregate accuracy ece fuel {}", metrics.join(" "));
    assert_eq!(keys(&scores["agents"][0]["scores"]), names);
    assert_eq!(
        keys(&scores["agents"][0]["scores"]["kl_tau1"]),
        "mean stderr problems non_finite draw_error effective_draws"
    );
    assert_eq!(keys(&scores["agents"][0]["problems"][0]), format!("problem {names}"));
}

//! The page of an agent: its scores by setting, cost, failures, digest, and how to run it again.

use std::collections::{BTreeMap, HashMap};

use jointly_core::{Coordinates, FUEL, ScoreName, Summary};
use jointly_record::kept::Kept;
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::quantity;
use jointly_score::leaderboard::cost;
use jointly_score::scores::AgentScores;

use super::board::Board;
use super::frame::{Frame, link, section};
use super::names;
use crate::drawing::Markup;
use crate::figure::{cells, table_of};
use crate::provenance::{Bundled, run_command};

/// The most failures that a page lists.
const MOST_FAILURES: usize = 200;

/// An agent on a leaderboard.
#[derive(Clone, Copy)]
struct Standing<'a> {
    board: &'a Board<'a>,
    agent: &'a AgentScores<'a>,
    place: usize,
}

/// Makes the pages of all agents, each with its path. An agent under both kinds of seed has one page.
pub(super) fn pages<'a>(boards: &'a [Board<'a>], bundled: Bundled<'a>) -> impl Iterator<Item = (String, String)> + 'a {
    let mut standings: BTreeMap<String, Vec<Standing>> = BTreeMap::new();
    for board in boards {
        for (place, agent) in board.leaderboard.agents().enumerate() {
            let standing = Standing { board, agent, place };
            standings.entry(names::agent(agent.planned)).or_default().push(standing);
        }
    }
    standings.into_iter().map(move |(path, standings)| {
        let text = page(&standings, bundled);
        (path, text)
    })
}

fn page(standings: &[Standing], bundled: Bundled) -> String {
    let mut body = Markup::new();
    let title = standings.first().map_or("", |standing| standing.agent.planned.label.as_str());
    if let Some(standing) = standings.first() {
        body.push(&table_of(&facts(standing), 2));
    }
    for (number, standing) in standings.iter().enumerate() {
        let title = format!("Under the {} seed", standing.board.seed());
        section(&mut body, &format!("seed-{number}"), &title, &results(standing, bundled));
    }
    Frame { title, up: "../", sorts: false }.around(&body)
}

/// Says what the agent is.
fn facts(standing: &Standing) -> Vec<Vec<String>> {
    let planned = standing.agent.planned;
    let settings = planned.settings.label("");
    let settings = settings.strip_prefix(':').unwrap_or("all at their defaults");
    let mut facts = vec![
        cells(["what", "value"]),
        cells(["name", &planned.agent]),
        cells(["settings", settings]),
        cells(["tier", standing.board.tier(standing.agent)]),
        cells(["digest", &planned.digest]),
    ];
    facts.extend(planned.reported.as_ref().map(|reached| cells(["reached as", reached])));
    facts
}

/// Shows the agent's results on one leaderboard.
fn results(standing: &Standing, bundled: Bundled) -> Markup {
    let Standing { board, agent, place } = *standing;
    let mut markup = Markup::new();
    let rank = &board.leaderboard.ranks()[place];
    let interval = board.intervals.as_ref().and_then(|intervals| intervals.agents[place]);
    let interval = interval.map_or_else(String::new, |it| format!(", {} to {} in 95 % of resamples", it.low, it.high));
    markup.element("p", &[], &format!("Rank {rank}{interval}; cost {} a problem.", cost(agent)));
    for mark in &board.leaderboard.marks()[place] {
        markup.open("p", &[]);
        markup.element("strong", &[("class", "mark")], "! impossible but by luck");
        markup.text(&format!(" {}", mark.text()));
        markup.close("p");
    }
    markup.element("h3", &[], "Scores");
    markup.push(&table_of(&scores(board, agent), 1));
    markup.element("h3", &[], "By kind of problem");
    markup.element("p", &[("class", "lead")], "d is the number of inputs, T that of training examples.");
    markup.push(&by_setting(board, agent));
    if !agent.failures.is_empty() {
        markup.element("h3", &[], "Failures");
        let mut rows = vec![cells(["problem", "failure"])];
        let failures = agent.failures.iter().take(MOST_FAILURES);
        rows.extend(failures.map(|(problem, failure)| cells([*problem, &failure.to_string()])));
        markup.push(&table_of(&rows, 2));
        if let Some(more) = agent.failures.len().checked_sub(MOST_FAILURES).filter(|more| *more > 0) {
            markup.element("p", &[], &format!("... and {more} more"));
        }
    }
    markup.element("h3", &[], "Entries");
    markup.open("ul", &[]);
    for entry in board.having(&agent.planned.label) {
        markup.open("li", &[]);
        link(&mut markup, &format!("../{}", entry.file.page), entry.name);
        markup.text(" (");
        link(&mut markup, &format!("../{}", entry.file.pack), "pack");
        markup.text(")");
        markup.close("li");
    }
    markup.close("ul");
    markup.element("h3", &[], "To run it again");
    markup.element("pre", &[], &again(board, agent, bundled));
    markup
}

fn scores(board: &Board, agent: &AgentScores) -> Vec<Vec<String>> {
    let mut rows = vec![cells(["score", "mean", "problems"])];
    for name in board.scores.names() {
        if let Some(summary) = agent.summary(&name) {
            rows.push(vec![name.to_string(), mean(&name, summary), summary.problems.to_string()]);
        }
    }
    rows
}

/// Formats a mean with its error; fuel has neither a fraction nor an error in tables.
fn mean(name: &ScoreName, Summary { mean, stderr, .. }: Summary) -> String {
    if *name == *FUEL { quantity::count(mean) } else { quantity::with_error(mean, stderr) }
}

/// A coordinate of problems as a column.
type Coordinate = (&'static str, fn(&Coordinates) -> String);

/// The coordinates that settings are told apart by.
const COORDINATES: [Coordinate; 5] = [
    ("group", |place| place.group.clone()),
    ("d", |place| place.input_dim.map_or_else(String::new, |own| own.to_string())),
    ("T", |place| place.train_size.map_or_else(String::new, |own| own.to_string())),
    ("temperature", |place| place.temperature.map_or_else(String::new, |own| own.to_string())),
    ("acquisition", |place| place.acquisition.clone().unwrap_or_default()),
];

/// Makes the table of means over the repetitions of each setting.
fn by_setting(board: &Board, agent: &AgentScores) -> Markup {
    let plan = board.scores.plan;
    let mut settings: Vec<(&str, &Coordinates, usize)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for problem in &plan.problems {
        let next = settings.len();
        let place = *places.entry(problem.series()).or_insert(next);
        if place == next {
            settings.push((problem.series(), &problem.coordinates, 0));
        }
        settings[place].2 += 1;
    }
    let series: HashMap<&str, &str> =
        plan.problems.iter().map(|problem: &PlannedProblem| (&*problem.problem, problem.series())).collect();
    let some = |(_, value): &&Coordinate| settings.iter().any(|(_, place, _)| !value(place).is_empty());
    let columns: Vec<&Coordinate> = COORDINATES.iter().filter(some).collect();
    let names: Vec<ScoreName> = board.leaderboard.shown().collect();
    let mut rows = vec![if columns.is_empty() { cells(["problem"]) } else { cells(columns.iter().map(|it| it.0)) }];
    rows[0].push("problems".to_owned());
    rows[0].extend(names.iter().map(ScoreName::to_string));
    rows[0].push("failures".to_owned());
    for (name, place, problems) in &settings {
        let here = |problem: &str| series.get(problem) == Some(name);
        let mut row = if columns.is_empty() { cells([*name]) } else { cells(columns.iter().map(|it| it.1(place))) };
        row.push(problems.to_string());
        for score in &names {
            let summary = agent.summary_where(score, here);
            row.push(summary.map_or_else(|| "-".to_owned(), |summary| mean(score, summary)));
        }
        row.push(agent.failures.iter().filter(|(problem, _)| here(problem)).count().to_string());
        rows.push(row);
    }
    table_of(&rows, columns.len().max(1))
}

/// Returns the commands that run the agent again on the same problems.
fn again(board: &Board, agent: &AgentScores, bundled: Bundled) -> String {
    let Some(entry) = board.having(&agent.planned.label).next() else { return String::new() };
    let plan = Plan { agents: vec![agent.planned.clone()], ..board.scores.plan.clone() };
    let folder = names::slug(entry.name);
    let mut lines = Vec::new();
    if agent.planned.is_component() && !bundled(agent.planned) {
        let pack = entry.file.pack.rsplit('/').next().unwrap_or_default();
        let member = Kept::Agent.path(&agent.planned.digest);
        lines.push(format!("mkdir -p {folder} && tar -xzf {pack} -C {folder} {member}"));
    }
    lines.push(run_command(&plan, &folder, bundled));
    lines.join("\n")
}

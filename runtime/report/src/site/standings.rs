//! The tables of the first page: a row for each agent.

use jointly_core::{Better, FUEL, ScoreName, Summary};
use jointly_record::quantity;
use jointly_score::leaderboard::cost;
use jointly_score::overfit::{Overfit, overfit};
use jointly_score::scores::AgentScores;

use super::board::Board;
use super::frame::link;
use super::names;
use crate::drawing::Markup;
use crate::leaderboard_text::share;

/// A cell: its text, with the number that it is sorted by.
struct Cell {
    text: String,
    value: Option<f64>,
}

impl Cell {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None }
    }

    fn of(summary: Option<Summary>) -> Self {
        let text = summary.map_or_else(|| "-".to_owned(), |summary| quantity::with_error(summary.mean, summary.stderr));
        Self { text, value: summary.map(|summary| summary.mean).filter(|mean| !mean.is_nan()) }
    }

    fn count(count: usize) -> Self {
        Self { text: count.to_string(), value: Some(count as f64) }
    }
}

/// The rank, agent and further columns that every table has, with what their headings mean.
const MEANINGS: [(&str, &str); 5] = [
    ("#", "the rank, and the interval of 95 % of the agent's ranks in resamples of the problems"),
    ("tier", "replayed: anybody can make the result again, to the bit; reported: nobody can"),
    ("first in", "the share of the resamples in which the agent is first"),
    ("cost", "fuel a problem, or seconds of an agent outside the sandbox"),
    ("failures", "the number of problems that the agent failed on"),
];
/// The columns that stand beside the sealed scores, with what their headings mean.
const BESIDE: [(&str, &str); 3] = [
    ("public", "the compared score of the same agent under the public seed"),
    ("sealed - public", "the score minus that under the public seed, paired by the names of problems"),
    ("above others", "that difference minus the mean difference of the other agents"),
];

/// Returns the headings that a leaderboard's table has beside those of scores, with what they mean.
pub(super) fn meanings(board: &Board, beside: bool) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let tiers = has_tiers(board);
    let beside = BESIDE.iter().filter(move |_| beside);
    MEANINGS.iter().filter(move |(name, _)| tiers || *name != "tier").chain(beside)
}

/// Returns whether a leaderboard's table has the column of tiers.
fn has_tiers(board: &Board) -> bool {
    board.leaderboard.agents().any(|agent| board.scores.plan.reports(agent.planned))
}

fn meaning(heading: &str) -> &'static str {
    MEANINGS.iter().chain(&BESIDE).find(|(own, _)| *own == heading).map_or("", |(_, meaning)| meaning)
}

/// Makes the table of a leaderboard. Where there is one under the public seed, its scores stand beside these.
pub(super) fn table(board: &Board, public: Option<&Board>) -> Markup {
    let shown: Vec<ScoreName> = board.leaderboard.shown().filter(|name| *name != *FUEL).collect();
    let baseline = board.leaderboard.baseline(board.baseline).filter(|_| board.leaderboard.compared_by().is_some());
    let columns = Columns {
        tier: has_tiers(board),
        both: public.map(|public| overfit(&board.leaderboard, &public.leaderboard)),
        compared: baseline.is_some(),
        shown,
    };
    let mut table = Markup::new();
    table.open("table", &[("class", "sortable")]);
    table.element("caption", &[("hidden", "hidden")], "Choose a heading to sort by it.");
    table.open("thead", &[]);
    table.open("tr", &[]);
    let rank = [("scope", "col"), ("class", "number"), ("title", meaning("#")), ("aria-sort", "ascending")];
    table.element("th", &rank, "#");
    heading(&mut table, "agent", "text", "", Better::Neither);
    if columns.tier {
        heading(&mut table, "tier", "text", meaning("tier"), Better::Neither);
    }
    for name in &columns.shown {
        heading(&mut table, &name.to_string(), "number", &name.meaning(), name.better());
    }
    for (name, meaning) in BESIDE.iter().filter(|_| columns.both.is_some()) {
        heading(&mut table, name, "number", meaning, Better::Lower);
    }
    if let Some(baseline) = baseline {
        let name = format!("vs {}", baseline.agent.planned.label);
        heading(&mut table, &name, "number", "the difference to the baseline, paired by problem", Better::Lower);
    }
    for (name, better) in [("first in", Better::Higher), ("cost", Better::Lower), ("failures", Better::Lower)] {
        heading(&mut table, name, "number", meaning(name), better);
    }
    table.close("tr");
    table.close("thead");
    table.open("tbody", &[]);
    rows(&mut table, board, &columns);
    table.close("tbody");
    table.close("table");
    table
}

/// The columns of a table that not every table has.
struct Columns<'a> {
    tier: bool,
    shown: Vec<ScoreName>,
    both: Option<Vec<Overfit<'a>>>,
    compared: bool,
}

/// Adds a heading; the script sorts by it from the better end.
fn heading(table: &mut Markup, text: &str, class: &str, meaning: &str, better: Better) {
    let mut attributes = vec![("scope", "col"), ("class", class), ("title", meaning)];
    if better == Better::Higher {
        attributes.push(("data-first", "descending"));
    }
    table.element("th", &attributes, text);
}

fn rows(table: &mut Markup, board: &Board, columns: &Columns) {
    let leaderboard = &board.leaderboard;
    let comparisons = leaderboard.comparisons(board.baseline);
    for (place, (agent, rank)) in leaderboard.agents().zip(leaderboard.ranks()).enumerate() {
        table.open("tr", &[("data-tier", board.tier(agent))]);
        let interval = board.intervals.as_ref().and_then(|intervals| intervals.agents[place]);
        // The floor stands above all ranks.
        let value = if agent.planned.is_reference() { Some(0.0) } else { rank.parse().ok() };
        opened(table, "td", "number", value);
        table.text(&rank);
        if let Some(interval) = interval {
            let text = format!(" {}\u{2013}{}", interval.low, interval.high);
            table.element("span", &[("class", "soft")], &text);
        }
        table.close("td");
        table.open("th", &[("scope", "row"), ("class", "text agent")]);
        link(table, &names::agent(agent.planned), &agent.planned.label);
        if let Some(entrant) = board.entrants.get(&agent.planned.label) {
            table.element("span", &[("class", "soft")], &format!(" by {entrant}"));
        }
        let marks = &leaderboard.marks()[place];
        if !marks.is_empty() {
            let why: Vec<String> = marks.iter().map(jointly_score::mark::Mark::text).collect();
            table.text(" ");
            table.element("strong", &[("class", "mark"), ("title", &why.join("; "))], "! impossible but by luck");
        }
        table.close("th");
        if columns.tier {
            table.element("td", &[("class", "text")], board.tier(agent));
        }
        for name in &columns.shown {
            number(table, &Cell::of(agent.summary(name)));
        }
        if let Some(both) = &columns.both {
            let own = both.iter().find(|it| std::ptr::eq(it.sealed, agent));
            number(table, &Cell::of(own.and_then(|it| it.public.summary(&it.score))));
            number(table, &Cell::of(own.map(|it| it.difference)));
            number(table, &Cell::of(own.and_then(|it| it.above_others)));
        }
        if columns.compared {
            let comparison = comparisons[place];
            let mut cell = Cell::of(comparison.map(|comparison| comparison.difference));
            if comparison.is_some_and(|comparison| comparison.is_significant()) {
                cell.text += " *";
            }
            number(table, &cell);
        }
        number(
            table,
            &interval.map_or_else(|| Cell::text("-"), |it| Cell { text: share(it.first), value: Some(it.first) }),
        );
        number(table, &of_cost(agent));
        number(table, &Cell::count(agent.failures.len()));
        table.close("tr");
    }
}

fn of_cost(agent: &AgentScores) -> Cell {
    Cell { text: cost(agent), value: agent.summary(FUEL).map(|fuel| fuel.mean) }
}

fn number(table: &mut Markup, cell: &Cell) {
    opened(table, "td", "number", cell.value);
    table.text(&cell.text);
    table.close("td");
}

/// Opens a cell with the number that it is sorted by.
fn opened(table: &mut Markup, tag: &'static str, class: &str, value: Option<f64>) {
    match value {
        Some(value) => table.open(tag, &[("class", class), ("data-value", &value.to_string())]),
        None => table.open(tag, &[("class", class)]),
    }
}

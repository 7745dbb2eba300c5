//! The table of the first page: a row for each agent under each kind of seed.

use jointly_core::{FUEL, ScoreName, Summary};
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

/// Makes the table of all leaderboards; the scores of the second, if there is one, stand beside those of the first.
pub(super) fn table(boards: &[Board]) -> Markup {
    let Some(first) = boards.first() else { return Markup::new() };
    let shown: Vec<ScoreName> = first.leaderboard.shown().filter(|name| *name != *FUEL).collect();
    let baseline = boards.iter().find_map(|board| {
        let baseline = board.leaderboard.baseline(board.baseline)?;
        board.leaderboard.compared_by().map(|_| baseline.agent.planned.label.clone())
    });
    let both = boards.get(1).map(|public| overfit(&first.leaderboard, &public.leaderboard));
    let mut headings = vec![("#", "rank, and the interval of 95 % of its ranks in resamples of the problems")];
    headings.extend([("agent", ""), ("tier", "replayed: others can make the result again; reported: nobody can")]);
    headings.extend([("seed", ""), ("first in", "share of the resamples in which the agent is first")]);
    let mut table = Markup::new();
    table.open("table", &[("id", "standings")]);
    table.element("caption", &[("hidden", "hidden")], "Choose a heading to sort by it.");
    table.open("thead", &[]);
    table.open("tr", &[]);
    for (place, (heading, meaning)) in headings.iter().enumerate() {
        let class = if ["#", "first in"].contains(heading) { "number" } else { "text" };
        if place == 0 {
            let attributes = [("scope", "col"), ("class", class), ("title", meaning), ("aria-sort", "ascending")];
            table.element("th", &attributes, heading);
        } else {
            table.element("th", &[("scope", "col"), ("class", class), ("title", meaning)], heading);
        }
    }
    for name in &shown {
        let attributes = [("scope", "col"), ("class", "number"), ("title", &*name.meaning())];
        table.element("th", &attributes, &name.to_string());
    }
    let numbers = [
        both.as_ref().map(|_| ("public".to_owned(), "the compared score of the same agent under the public seed")),
        both.as_ref()
            .map(|_| ("sealed - public".to_owned(), "their difference: what the agent owes to a public suite")),
        baseline.map(|label| (format!("vs {label}"), "the difference to the baseline, paired by problem")),
        Some(("cost".to_owned(), "fuel, or seconds of an agent outside the sandbox")),
        Some(("failures".to_owned(), "the number of problems that the agent failed on")),
    ];
    for (heading, meaning) in numbers.iter().flatten() {
        table.element("th", &[("scope", "col"), ("class", "number"), ("title", meaning)], heading);
    }
    table.close("tr");
    table.close("thead");
    table.open("tbody", &[]);
    for (number, board) in boards.iter().enumerate() {
        rows(&mut table, board, &shown, both.as_deref().map(|both| if number == 0 { both } else { &[] }));
    }
    table.close("tbody");
    table.close("table");
    table
}

fn rows(table: &mut Markup, board: &Board, shown: &[ScoreName], both: Option<&[Overfit]>) {
    let leaderboard = &board.leaderboard;
    let comparisons = leaderboard.comparisons(board.baseline);
    let compared = leaderboard.baseline(board.baseline).is_some() && leaderboard.compared_by().is_some();
    for (place, (agent, rank)) in leaderboard.agents().zip(leaderboard.ranks()).enumerate() {
        table.open("tr", &[("data-tier", board.tier(agent)), ("data-seed", board.seed())]);
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
        let first =
            interval.map_or_else(|| Cell::text("-"), |it| Cell { text: share(it.first), value: Some(it.first) });
        table.open("th", &[("scope", "row"), ("class", "text agent")]);
        link(table, &names::agent(agent.planned), &agent.planned.label);
        let marks = &leaderboard.marks()[place];
        if !marks.is_empty() {
            let why: Vec<String> = marks.iter().map(jointly_score::mark::Mark::text).collect();
            table.text(" ");
            table.element("strong", &[("class", "mark"), ("title", &why.join("; "))], "! impossible but by luck");
        }
        table.close("th");
        table.element("td", &[("class", "text")], board.tier(agent));
        table.element("td", &[("class", "text")], board.seed());
        number(table, &first);
        for name in shown {
            number(table, &Cell::of(agent.summary(name)));
        }
        if let Some(both) = both {
            let own = both.iter().find(|it| std::ptr::eq(it.sealed, agent));
            number(table, &Cell::of(own.and_then(|it| it.public.summary(&it.score))));
            number(table, &Cell::of(own.map(|it| it.difference)));
        }
        if compared {
            let comparison = comparisons[place];
            let mut cell = Cell::of(comparison.map(|comparison| comparison.difference));
            if comparison.is_some_and(|comparison| comparison.is_significant()) {
                cell.text += " *";
            }
            number(table, &cell);
        }
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

//! The first page: the table of all agents, how sure its order is, and the entries.

use jointly_record::quantity::counted;

use super::board::Board;
use super::frame::{Frame, link, section};
use super::{pairs, standings};
use crate::drawing::Markup;
use crate::glossary;
use crate::leaderboard_text::share;

/// Makes the page of leaderboards, of which the first ranks.
pub(super) fn page(boards: &[Board]) -> String {
    let suite = boards.first().map_or("", |board| board.scores.plan.suite.as_str());
    let mut body = Markup::new();
    for board in boards {
        for line in board.leaderboard.heading(board.baseline).lines() {
            body.element("p", &[("class", "lead")], line);
        }
        body.element("p", &[], &certainty(board));
    }
    filter(&mut body);
    let class = [("class", "wide standings"), ("tabindex", "0"), ("role", "region"), ("aria-label", "leaderboard")];
    body.open("div", &class);
    body.push(&standings::table(boards));
    body.close("div");
    body.push(&notes(boards));
    for (number, board) in boards.iter().enumerate() {
        if let Some(pairs) = pairs::markup(board) {
            let title = if boards.len() > 1 {
                format!("Every two agents, {} seed", board.seed())
            } else {
                "Every two agents".to_owned()
            };
            section(&mut body, &format!("pairs-{number}"), &title, &pairs);
        }
    }
    section(&mut body, "entries", "Entries", &entries(boards));
    section(&mut body, "scores", "What the scores mean", &meanings(boards));
    Frame { title: &format!("Leaderboard: {suite}"), up: "", sorts: true }.around(&body)
}

/// Says how sure the first place is, and what kind of seed the problems come from.
fn certainty(board: &Board) -> String {
    let seed = if board.sealed {
        "The seed is sealed: nobody can guess the problems. Whether the agents were fixed before it was known is for the \
         rules of the contest to show."
    } else {
        "The seed is public: an agent can be made for its problems, so this table is for development."
    };
    let Some(intervals) = &board.intervals else {
        return format!("{seed} There are too few problems to say how sure the ranks are.");
    };
    let unit = board.leaderboard.unit();
    let first = board.leaderboard.agents().zip(&intervals.agents).find_map(|(agent, it)| Some((agent, (*it)?)));
    let first = first.map_or_else(String::new, |(agent, it)| {
        format!(
            "{} is first in {} of {} resamples of the {} {unit}s, with replacement; the range beside a rank has 95 % of the \
             agent's ranks in them. ",
            agent.planned.label,
            share(it.first),
            intervals.resamples,
            intervals.units
        )
    });
    first + seed
}

/// Adds what the script filters by; without it, it stays hidden.
fn filter(body: &mut Markup) {
    body.open("div", &[("id", "filter"), ("class", "filter"), ("hidden", "hidden"), ("role", "search")]);
    body.open("label", &[]);
    body.text("Agent ");
    body.empty("input", &[("type", "search"), ("id", "filter-text"), ("autocomplete", "off")]);
    body.close("label");
    let choices =
        [("filter-tier", "Tier ", ["", "replayed", "reported"]), ("filter-seed", "Seed ", ["", "public", "sealed"])];
    for (id, title, values) in choices {
        body.open("label", &[]);
        body.text(title);
        body.open("select", &[("id", id)]);
        for value in values {
            body.element("option", &[("value", value)], if value.is_empty() { "all" } else { value });
        }
        body.close("select");
        body.close("label");
    }
    body.element("output", &[("id", "filter-count"), ("aria-live", "polite")], "");
    body.close("div");
}

fn notes(boards: &[Board]) -> Markup {
    let mut notes: Vec<String> = Vec::new();
    for board in boards {
        let of = if boards.len() > 1 { format!("{} seed: ", board.seed()) } else { String::new() };
        notes.extend(board.leaderboard.notes().into_iter().map(|note| format!("{of}{note}")));
    }
    if boards.len() > 1 {
        notes.push(
            "public and sealed: the scores of the same agent, byte for byte, on problems that were known and on problems that \
             were not; above 0, the difference is the overfit to the public suite"
                .to_owned(),
        );
    }
    let mut markup = Markup::new();
    if !notes.is_empty() {
        markup.open("ul", &[("class", "notes")]);
        for note in &notes {
            markup.element("li", &[], note);
        }
        markup.close("ul");
    }
    markup
}

fn entries(boards: &[Board]) -> Markup {
    let mut markup = Markup::new();
    let about = "Each is a file that anybody can run again: jointly verify FILE. Its page says how to check it.";
    markup.element("p", &[("class", "lead")], about);
    markup.open("div", &[("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", "entries")]);
    markup.open("table", &[]);
    markup.open("thead", &[]);
    markup.open("tr", &[]);
    for heading in ["entry", "seed", "agents", "pack", "digest"] {
        markup.element("th", &[("scope", "col"), ("class", "text")], heading);
    }
    markup.close("tr");
    markup.close("thead");
    markup.open("tbody", &[]);
    for (board, entry) in boards.iter().flat_map(|board| board.entries.iter().map(move |entry| (board, entry))) {
        markup.open("tr", &[]);
        markup.open("th", &[("scope", "row"), ("class", "text")]);
        link(&mut markup, &entry.file.page, entry.name);
        markup.close("th");
        markup.element("td", &[("class", "text")], board.seed());
        markup.element("td", &[("class", "text")], &counted(entry.agents.len(), "agent"));
        markup.open("td", &[("class", "text")]);
        link(&mut markup, &entry.file.pack, &format!("{} bytes", entry.file.bytes));
        markup.close("td");
        markup.open("td", &[("class", "text")]);
        markup.element("code", &[], &entry.file.digest);
        markup.close("td");
        markup.close("tr");
    }
    markup.close("tbody");
    markup.close("table");
    markup.close("div");
    markup
}

fn meanings(boards: &[Board]) -> Markup {
    let mut markup = Markup::new();
    let Some(board) = boards.first() else { return markup };
    let compared = board.leaderboard.baseline(board.baseline).is_some();
    let names: Vec<_> = board.leaderboard.shown().collect();
    markup.open("dl", &[]);
    for (name, meaning) in glossary::entries(&names, board.scores.units(), board.scores.plan, compared) {
        markup.element("dt", &[], &name);
        markup.element("dd", &[], &meaning);
    }
    markup.close("dl");
    markup
}

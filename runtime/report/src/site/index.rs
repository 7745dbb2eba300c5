//! The first page: the table of all agents, how sure its order is, and the entries.

use jointly_record::quantity::counted;

use super::board::Board;
use super::frame::{Frame, link, section};
use super::{pairs, standings};
use crate::drawing::Markup;
use crate::glossary;
use crate::leaderboard_text::share;

/// What the numbers are about, for readers who arrive by a link.
const ABOUT: &str = "How good is an agent's uncertainty? On every problem each agent predicted at many inputs jointly, and \
    Jointly scored the predictions.";

/// Makes the page of leaderboards, of which the first ranks.
pub(super) fn page(boards: &[Board]) -> String {
    let suite = boards.first().map_or("", |board| board.scores.plan.suite.as_str());
    let mut body = Markup::new();
    body.element("p", &[], ABOUT);
    let public = boards.get(1);
    for (number, board) in boards.iter().enumerate() {
        let beside = public.filter(|_| number == 0);
        let ranked = ranked(board, beside);
        if number == 0 {
            body.push(&ranked);
        } else {
            section(&mut body, "public", "Other runs, for development", &ranked);
        }
    }
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
    section(&mut body, "scores", "What the columns mean", &meanings(boards));
    Frame { title: &format!("Leaderboard: {suite}"), up: "", sorts: true }.around(&body)
}

/// A leaderboard with what is to be known about it.
fn ranked(board: &Board, public: Option<&Board>) -> Markup {
    let mut body = Markup::new();
    for line in board.leaderboard.heading(board.baseline).lines() {
        body.element("p", &[("class", "lead")], line);
    }
    body.element("p", &[], &certainty(board));
    filter(&mut body, board);
    let name = format!("leaderboard, {} seed", board.seed());
    let class = [("class", "wide standings"), ("tabindex", "0"), ("role", "region"), ("aria-label", name.as_str())];
    body.open("div", &class);
    body.push(&standings::table(board, public));
    body.close("div");
    body.push(&notes(board, public));
    body
}

/// Says how sure the first place is, and what kind of seed the problems come from.
fn certainty(board: &Board) -> String {
    let seed = board.about_seed();
    let Some(intervals) = &board.intervals else {
        return format!("{seed} There are too few problems to say how sure the ranks are.");
    };
    let unit = board.leaderboard.unit();
    let first = board.leaderboard.agents().zip(&intervals.agents).find_map(|(agent, it)| Some((agent, (*it)?)));
    let first = first.map_or_else(String::new, |(agent, it)| {
        let few = if intervals.are_few() {
            format!(" With so few {unit}s these ranges are too narrow.")
        } else {
            String::new()
        };
        format!(
            "{} is first in {} of {} resamples of the {} {unit}s, with replacement; the range beside a rank has 95 % of the \
             agent's ranks in them.{few} ",
            agent.planned.label,
            share(it.first),
            intervals.resamples,
            intervals.units
        )
    });
    first + seed
}

/// Adds what the script filters the table after it by; without the script, it stays hidden.
fn filter(body: &mut Markup, board: &Board) {
    body.open("div", &[("class", "filter"), ("hidden", "hidden"), ("role", "search")]);
    body.open("label", &[]);
    body.text("Agent ");
    body.empty("input", &[("type", "search"), ("autocomplete", "off")]);
    body.close("label");
    if board.leaderboard.agents().any(|agent| board.scores.plan.reports(agent.planned)) {
        body.open("label", &[]);
        body.text("Tier ");
        body.open("select", &[]);
        for value in ["", "replayed", "reported"] {
            body.element("option", &[("value", value)], if value.is_empty() { "all" } else { value });
        }
        body.close("select");
        body.close("label");
    }
    body.element("output", &[("aria-live", "polite")], "");
    body.close("div");
}

fn notes(board: &Board, public: Option<&Board>) -> Markup {
    let mut notes = board.leaderboard.notes();
    if public.is_some() {
        notes.push(
            "public and sealed: the scores of the same agent, byte for byte, on problems that were known and on problems that \
             were not. Random problems can be harder under one seed; above others is the agent's difference minus the mean difference \
             of the other agents, so an overfit that all share does not show"
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
    markup.open("p", &[("class", "lead")]);
    markup.text("Each is a file that anybody can run again by ");
    markup.element("code", &[], "jointly verify FILE");
    markup.text(". Its page says how to check it.");
    markup.close("p");
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
    let columns =
        standings::meanings(board, boards.len() > 1).map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned()));
    let scores = glossary::entries(&names, board.scores.units(), board.scores.plan, compared);
    for (name, meaning) in columns.chain(scores) {
        markup.element("dt", &[], &name);
        markup.element("dd", &[], &meaning);
    }
    markup.close("dl");
    markup
}

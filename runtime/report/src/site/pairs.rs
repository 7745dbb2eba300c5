//! Every two agents compared: a table of p values.

use jointly_record::quantity::{self, counted};
use jointly_score::comparison::LEVEL;
use jointly_score::pairwise::MOST_AGENTS;

use super::board::Board;
use crate::drawing::Markup;

/// P values below this are not told apart.
const LEAST: f64 = 0.001;

/// Makes the table of a leaderboard's comparisons; returns `None` where nothing can be tested.
pub(super) fn markup(board: &Board) -> Option<Markup> {
    let pairwise = board.leaderboard.pairwise();
    let by = board.leaderboard.compared_by()?;
    let tests = pairwise.tests();
    if tests == 0 {
        return None;
    }
    let unit = board.leaderboard.unit();
    let shown = if pairwise.agents.len() == MOST_AGENTS {
        format!(" Only the first {MOST_AGENTS} agents are compared.")
    } else {
        String::new()
    };
    let mut markup = Markup::new();
    let about = format!(
        "Where the row's agent has a lower {by} than the column's: the p value of a two-sided t-test of the differences over \
         {unit}s, with Holm's correction for {}. Those with * are below {LEVEL}.{shown}",
        counted(tests, "pair")
    );
    markup.element("p", &[("class", "lead")], &about);
    let name = format!("pairwise tests, {} seed", board.seed());
    markup.open("div", &[("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", name.as_str())]);
    markup.open("table", &[("class", "pairs")]);
    markup.open("thead", &[]);
    markup.open("tr", &[]);
    markup.element("th", &[("scope", "col"), ("class", "text")], "agent");
    for (place, agent) in pairwise.agents.iter().enumerate().skip(1) {
        let number = format!("[{}]", place + 1);
        let attributes = [("scope", "col"), ("class", "number"), ("title", agent.planned.label.as_str())];
        markup.element("th", &attributes, &number);
    }
    markup.close("tr");
    markup.close("thead");
    markup.open("tbody", &[]);
    let mut pairs = pairwise.pairs.iter().peekable();
    for (row, agent) in pairwise.agents.iter().enumerate() {
        markup.open("tr", &[]);
        markup.open("th", &[("scope", "row"), ("class", "text")]);
        markup.breakable(&format!("[{}] {}", row + 1, agent.planned.label));
        markup.close("th");
        for (column, other) in pairwise.agents.iter().enumerate().skip(1) {
            match pairs.next_if(|(first, second, _)| (*first, *second) == (row, column)) {
                Some((_, _, comparison)) => {
                    let mean = quantity::with_error(comparison.difference.mean, comparison.difference.stderr);
                    let title = format!("{} less {}: {mean}", agent.planned.label, other.planned.label);
                    let text = match comparison.adjusted {
                        None => "-".to_owned(),
                        Some(p) if p < LEAST => format!("<{LEAST} *"),
                        Some(p) if p > 1.0 - LEAST / 2.0 => "1".to_owned(),
                        Some(p) => format!("{p:.3}{}", if comparison.is_significant() { " *" } else { "" }),
                    };
                    let class = if comparison.is_significant() { "number sure" } else { "number soft" };
                    markup.element("td", &[("class", class), ("title", &title)], &text);
                }
                None => markup.element("td", &[], ""),
            }
        }
        markup.close("tr");
    }
    markup.close("tbody");
    markup.close("table");
    markup.close("div");
    Some(markup)
}

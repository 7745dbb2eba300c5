//! A picture of agents' numbers as bars, beside published ones.

use crate::drawing::{self, Palette, STANDALONE};
use crate::ratio::Ratio;
use crate::rows::{self, Bar, Fill, Heading, Row};

/// The contents of a panel: ratios to a baseline, and what was published of them.
pub struct Compared<'a> {
    /// The heading.
    pub title: &'a str,
    /// The name of the axis.
    pub axis: String,
    /// The numbers, one for each agent.
    pub numbers: Vec<Number<'a>>,
}

/// An agent's ratio to the baseline.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    /// The agent's label.
    pub agent: &'a str,
    /// Ours.
    pub ours: f64,
    /// The standard error of ours, NaN if it is not known.
    pub stderr: f64,
    /// The published number, if it is one and not a bound.
    pub published: Option<f64>,
}

/// Returns the picture of the panels, from left to right, as the contents of an SVG file. Agents are in the order of their
/// numbers in the last panel that has them, the smallest first.
pub fn to_svg(panels: &[Compared]) -> String {
    let mut order: Vec<Number> = Vec::new();
    for panel in panels.iter().rev() {
        let mut more = panel.numbers.clone();
        more.retain(|number| order.iter().all(|known| known.agent != number.agent));
        more.sort_by(|a, b| a.ours.total_cmp(&b.ours));
        order.extend(more);
    }
    let palette = Palette::new(order.iter().map(|number| drawing::agent(number.agent)));
    let row = |agent: &str| Row {
        label: agent.to_owned(),
        style: palette.style(drawing::agent(agent)),
        fill: Fill::Full,
        bars: panels.iter().map(|panel| bar(panel, agent)).collect(),
    };
    let rows: Vec<Row> = order.iter().map(|number| row(number.agent)).collect();
    let heading =
        |panel: &Compared| Heading { title: panel.title.to_owned(), axis: panel.axis.clone(), baseline: Some(1.0) };
    let headings: Vec<Heading> = panels.iter().map(heading).collect();
    rows::draw(&headings, &rows).standalone(STANDALONE).into_string()
}

/// Returns the bar of an agent, which says `no result` if the panel has no number of it.
fn bar(panel: &Compared, agent: &str) -> Bar {
    let number = panel.numbers.iter().find(|number| number.agent == agent);
    let (value, stderr) = number.map_or((f64::NAN, f64::NAN), |number| (number.ours, number.stderr));
    let ratio = Ratio { value, stderr, problems: usize::from(number.is_some()), defect: None };
    Bar { ratio, of: 1, failed: 0, published: number.and_then(|number| number.published) }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Number, to_svg};

    #[test]
    fn bars_stand_beside_published_numbers_in_the_order_of_the_last_panel() {
        let number = |agent, ours, published| Number { agent, ours, stderr: 0.05, published };
        let panel = |title, numbers| Compared { title, axis: "kl / kl of mlp".to_owned(), numbers };
        let first = vec![number("bbb", 0.5, Some(0.73)), number("dropout", 0.9, None), number("mlp", 0.1, None)];
        let last = vec![number("bbb", 1.5, Some(1.0)), number("dropout", 0.8, Some(1.0)), number("prior", 0.9, None)];
        let picture = to_svg(&[panel("tau 1", first), panel("tau 100", last)]);
        assert!(picture.starts_with("<svg"), "{picture}");
        let place =
            |text: &str| picture.find(&format!(">{text}</text>")).unwrap_or_else(|| panic!("{text}: {picture}"));
        assert!(place("tau 1") < place("tau 100"));
        assert!(place("dropout") < place("prior") && place("prior") < place("bbb"), "{picture}");
        assert!(place("bbb") < place("mlp"), "{picture}");
        assert_eq!(picture.matches("published: ").count(), 3, "{picture}");
        assert!(picture.contains("published: 0.73") && picture.contains(">0.500 ±0.050</text>"), "{picture}");
        assert_eq!(picture.matches(">no result</text>").count(), 2, "{picture}");
    }
}

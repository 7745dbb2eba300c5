//! The colour, marker and dashes of each agent, the same in every picture.
//!
//! The colours are those of Okabe and Ito ("Color universal design", 2008) without their yellow, which is hard to see
//! on white paper, and with a grey. The style sheet gives each a light and a dark shade. Agents that share a colour
//! differ in marker and dashes.

use std::collections::BTreeMap;

/// The style of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// A colour of the style sheet.
    pub(crate) colour: &'static str,
    pub(crate) marker: Marker,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(crate) dashes: &'static str,
}

/// The outline of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    /// A triangle that points down.
    Wedge,
    Diamond,
    Bar,
}

use Marker::{Bar, Circle, Diamond, Square, Triangle, Wedge};

const INK: &str = "var(--ink)";
const ORANGE: &str = "var(--orange)";
const SKY: &str = "var(--sky)";
const GREEN: &str = "var(--green)";
const BLUE: &str = "var(--blue)";
const RED: &str = "var(--red)";
const PURPLE: &str = "var(--purple)";
const GREY: &str = "var(--grey)";

const WHOLE: &str = "";
const DASHED: &str = "6 3";
const DOTTED: &str = "2 3";

/// Agents known by name; those of the paper each have their own colour.
const KNOWN: [(&str, Style); 38] = [
    ("mlp", Style::new(INK, Circle, DASHED)),
    ("ensemble", Style::new(ORANGE, Square, WHOLE)),
    ("dropout", Style::new(SKY, Triangle, WHOLE)),
    ("bbb", Style::new(GREEN, Diamond, WHOLE)),
    ("sgmcmc", Style::new(RED, Wedge, WHOLE)),
    ("ensemble+", Style::new(BLUE, Square, WHOLE)),
    ("hypermodel", Style::new(PURPLE, Circle, WHOLE)),
    ("prior", Style::new(GREY, Circle, WHOLE)),
    ("oracle", Style::new(INK, Diamond, DOTTED)),
    ("epinet", Style::new(PURPLE, Triangle, DASHED)),
    ("nuts", Style::new(RED, Diamond, DASHED)),
    ("ntk-ensemble", Style::new(BLUE, Circle, DASHED)),
    ("flow", Style::new(GREEN, Wedge, DASHED)),
    ("laplace", Style::new(SKY, Square, DASHED)),
    ("deep-kernel", Style::new(ORANGE, Diamond, DASHED)),
    ("uniform", Style::new(GREY, Square, DASHED)),
    ("class-average", Style::new(GREY, Triangle, DOTTED)),
    ("target-average", Style::new(INK, Wedge, DASHED)),
    ("logistic-regression", Style::new(GREY, Diamond, WHOLE)),
    ("knn", Style::new(ORANGE, Triangle, DOTTED)),
    ("random-forest", Style::new(GREEN, Square, DOTTED)),
    ("gp", Style::new(BLUE, Diamond, WHOLE)),
    ("svgp", Style::new(BLUE, Wedge, DASHED)),
    ("nng", Style::new(GREY, Wedge, WHOLE)),
    ("hmc", Style::new(RED, Circle, WHOLE)),
    ("fbnn", Style::new(PURPLE, Square, WHOLE)),
    ("bootstrap", Style::new(INK, Square, WHOLE)),
    ("concrete-dropout", Style::new(SKY, Diamond, WHOLE)),
    ("nkn", Style::new(INK, Triangle, DOTTED)),
    ("linear", Style::new(GREEN, Circle, DASHED)),
    ("quantile", Style::new(ORANGE, Circle, DASHED)),
    ("conformal", Style::new(PURPLE, Wedge, DASHED)),
    ("temperature-scaling", Style::new(RED, Square, WHOLE)),
    ("ll-svi", Style::new(PURPLE, Diamond, DASHED)),
    ("ll-dropout", Style::new(BLUE, Triangle, DASHED)),
    ("swag", Style::new(SKY, Circle, WHOLE)),
    ("packed-ensemble", Style::new(ORANGE, Wedge, DASHED)),
    ("pfn", Style::new(RED, Triangle, DASHED)),
];

const COLOURS: [&str; 7] = [PURPLE, SKY, ORANGE, GREEN, RED, BLUE, GREY];
const MARKERS: [Marker; 6] = [Bar, Diamond, Circle, Square, Triangle, Wedge];
const DASHES: [&str; 3] = [WHOLE, DASHED, DOTTED];

impl Style {
    const fn new(colour: &'static str, marker: Marker, dashes: &'static str) -> Self {
        Self { colour, marker, dashes }
    }

    /// Returns whether points of the two styles look the same.
    pub(crate) fn looks_like(self, other: Self) -> bool {
        (self.colour, self.marker) == (other.colour, other.marker)
    }

    /// Returns the style of the agent as the baseline in another agent's panel.
    pub(crate) fn baseline(self) -> Self {
        Self { colour: INK, dashes: DASHED, ..self }
    }

    /// Returns the style of variant `number` of an agent, from 1: among the [variants](Self::variant) that look like
    /// none of `others`, as far as there are enough of them.
    pub(crate) fn variant_unlike(self, number: usize, others: &[Self]) -> Self {
        let free = |style: &Self| !others.iter().any(|other| other.looks_like(*style));
        let mut variants = (1..MARKERS.len()).map(|variant| self.variant(variant)).filter(free);
        variants.nth(number - 1).unwrap_or_else(|| self.variant(number))
    }

    /// Returns the style of an agent's variant: the agent's colour, with a different marker and dashes for each number.
    pub(crate) fn variant(self, number: usize) -> Self {
        let own = MARKERS.iter().position(|marker| *marker == self.marker).unwrap_or(0);
        let dashes = DASHES.iter().position(|dashes| *dashes == self.dashes).unwrap_or(0);
        Self {
            marker: MARKERS[(own + number) % MARKERS.len()],
            dashes: DASHES[(dashes + number) % DASHES.len()],
            ..self
        }
    }
}

/// The styles of a run's agents.
pub(crate) struct Palette<'a>(BTreeMap<&'a str, Style>);

impl<'a> Palette<'a> {
    /// Gives known agents their own styles; other agents take the remaining ones in order.
    pub(crate) fn new(agents: impl IntoIterator<Item = &'a str>) -> Self {
        let agents: Vec<&str> = agents.into_iter().collect();
        let mut styles: BTreeMap<&str, Style> =
            agents.iter().filter_map(|agent| Some((*agent, known(agent)?))).collect();
        let mut left = (0..COLOURS.len() * MARKERS.len()).map(left_over);
        for agent in agents {
            if !styles.contains_key(agent) {
                let taken = |style: &Style| styles.values().any(|other| other.looks_like(*style));
                let free = left.find(|style| !taken(style)).unwrap_or_else(|| left_over(0));
                styles.insert(agent, free);
            }
        }
        Self(styles)
    }

    /// Returns the style of an agent that the palette was made for.
    pub(crate) fn style(&self, agent: &str) -> Style {
        self.0.get(agent).copied().unwrap_or_else(|| left_over(0))
    }
}

fn known(agent: &str) -> Option<Style> {
    KNOWN.iter().find(|(name, _)| *name == agent).map(|(_, style)| *style)
}

/// Returns unused styles, varying colour first, then marker and dashes, so that the first few differ in colour.
fn left_over(number: usize) -> Style {
    let round = number / COLOURS.len();
    Style {
        colour: COLOURS[number % COLOURS.len()],
        marker: MARKERS[(number % COLOURS.len() + round) % MARKERS.len()],
        dashes: DASHES[(round + 1) % DASHES.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Palette, left_over};

    #[test]
    fn no_two_known_agents_look_the_same() {
        for (i, (name, style)) in KNOWN.iter().enumerate() {
            let twin = KNOWN[..i].iter().find(|(_, other)| other.looks_like(*style));
            assert!(twin.is_none(), "{name} and {twin:?}");
        }
    }

    #[test]
    fn an_agent_looks_the_same_whoever_else_takes_part() {
        let alone = Palette::new(["ensemble+"]).style("ensemble+");
        assert_eq!(Palette::new(["mine", "mlp", "ensemble+"]).style("ensemble+"), alone);
    }

    #[test]
    fn a_variant_looks_like_no_other_agent() {
        let (ensemble, knn) = (Palette::new(["ensemble"]).style("ensemble"), Palette::new(["knn"]).style("knn"));
        assert!(ensemble.variant(1).looks_like(knn));
        let variants: Vec<_> = (1..4).map(|number| ensemble.variant_unlike(number, &[knn])).collect();
        assert!(variants.iter().all(|variant| !variant.looks_like(knn) && variant.colour == ensemble.colour));
        assert!(!variants[0].looks_like(variants[1]) && !variants[1].looks_like(variants[2]));
        assert_eq!(ensemble.variant_unlike(2, &[]), ensemble.variant(2));
    }

    #[test]
    fn forty_unknown_agents_differ() {
        let styles: Vec<_> = (0..40).map(left_over).collect();
        for (i, style) in styles.iter().enumerate() {
            assert!(!styles[..i].iter().any(|other| other.looks_like(*style)), "{i}");
        }
    }
}

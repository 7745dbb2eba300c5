//! Box plots: the quartiles of some numbers as a box, and whiskers to the minimum and the maximum.

use crate::drawing::canvas::{Area, Canvas};
use crate::drawing::palette::Style;
use crate::drawing::panel::Panel;

/// The numbers of a box, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quartiles {
    pub(crate) least: f64,
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
    /// May be infinite, like the others.
    pub(crate) greatest: f64,
}

/// Height of a box whose quartiles are equal.
const FLAT: f64 = 1.6;
/// Distance from the panel's top of a mark that stands for an infinite value.
const WORD: f64 = 11.0;

impl Panel {
    /// Draws a box centred on an x position, `width` pixels wide, with the agent's marker at its median. Parts beyond
    /// the panel are cut off at its edge; infinite values are marked there.
    pub(crate) fn quartiles(
        &self,
        canvas: &mut Canvas,
        (x, width): (f64, f64),
        box_: &Quartiles,
        style: &Style,
        title: &str,
    ) {
        let at = self.x.at(x);
        let (top, bottom) = (self.area.top, self.area.bottom());
        let y = |value: f64| if value == f64::INFINITY { top } else { self.y.at(value).clamp(top, bottom) };
        let [least, lower, median, upper, greatest] =
            [box_.least, box_.lower, box_.median, box_.upper, box_.greatest].map(y);
        canvas.error_bar((at, lower), (at, least), style.colour);
        canvas.error_bar((at, upper), (at, greatest), style.colour);
        let (upper, lower) =
            if lower - upper < FLAT { (median - FLAT / 2.0, median + FLAT / 2.0) } else { (upper, lower) };
        let area = Area { left: at - width / 2.0, top: upper, width, height: lower - upper };
        let colour = style.colour;
        let dashes =
            if style.dashes.is_empty() { String::new() } else { format!(";stroke-dasharray:{}", style.dashes) };
        let paint = format!("fill:{colour};fill-opacity:0.3;stroke:{colour};stroke-width:1.2{dashes}");
        canvas.rect(area, &[("style", &paint)], title);
        if box_.median.is_finite() {
            canvas.bar((at - width / 2.0, median), (at + width / 2.0, median), colour);
            canvas.marker((at, median), style, true, title);
        }
        if box_.greatest == f64::INFINITY {
            canvas.word((at, top + WORD), colour, "∞", title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Quartiles;
    use crate::drawing::canvas::{Area, Canvas};
    use crate::drawing::palette::Palette;
    use crate::drawing::panel::Panel;
    use crate::drawing::scale::Scale;

    fn drawn(quartiles: Quartiles) -> String {
        let area = Area { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
        let panel =
            Panel { area, x: Scale::linear((0.0, 1.0), area.across()), y: Scale::linear((0.0, 1.0), area.upwards()) };
        let mut canvas = Canvas::new(100.0, 100.0);
        panel.quartiles(&mut canvas, (0.5, 10.0), &quartiles, &Palette::new(["mlp"]).style("mlp"), "mlp");
        canvas.inline("").into_string()
    }

    #[test]
    fn a_box_is_between_the_quartiles() {
        let picture = drawn(Quartiles { least: 0.1, lower: 0.2, median: 0.5, upper: 0.6, greatest: 0.9 });
        assert!(picture.contains("<rect x=\"45\" y=\"40\" width=\"10\" height=\"40\""), "{picture}");
        assert!(picture.contains("M50 80L50 90") && picture.contains("M50 40L50 10"), "{picture}");
    }

    #[test]
    fn what_is_infinite_or_beyond_ends_at_the_edge() {
        let infinite = f64::INFINITY;
        let picture = drawn(Quartiles { least: -1.0, lower: 0.5, median: 0.5, upper: infinite, greatest: infinite });
        assert!(picture.contains("∞") && !picture.contains("inf") && !picture.contains("NaN"), "{picture}");
        assert!(picture.contains("M50 50L50 100"), "{picture}");
        // Five equal numbers give a line.
        let picture = drawn(Quartiles { least: 0.5, lower: 0.5, median: 0.5, upper: 0.5, greatest: 0.5 });
        assert!(picture.contains("y=\"49.2\" width=\"10\" height=\"1.6\""), "{picture}");
    }
}

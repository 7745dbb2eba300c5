//! A panel: two axes, a grid, and series of points with error bars between them.

use crate::drawing::canvas::{Anchor, Area, Canvas, Spot};
use crate::drawing::palette::Style;
use crate::drawing::scale::{Scale, Tick};

/// A rectangle with a horizontal and a vertical scale.
pub(crate) struct Panel {
    pub(crate) area: Area,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

/// The axis along one side of a panel.
#[derive(Default)]
pub(crate) struct Axis<'a> {
    pub(crate) ticks: Vec<Tick>,
    /// The quantity and its unit; empty if a neighbouring panel shows it.
    pub(crate) title: &'a str,
    /// Draws only the grid, because a neighbouring panel has the labels.
    pub(crate) bare: bool,
}

/// A measured value.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    /// Not finite if the measured value is not.
    pub(crate) y: f64,
    /// Not finite if it is not known.
    pub(crate) stderr: f64,
    /// Whether the agent failed on some of the problems.
    pub(crate) failed: bool,
    /// The text that appears when the pointer rests on the point.
    pub(crate) title: String,
}

impl Point {
    /// Returns whether a word is drawn instead of the point, because there is no finite or no comparable number.
    fn is_word(&self) -> bool {
        self.failed || !self.y.is_finite()
    }
}

/// Points joined by a line.
pub(crate) struct Series {
    pub(crate) style: Style,
    pub(crate) points: Vec<Point>,
    /// Whether markers are drawn, and not only the line.
    pub(crate) marked: bool,
}

/// Distance of a tick's label from its axis.
const LABEL: f64 = 15.0;
/// Distance of an axis' title from the axis.
const X_TITLE: f64 = 31.0;
const Y_TITLE: f64 = 44.0;
/// Distance from the panel's top of a word that stands for a number.
const WORD: f64 = 7.0;

impl Area {
    /// Returns the left and the right edge.
    pub(crate) fn across(&self) -> (f64, f64) {
        (self.left, self.right())
    }

    /// Returns the bottom and the top edge, in the order in which numbers grow.
    pub(crate) fn upwards(&self) -> (f64, f64) {
        (self.bottom(), self.top)
    }
}

impl Panel {
    pub(crate) fn spot(&self, x: f64, y: f64) -> Spot {
        (self.x.at(x), self.y.at(y))
    }

    /// Draws grid, axes and titles.
    pub(crate) fn frame(&self, canvas: &mut Canvas, title: &str, x: &Axis, y: &Axis) {
        let Area { left, top, width, height } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        for tick in &x.ticks {
            let at = self.x.at(tick.at);
            canvas.line((at, top), (at, bottom), "grid");
            if !x.bare {
                canvas.text((at, bottom + LABEL), Anchor::Middle, "tick", &tick.label);
            }
        }
        for tick in &y.ticks {
            let at = self.y.at(tick.at);
            canvas.line((left, at), (right, at), "grid");
            if !y.bare {
                canvas.text((left - 6.0, at + 4.0), Anchor::End, "tick", &tick.label);
            }
        }
        canvas.line((left, bottom), (right, bottom), "axis");
        canvas.line((left, top), (left, bottom), "axis");
        canvas.text((left + width / 2.0, top - 8.0), Anchor::Middle, "heading", title);
        canvas.text((left + width / 2.0, bottom + X_TITLE), Anchor::Middle, "title", x.title);
        canvas.upright((left - Y_TITLE, top + height / 2.0), "title", y.title);
    }

    /// Draws a line through the points, each with its standard error. A value that is not finite breaks the line and is
    /// written at the edge; a value beyond the panel is a hollow marker there.
    pub(crate) fn series(&self, canvas: &mut Canvas, series: &Series) {
        let Series { style, points, marked } = series;
        canvas.clipped(self.area, |canvas| {
            for run in points.split(Point::is_word).filter(|run| run.len() > 1) {
                let spots: Vec<Spot> = run.iter().map(|point| self.spot(point.x, point.y)).collect();
                canvas.polyline(&spots, style);
            }
        });
        for point in points.iter().filter(|point| *marked || point.is_word()) {
            self.point(canvas, point, style, true);
        }
    }

    /// Returns the spot of a point, moved into the panel if necessary.
    pub(crate) fn place(&self, point: &Point) -> Spot {
        let ((left, right), (bottom, top)) = (self.area.across(), self.area.upwards());
        let (x, y) = self.spot(point.x, point.y);
        (x.clamp(left, right), if point.is_word() { top + WORD } else { y.clamp(top, bottom) })
    }

    /// Draws a point with its standard error.
    pub(crate) fn point(&self, canvas: &mut Canvas, point: &Point, style: &Style, filled: bool) {
        let (x, y) = self.spot(point.x, point.y);
        let (top, bottom) = (self.area.top, self.area.bottom());
        if point.is_word() {
            let word = match point.y {
                _ if point.failed => "×".to_owned(),
                f64::INFINITY => "∞".to_owned(),
                y => y.to_string(),
            };
            let (x, y) = self.place(point);
            return canvas.word((x, y + 4.0), style.colour, &word, &point.title);
        }
        let (left, right) = self.area.across();
        let beyond = y < top || y > bottom || x < left || x > right;
        if !beyond && point.stderr > 0.0 && point.stderr.is_finite() {
            let (low, high) = (self.y.at(point.y - point.stderr), self.y.at(point.y + point.stderr));
            canvas.error_bar((x, low.min(bottom)), (x, high.max(top)), style.colour);
        }
        canvas.marker(self.place(point), style, filled && !beyond, &point.title);
    }
}

#[cfg(test)]
mod tests {
    use super::{Panel, Point, Series};
    use crate::drawing::canvas::{Area, Canvas};
    use crate::drawing::palette::Palette;
    use crate::drawing::scale::Scale;

    fn drawn(values: &[f64]) -> String {
        let area = Area { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
        let (x, y) = (Scale::linear((0.0, 10.0), area.across()), Scale::linear((0.0, 1.0), area.upwards()));
        let point =
            |(i, y): (usize, &f64)| Point { x: i as f64, y: *y, stderr: 0.1, failed: i == 9, title: String::new() };
        let points = values.iter().enumerate().map(point).collect();
        let style = Palette::new(["mlp"]).style("mlp");
        let mut canvas = Canvas::new(100.0, 100.0);
        Panel { area, x, y }.series(&mut canvas, &Series { style, points, marked: true });
        canvas.inline("").into_string()
    }

    #[test]
    fn what_is_not_finite_or_failed_breaks_the_line_and_is_named() {
        let text = drawn(&[0.2, 0.3, f64::INFINITY, 0.4, 0.5, f64::NAN, 0.1, 0.1, 0.1, 0.1]);
        assert_eq!(text.matches("<polyline").count(), 3, "{text}");
        assert!(text.contains("∞") && text.contains("NaN") && text.contains("×"), "{text}");
        assert_eq!(text.matches("class=\"marker\"").count(), 7);
    }

    #[test]
    fn what_lies_beyond_the_panel_is_hollow_at_its_edge() {
        let text = drawn(&[0.5, 7.0]);
        assert_eq!(text.matches("fill:none").count(), 1, "{text}");
        assert_eq!(text.matches("class=\"error\"").count(), 1);
    }
}

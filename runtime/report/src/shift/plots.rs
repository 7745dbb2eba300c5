//! Panels of curves, with few enough curves in each to tell them apart.

use crate::drawing::{Axis, Canvas, Panel, Point, Scale, Series, Style, Tick};
use crate::grid::{Grid, Key, range_of};

/// The maximum number of curves in a panel, and in a panel of ranks, which never overlap.
const MOST: usize = 9;
const MOST_RANKS: usize = 18;
/// The maximum number of labels of ranks.
const RANK_LABELS: usize = 12;

/// Selects the points of a curve that are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    /// Every point, with its error.
    All,
    /// One point in this many, at different places on each curve so that curves can be told apart.
    Every(usize),
}

/// A panel's curves, one for each agent.
pub(super) struct Plot {
    pub(super) heading: String,
    pub(super) x_title: String,
    pub(super) y_title: String,
    /// The possible ticks below; the axis covers them and the points.
    pub(super) ticks: Vec<f64>,
    /// Whether the horizontal axis is logarithmic.
    pub(super) logarithmic: bool,
    pub(super) marks: Marks,
    /// The range of the vertical axis, if it is not that of the points.
    pub(super) y: Option<(f64, f64)>,
    /// Whether the values are ranks: whole numbers, with 1 at the top.
    pub(super) ranks: bool,
    pub(super) lines: Vec<(Style, Vec<Point>)>,
}

/// Splits `count` items into ranges of at most `most`, as even as possible.
pub(crate) fn parts(count: usize, most: usize) -> Vec<std::ops::Range<usize>> {
    let parts = count.div_ceil(most).max(1);
    (0..parts).map(|part| part * count / parts..(part + 1) * count / parts).collect()
}

/// Draws the panels in columns, all with the same height. If there are more curves than fit into a panel, each row is
/// repeated with the next curves, on the same scales.
pub(super) fn draw(plots: &[Plot], columns: usize, height: f64, key: (Key, &[(&str, Style)])) -> Canvas {
    let columns = columns.clamp(1, plots.len().max(1));
    let curves = plots.iter().map(|plot| plot.lines.len()).max().unwrap_or(0);
    let most = if plots.iter().all(|plot| plot.ranks) { MOST_RANKS } else { MOST };
    let parts = parts(curves, most);
    let rows = plots.len().div_ceil(columns);
    let panels = rows * parts.len() * columns;
    let (grid, mut canvas) = Grid::of(panels, columns, height, key);
    for (number, plot) in plots.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let y = plot.y.unwrap_or_else(|| range(&plot.lines));
        for (part, range) in parts.iter().enumerate() {
            let area = grid.area((row * parts.len() + part) * columns + column);
            let upwards = if plot.ranks { (area.top, area.bottom()) } else { area.upwards() };
            let panel = Panel { area, x: plot.across(area.across()), y: Scale::linear(y, upwards) };
            let heading = match parts.len() {
                1 => plot.heading.clone(),
                parts => format!("{} ({} of {parts})", plot.heading, part + 1),
            };
            let x = Axis { ticks: panel.x.ticks_at(&plot.ticks), title: &plot.x_title, bare: false };
            let y = Axis { ticks: plot.upwards(&panel), title: &plot.y_title, bare: false };
            panel.frame(&mut canvas, &heading, &x, &y);
            let own = range.start.min(plot.lines.len())..range.end.min(plot.lines.len());
            for (place, (style, points)) in plot.lines[own].iter().enumerate() {
                let marked = plot.marks == Marks::All;
                panel.series(&mut canvas, &Series { style: *style, points: points.clone(), marked });
                if let Marks::Every(every) = plot.marks {
                    // Marks of overlapping curves do not overlap, and points at 0 are not marked.
                    let marked = points.iter().skip(1 + place * every / most).step_by(every);
                    for point in marked.filter(|point| point.y > 0.0) {
                        panel.point(&mut canvas, point, style, true);
                    }
                }
            }
        }
    }
    canvas
}

impl Plot {
    fn upwards(&self, panel: &Panel) -> Vec<Tick> {
        if !self.ranks {
            return panel.y.ticks((panel.area.height / 32.0) as usize);
        }
        let every = self.lines.len().div_ceil(RANK_LABELS).max(1);
        let tick = |rank: usize| Tick { at: rank as f64, label: rank.to_string() };
        (1..=self.lines.len()).step_by(every).map(tick).collect()
    }

    fn across(&self, pixels: (f64, f64)) -> Scale {
        let points = self.lines.iter().flat_map(|(_, points)| points).map(|point| point.x);
        let all = || points.clone().chain(self.ticks.iter().copied());
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        if self.logarithmic {
            return Scale::logarithmic((low, high), pixels);
        }
        let margin = if self.marks == Marks::All { (high - low) * 0.04 } else { 0.0 };
        Scale::linear((low - margin, high + margin), pixels)
    }
}

/// Returns the range of the points, which starts at 0 or above if no point is negative.
pub(super) fn range(lines: &[(Style, Vec<Point>)]) -> (f64, f64) {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let (low, high) = range_of(points());
    if points().any(|point| point.y < 0.0) { (low, high) } else { (low.max(0.0), high) }
}

#[cfg(test)]
mod tests {
    use super::{Marks, Plot, draw, parts};
    use crate::drawing::{Palette, Point};
    use crate::grid::Key;

    #[test]
    fn parts_are_even_and_whole() {
        let ends = |count| parts(count, 8).into_iter().map(|part| (part.start, part.end)).collect::<Vec<_>>();
        assert_eq!((ends(8), ends(9), ends(0)), (vec![(0, 8)], vec![(0, 4), (4, 9)], vec![(0, 0)]));
    }

    #[test]
    fn curves_that_are_too_many_for_a_panel_have_another_on_the_same_scale() {
        let names: Vec<String> = (0..10).map(|i| i.to_string()).collect();
        let palette = Palette::new(names.iter().map(String::as_str));
        let line = |name: &String| {
            let y = name.parse().unwrap();
            let point = |x| Point { x, y, stderr: f64::NAN, failed: false, title: String::new() };
            (palette.style(name), vec![point(0.0), point(1.0)])
        };
        let plot = || Plot {
            heading: "Brier".into(),
            x_title: String::new(),
            y_title: String::new(),
            ticks: vec![0.0, 1.0],
            logarithmic: false,
            marks: Marks::All,
            y: None,
            ranks: false,
            lines: names.iter().map(line).collect(),
        };
        let picture = draw(&[plot(), plot(), plot()], 2, 100.0, (Key::Both, &[])).inline("").into_string();
        assert_eq!(picture.matches("<polyline").count(), 30, "{picture}");
        assert_eq!(picture.matches(">Brier (1 of 2)</text>").count(), 3);
        assert_eq!(picture.matches(">Brier (2 of 2)</text>").count(), 3);
        // Every axis has the same numbers.
        assert_eq!(picture.matches(">5</text>").count(), 6, "{picture}");
    }
}

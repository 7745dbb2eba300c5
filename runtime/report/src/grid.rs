//! Panels of one size, row by row below a legend, and their contents.

use crate::drawing::{Area, Axis, Canvas, Panel, Point, Scale, Series, Spot, Style};
use crate::figure::WIDTH;

/// Space on a panel's left for its numbers and axis title, and on its right to the next panel.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
/// Space above a panel for its heading, and below for its numbers and axis title.
const HEAD: f64 = 34.0;
const FOOT: f64 = 42.0;
/// Space above the legend's first line.
const TOP: f64 = 14.0;
/// How far a range reaches beyond the middle half of the numbers, in lengths of that half, and the fewest numbers for
/// this limit.
const FARTHEST: f64 = 20.0;
const FEW: usize = 8;
/// The margin of a range, as a fraction of its length.
const MARGIN: f64 = 0.06;

/// The legend's marks.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    Lines,
    Markers,
    Both,
}

/// The layout of panels.
pub(crate) struct Grid {
    columns: usize,
    /// The number of panels that would fill the sheet's width.
    across: usize,
    height: f64,
    top: f64,
}

impl Grid {
    /// Lays out `panels` panels below a legend, at most `most` side by side and each `height` high.
    pub(crate) fn of(panels: usize, most: usize, height: f64, key: (Key, &[(&str, Style)])) -> (Self, Canvas) {
        let columns = panels.clamp(1, most);
        // A single panel need not be as wide as the page.
        Self::laid(panels, (columns, columns.max(2)), height, key)
    }

    /// Lays out `panels` panels one below another, each as wide as the sheet.
    pub(crate) fn rows(panels: usize, height: f64, key: (Key, &[(&str, Style)])) -> (Self, Canvas) {
        Self::laid(panels, (1, 1), height, key)
    }

    fn laid(
        panels: usize,
        (columns, across): (usize, usize),
        height: f64,
        key: (Key, &[(&str, Style)]),
    ) -> (Self, Canvas) {
        let mut canvas = Canvas::new(WIDTH, 0.0);
        let (at, room) = ((LEFT, TOP), WIDTH - LEFT);
        let legend = match key {
            (_, []) => 0.0,
            (Key::Lines, entries) => canvas.lines(at, room, entries),
            (Key::Markers, entries) => canvas.markers(at, room, entries),
            (Key::Both, entries) => canvas.legend(at, room, entries),
        };
        let grid = Self { columns, across, height, top: legend };
        canvas.set_height(grid.top + panels.div_ceil(columns) as f64 * grid.row());
        (grid, canvas)
    }

    /// Returns the height of a row, including everything around its panels.
    fn row(&self) -> f64 {
        HEAD + self.height + FOOT
    }

    /// Returns the area of a panel by its number, counted from left to right and then down.
    pub(crate) fn area(&self, number: usize) -> Area {
        let width = (WIDTH / self.across as f64) - LEFT - RIGHT;
        let (row, column) = (number / self.columns, number % self.columns);
        let left = LEFT + column as f64 * (LEFT + width + RIGHT);
        Area { left, top: self.top + HEAD + row as f64 * self.row(), width, height: self.height }
    }
}

/// Draws a frame with a title on each side and as many ticks as fit.
pub(crate) fn frame(canvas: &mut Canvas, panel: &Panel, title: &str, (x_title, y_title): (&str, &str)) {
    let x = Axis { ticks: panel.x.ticks((panel.area.width / 60.0) as usize), title: x_title, bare: false };
    let y = Axis { ticks: panel.y.ticks((panel.area.height / 32.0) as usize), title: y_title, bare: false };
    panel.frame(canvas, title, &x, &y);
}

/// Draws a frame with ticks below at given numbers, as far as they fit.
pub(crate) fn frame_at(
    canvas: &mut Canvas,
    panel: &Panel,
    title: &str,
    ((x_title, x), y_title): ((&str, &[f64]), &str),
) {
    let x = Axis { ticks: panel.x.ticks_at(x), title: x_title, bare: false };
    let y = Axis { ticks: panel.y.ticks((panel.area.height / 32.0) as usize), title: y_title, bare: false };
    panel.frame(canvas, title, &x, &y);
}

/// Returns a panel over a horizontal and a vertical range.
pub(crate) fn panel(area: Area, x: (f64, f64), y: (f64, f64)) -> Panel {
    Panel { area, x: Scale::linear(x, area.across()), y: Scale::linear(y, area.upwards()) }
}

/// Returns the range of the finite numbers with a small margin, or 0 to 1 if there are none. If there are at least
/// [`FEW`], numbers that dwarf the middle half are left outside.
pub(crate) fn range(numbers: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let mut finite: Vec<f64> = numbers.into_iter().filter(|x| x.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (finite.first(), finite.last()) else { return (0.0, 1.0) };
    let (lower, upper) = (finite[finite.len() / 4], finite[finite.len() - 1 - finite.len() / 4]);
    let reach = if finite.len() < FEW || upper == lower { f64::INFINITY } else { FARTHEST * (upper - lower) };
    let inside = || finite.iter().copied().filter(|x| (lower - reach..=upper + reach).contains(x));
    let ends = (inside().fold(most, f64::min), inside().fold(least, f64::max));
    let margin = if ends.1 > ends.0 { (ends.1 - ends.0) * MARGIN } else { libm::fabs(ends.0).max(1.0) * MARGIN };
    (ends.0 - margin, ends.1 + margin)
}

/// Returns the range of points with their errors.
pub(crate) fn range_of<'p>(points: impl IntoIterator<Item = &'p Point>) -> (f64, f64) {
    let ends = |point: &Point| {
        let error = if point.stderr.is_finite() { point.stderr } else { 0.0 };
        [point.y - error, point.y + error]
    };
    range(points.into_iter().filter(|point| !point.failed).flat_map(ends))
}

/// Draws a line through numbers, interrupted where one is not finite, and cut off at the panel's edges.
pub(crate) fn trace(canvas: &mut Canvas, panel: &Panel, numbers: &[(f64, f64)], style: &Style) {
    canvas.clipped(panel.area, |canvas| {
        for run in numbers.split(|(_, y)| !y.is_finite()).filter(|run| run.len() > 1) {
            let spots: Vec<Spot> = run.iter().map(|(x, y)| panel.spot(*x, *y)).collect();
            canvas.polyline(&spots, style);
        }
    });
}

/// Draws a line with its points, in an agent's style.
pub(crate) fn series(canvas: &mut Canvas, panel: &Panel, style: Style, points: Vec<Point>) {
    panel.series(canvas, &Series { style, points, marked: true });
}

/// Draws the line of perfect values across a panel.
pub(crate) fn level_line(canvas: &mut Canvas, panel: &Panel, y: f64) {
    let (left, right) = panel.area.across();
    canvas.line((left, panel.y.at(y)), (right, panel.y.at(y)), "baseline");
}

#[cfg(test)]
mod tests {
    use super::{Grid, Key, range};
    use crate::figure::WIDTH;

    #[test]
    fn panels_lie_side_by_side_within_the_sheet() {
        let (grid, _) = Grid::of(7, 3, 100.0, (Key::Lines, &[]));
        let areas: Vec<_> = (0..7).map(|number| grid.area(number)).collect();
        for (i, area) in areas.iter().enumerate() {
            assert!(area.right() <= WIDTH && areas[..i].iter().all(|other| !other.overlaps(area)), "{area:?}");
        }
        assert_eq!((areas[3].left, areas[6].left), (areas[0].left, areas[0].left));
    }

    #[test]
    fn ranges_hold_what_is_finite() {
        let (low, high) = range([1.0, f64::INFINITY, 3.0, f64::NAN]);
        assert!(low < 1.0 && high > 3.0 && high < 3.2);
        let (low, high) = range([2.0]);
        assert!(low < 2.0 && high > 2.0);
        assert_eq!(range([f64::NAN]), (0.0, 1.0));
        let many = || (0..12).map(f64::from);
        assert!(range(many().chain([40.0])).1 > 40.0);
        let (low, high) = range(many().chain([1e9, -1e9]));
        assert!((-1.0..0.0).contains(&low) && (11.0..12.0).contains(&high), "{low} {high}");
    }
}

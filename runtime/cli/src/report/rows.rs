//! Rows of bars: one label a row and one panel a score, as Figures 2 and 3 of the paper have them.

use crate::drawing::{Anchor, Area, Axis, Canvas, Panel, Scale, Style, shortened, width};
use crate::report::figure::WIDTH;
use crate::report::ratio::Ratio;
use crate::table;

/// A row of bars.
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) style: Style,
    /// Whether the bars are only outlined.
    pub(crate) outlined: bool,
    /// One for each panel.
    pub(crate) bars: Vec<Bar>,
}

/// A bar.
pub(crate) struct Bar {
    pub(crate) ratio: Ratio,
    /// Problems on which the agent failed: then there is no bar.
    pub(crate) failed: usize,
    /// What others measured.
    pub(crate) published: Option<f64>,
}

/// What stands above and below a panel.
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) axis: String,
    /// Where the baseline is, if the bars are ratios.
    pub(crate) baseline: Option<f64>,
}

const TOP: f64 = 30.0;
const FOOT: f64 = 54.0;
const ROW: f64 = 28.0;
const BAR: f64 = 15.0;
/// Room for a bar's number, right of its panel.
const NUMBER: f64 = 118.0;
/// Bars that are longer than so many times the baseline's are cut.
const LONGEST: f64 = 4.0;
const NAME: usize = 38;

/// The rows, the panels side by side.
pub(crate) fn draw(headings: &[Heading], rows: &[Row]) -> Canvas {
    let labels: Vec<String> = rows.iter().map(|row| shortened(&row.label, NAME)).collect();
    let left = labels.iter().map(|label| width(label, 12.0)).fold(60.0, f64::max) + 14.0;
    let panels = headings.len() as f64;
    let panel_width = (WIDTH - left - panels * NUMBER) / panels;
    let height = rows.len() as f64 * ROW;
    let mut canvas = Canvas::new(WIDTH, TOP + height + FOOT);
    for (number, heading) in headings.iter().enumerate() {
        let at = left + number as f64 * (panel_width + NUMBER);
        let area = Area { left: at, top: TOP, width: panel_width, height };
        let bars = rows.iter().filter_map(|row| row.bars.get(number));
        let panel = Panel {
            area,
            x: Scale::linear((0.0, longest(bars, heading.baseline) * 1.05), area.across()),
            y: Scale::linear((0.0, rows.len() as f64), (area.top, area.bottom())),
        };
        let x = Axis { ticks: panel.x.ticks(5), title: &shortened(&heading.axis, 44), bare: false };
        panel.frame(&mut canvas, &heading.title, &x, &Axis::default());
        if let Some(baseline) = heading.baseline.map(|at| panel.x.at(at)) {
            canvas.line((baseline, area.top), (baseline, area.bottom()), "baseline");
        }
        for (place, row) in rows.iter().enumerate() {
            if let Some(bar) = row.bars.get(number) {
                draw_bar(&mut canvas, &panel, panel.y.at(place as f64 + 0.5), row, bar);
            }
        }
    }
    for (place, label) in labels.iter().enumerate() {
        canvas.text((left - 8.0, TOP + (place as f64 + 0.5) * ROW + 4.0), Anchor::End, "label", label);
    }
    canvas
}

fn longest<'b>(bars: impl Iterator<Item = &'b Bar>, baseline: Option<f64>) -> f64 {
    let ends = bars.flat_map(|bar| {
        let error = if bar.ratio.stderr.is_finite() { bar.ratio.stderr } else { 0.0 };
        [bar.ratio.value + error, bar.published.unwrap_or(0.0)]
    });
    let longest = ends.filter(|x| x.is_finite()).fold(baseline.unwrap_or(0.0), f64::max);
    let longest = baseline.map_or(longest, |at| longest.min(at * LONGEST));
    if longest > 0.0 { longest } else { 1.0 }
}

/// A bar with its error, its number and what was published.
fn draw_bar(canvas: &mut Canvas, panel: &Panel, y: f64, row: &Row, bar: &Bar) {
    let Bar { ratio: Ratio { value, stderr, .. }, failed, published } = *bar;
    let (left, right) = panel.area.across();
    let text = match (failed, value) {
        (1.., _) => format!("failed on {failed}"),
        (0, value) if value.is_nan() => "no result".into(),
        (0, value) if value.is_infinite() => "∞".into(),
        // The baseline itself is one without an error.
        (0, value) if stderr == 0.0 => value.to_string(),
        (0, value) => table::with_error(value, stderr),
    };
    if failed == 0 && value.is_finite() {
        let end = panel.x.at(value.max(0.0));
        let area = Area { left, top: y - BAR / 2.0, width: end.min(right) - left, height: BAR };
        let Style { colour, .. } = row.style;
        let paint = if row.outlined {
            format!("fill:{colour};fill-opacity:0.25;stroke:{colour};stroke-width:1.4")
        } else {
            format!("fill:{colour}")
        };
        canvas.rect(area, &[("style", &paint)], &format!("{}: {text}", row.label));
        if end > right {
            // A bar that goes on is torn at the edge.
            canvas.torn((right, y - BAR / 2.0), BAR);
        } else if stderr > 0.0 && stderr.is_finite() {
            let ends = [value - stderr, value + stderr].map(|x| panel.x.at(x).clamp(left, right));
            canvas.halo((ends[0], y), (ends[1], y));
            canvas.error_bar((ends[0], y), (ends[1], y), "var(--ink)");
        }
    }
    if let Some(published) = published {
        canvas.published((panel.x.at(published).min(right), y), &format!("published: {published}"));
    }
    canvas.text((right + 10.0, y + 4.0), Anchor::Start, "value", &text);
}

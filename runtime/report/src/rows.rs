//! Rows of bars, with a label for each row and a panel for each score, as in Figures 2 and 3 of the paper.

use crate::drawing::{Anchor, Area, Axis, Canvas, Panel, Scale, Style, TICK_SIZE, shortened, width};
use crate::figure::{WIDTH, counted};
use crate::ratio::{self, Ratio};
use crate::view::{JointScore, View};

/// A row of bars.
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) style: Style,
    pub(crate) fill: Fill,
    /// One bar for each panel.
    pub(crate) bars: Vec<Bar>,
}

/// How the bars of a row are filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fill {
    Full,
    /// Outlined, and filled with the colour at this opacity.
    Part(f64),
}

/// A bar.
pub(crate) struct Bar {
    pub(crate) ratio: Ratio,
    /// The number of problems of the run; a bar over fewer is hollow and says so.
    pub(crate) of: usize,
    /// The number of problems on which the agent failed; if it is not 0, there is no bar.
    pub(crate) failed: usize,
    /// The published value.
    pub(crate) published: Option<f64>,
}

impl Bar {
    /// Returns the text beside the bar.
    fn text(&self) -> String {
        match self.ratio {
            _ if self.failed > 0 => format!("failed on {}", self.failed),
            Ratio { value: f64::INFINITY, .. } => "∞".into(),
            Ratio { problems: 0, .. } => "no result".into(),
            ratio => ratio.text(),
        }
    }

    /// Returns the text below that: the number of problems, if it is not all.
    fn part(&self) -> Option<String> {
        let Ratio { problems, .. } = self.ratio;
        let part = self.failed == 0 && problems > 0 && problems < self.of;
        part.then(|| format!("({problems} of {})", counted(self.of, "problem")))
    }

    /// Returns the space for its texts, right of its panel.
    fn room(&self) -> f64 {
        let part = self.part().map_or(0.0, |part| width(&part, TICK_SIZE));
        width(&self.text(), TEXT).max(part) + BESIDE + GAP
    }
}

/// The texts above and below a panel.
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) axis: String,
    /// The value of the baseline, if the bars are ratios.
    pub(crate) baseline: Option<f64>,
}

const TOP: f64 = 30.0;
const FOOT: f64 = 54.0;
const ROW: f64 = 28.0;
const BAR: f64 = 15.0;
/// Font size of labels and numbers.
const TEXT: f64 = 12.0;
/// Distance of a bar's number from its panel, and from the next panel.
const BESIDE: f64 = 10.0;
const GAP: f64 = 16.0;
/// Bars longer than this multiple of the baseline's are cut.
const LONGEST: f64 = 4.0;
const NAME: usize = 38;
/// The least space for a number.
const NARROWEST: f64 = 118.0;

/// Draws the rows, with the panels side by side.
pub(crate) fn draw(headings: &[Heading], rows: &[Row]) -> Canvas {
    let labels: Vec<String> = rows.iter().map(|row| shortened(&row.label, NAME)).collect();
    let left = labels.iter().map(|label| width(label, TEXT)).fold(60.0, f64::max) + 14.0;
    let bars = |number: usize| rows.iter().filter_map(move |row| row.bars.get(number));
    let rooms: Vec<f64> =
        (0..headings.len()).map(|number| bars(number).map(Bar::room).fold(NARROWEST, f64::max)).collect();
    let panel_width = (WIDTH - left - rooms.iter().sum::<f64>()) / headings.len() as f64;
    let height = rows.len() as f64 * ROW;
    let mut canvas = Canvas::new(WIDTH, TOP + height + FOOT);
    let mut at = left;
    for (number, heading) in headings.iter().enumerate() {
        let area = Area { left: at, top: TOP, width: panel_width, height };
        at += panel_width + rooms[number];
        let panel = Panel {
            area,
            x: Scale::linear((0.0, longest(bars(number), heading.baseline) * 1.05), area.across()),
            y: Scale::linear((0.0, rows.len() as f64), (area.top, area.bottom())),
        };
        let x = Axis { ticks: panel.x.ticks_apart(5), title: &shortened(&heading.axis, 44), bare: false };
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

/// Draws a bar with its error, its number and the published value.
fn draw_bar(canvas: &mut Canvas, panel: &Panel, y: f64, row: &Row, bar: &Bar) {
    let Bar { ratio: Ratio { value, stderr, .. }, failed, published, .. } = *bar;
    let (left, right) = panel.area.across();
    let (text, part) = (bar.text(), bar.part());
    if failed == 0 && value.is_finite() {
        let end = panel.x.at(value.max(0.0));
        let area = Area { left, top: y - BAR / 2.0, width: end.min(right) - left, height: BAR };
        let Style { colour, .. } = row.style;
        let paint = match (&part, row.fill) {
            (Some(_), _) => format!("fill:none;stroke:{colour};stroke-width:1.4;stroke-dasharray:4 2"),
            (None, Fill::Full) => format!("fill:{colour}"),
            (None, Fill::Part(opacity)) => {
                format!("fill:{colour};fill-opacity:{opacity};stroke:{colour};stroke-width:1.4")
            }
        };
        let title = format!("{}: {text} {}", row.label, part.as_deref().unwrap_or_default());
        canvas.rect(area, &[("style", &paint)], title.trim_end());
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
    let beside = right + BESIDE;
    match part {
        None => canvas.text((beside, y + 4.0), Anchor::Start, "value", &text),
        Some(part) => {
            canvas.text((beside, y - 1.0), Anchor::Start, "value", &text);
            canvas.text((beside, y + 11.0), Anchor::Start, "tick", &part);
        }
    }
}

/// Explains bars that are over fewer problems than the run has; returns `None` if there are none.
pub(crate) fn parts(rows: &[Row]) -> Option<String> {
    let some = rows.iter().flat_map(|row| &row.bars).any(|bar| bar.part().is_some());
    some.then(|| {
        "Hollow, dashed bars are over the problems that both have scored so far, as many as stand beside them: they \
         cannot be compared with the others."
            .to_owned()
    })
}

/// Formats the number of problems that the bars are over: `18 problems`, or `3 to 18 of 20 problems`.
pub(crate) fn over(rows: &[Row]) -> String {
    let bars = || rows.iter().flat_map(|row| &row.bars).filter(|bar| bar.failed == 0 && bar.ratio.problems > 0);
    let of = rows.iter().flat_map(|row| &row.bars).map(|bar| bar.of).max().unwrap_or(0);
    let used = || bars().map(|bar| bar.ratio.problems);
    match (used().min(), used().max()) {
        (Some(least), Some(most)) if (least, most) == (of, of) => counted(of, "problem"),
        (Some(least), Some(most)) if least == most => format!("{most} of {}", counted(of, "problem")),
        (Some(least), Some(most)) => format!("{least} to {most} of {}", counted(of, "problem")),
        _ => format!("none of {}", counted(of, "problem")),
    }
}

/// Explains the ratios that are missing; returns `None` if none is missing.
pub(crate) fn defects(view: &View, rows: &[Row]) -> Option<String> {
    let panel = |(at, score): (usize, &JointScore)| (score.tau, rows.iter().map(|row| &row.bars[at].ratio).collect());
    ratio::defects(view.joint.iter().enumerate().map(panel))
}

#[cfg(test)]
mod tests {
    use super::{Bar, Fill, Heading, Row, draw};
    use crate::drawing::{Palette, width};
    use crate::figure::WIDTH;
    use crate::ratio::Ratio;

    /// Draws two panels with a bar each.
    fn drawn(value: f64, stderr: f64, problems: usize) -> String {
        let ratio = Ratio { value, stderr, problems, defect: None };
        let bar = || Bar { ratio, of: 18, failed: 0, published: None };
        let heading = || Heading { title: "tau".into(), axis: "KL".into(), baseline: None };
        let style = Palette::new(["mlp"]).style("mlp");
        let row = Row { label: "mlp".into(), style, fill: Fill::Full, bars: vec![bar(), bar()] };
        draw(&[heading(), heading()], &[row]).inline("").into_string()
    }

    /// Returns the x position and the text of each element of a class.
    fn texts<'t>(picture: &'t str, class: &str) -> Vec<(f64, &'t str)> {
        let marked = format!("class=\"{class}\">");
        let text = |line: &'t str| {
            let (head, text) = line.split_once(&marked)?;
            let x = head.split_once("x=\"")?.1.split('"').next()?;
            Some((x.parse().unwrap(), text.trim_end_matches("</text>")))
        };
        picture.lines().filter_map(text).collect()
    }

    #[test]
    fn a_long_number_does_not_run_into_the_next_panel() {
        for (value, stderr) in [(1.0 / 3.0, 0.001), (12_345.678_9, 11_111.1), (-123.456, f64::NAN)] {
            let picture = drawn(value, stderr, 18);
            let numbers = texts(&picture, "value");
            let next = picture.matches("<line").count();
            assert!(next > 0 && numbers.len() == 2, "{picture}");
            let end = |(x, text): (f64, &str)| x + width(text, 12.0);
            // The numbers end before the second panel's axis and before the end of the sheet.
            let axis = picture.lines().filter(|line| line.contains("class=\"axis\"")).nth(3).unwrap();
            let axis: f64 = axis.split_once("x1=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
            assert!(end(numbers[0]) < axis && end(numbers[1]) <= WIDTH, "{picture}");
        }
    }

    #[test]
    fn a_bar_over_fewer_problems_is_hollow_and_says_so() {
        let picture = drawn(0.5, 0.1, 12);
        assert_eq!(picture.matches("fill:none;stroke").count(), 2, "{picture}");
        assert!(texts(&picture, "tick").iter().any(|(_, text)| *text == "(12 of 18 problems)"), "{picture}");
        assert!(!drawn(0.5, 0.1, 18).contains(" of 18"));
    }
}

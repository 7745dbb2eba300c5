//! The sheet of a function of one input. Each agent has a row: its intervals, the intervals minus the truth, and
//! sampled functions.

use jointly_core::Seed;
use jointly_regression::CurveData;

use crate::drawing::{Anchor, Area, Axis, Canvas, Markup, Panel, Scale, Spot, shortened};
use crate::picture::line_belief::LineBelief;

const WIDTH: f64 = 1240.0;
/// The number of panels of a row.
const COLUMNS: usize = 3;
const LEFT: f64 = 52.0;
const GAP: f64 = 58.0;
const HEIGHT: f64 = 230.0;
const TOP: f64 = 74.0;
/// Space above a row for its agent's name and headings, and below for numbers.
const HEAD: f64 = 46.0;
const FOOT: f64 = 46.0;
/// The longest text of a failure, in characters.
const MESSAGE: usize = 130;
/// The number of places of the grid.
const PLACES: usize = 241;
/// The margin of the picture beyond the values that it must hold and beyond the data, as a fraction of their range.
const MARGIN: f64 = 0.06;

/// The style sheet, with literal colours because a stand-alone file is always on white paper.
const STYLE: &str = "
text { font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #16181d; }
.heading { font-size: 12px; fill: #565c66; }
.name { font-size: 14px; font-weight: 600; }
.tick { font-size: 10.5px; fill: #565c66; }
.title { font-size: 11.5px; fill: #565c66; }
.label, .note { font-size: 12px; fill: #565c66; }
.grid { stroke: #eceef1; stroke-width: 1; }
.axis { stroke: #8a9099; stroke-width: 1; }
.prediction { fill: #56b4e9; fill-opacity: 0.28; }
.confidence { fill: #0072b2; fill-opacity: 0.5; }
.mean { fill: none; stroke: #0072b2; stroke-width: 1.6; }
.truth { fill: none; stroke: #d55e00; stroke-width: 1.8; stroke-dasharray: 6 3; }
.function { fill: none; stroke: #0072b2; stroke-width: 1.1; stroke-opacity: 0.75; }
.example { fill: none; stroke: #16181d; stroke-linecap: round; }
";

/// The contents of the picture.
pub struct LineSheet<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// The master seed.
    pub seed: Seed,
    /// The true function and the training examples.
    pub data: &'a CurveData,
    /// The level of the intervals.
    pub level: f64,
    /// One row for each agent.
    pub rows: &'a [LineRow],
}

/// An agent's row.
pub struct LineRow {
    /// The agent's label.
    pub label: String,
    /// The agent's predictions on the [grid], or how it failed.
    pub belief: Result<LineBelief, String>,
}

/// Returns the inputs at which agents predict: from a little below the smallest to a little above the largest input.
pub fn grid(data: &CurveData) -> Vec<f32> {
    let inputs = || data.simulation.train.inputs().values().iter().chain(data.test.data().inputs().values());
    let (low, high) =
        (inputs().copied().fold(f32::INFINITY, f32::min), inputs().copied().fold(f32::NEG_INFINITY, f32::max));
    let margin = (high - low) * MARGIN as f32;
    let (from, step) = (low - margin, (high - low + 2.0 * margin) / (PLACES - 1) as f32);
    (0..PLACES).map(|i| from + i as f32 * step).collect()
}

impl LineSheet<'_> {
    /// Returns the picture as a file's contents.
    pub fn to_svg(&self) -> String {
        self.markup().into_string()
    }

    fn markup(&self) -> Markup {
        let row_height = HEAD + HEIGHT + FOOT;
        let mut canvas = Canvas::new(WIDTH, TOP + row_height * self.rows.len() as f64);
        let height = TOP + row_height * self.rows.len() as f64;
        canvas.rect(Area { left: 0.0, top: 0.0, width: WIDTH, height }, &[("fill", "#ffffff")], "");
        canvas.text((LEFT, 26.0), Anchor::Start, "name", &format!("{}, seed {}", self.problem, self.seed));
        self.key(&mut canvas);
        let grid: Vec<f64> = grid(self.data).into_iter().map(f64::from).collect();
        let truth: Vec<f64> = grid.iter().map(|x| self.data.curve.value(*x)).collect();
        let ends = self.ends(&truth);
        for (number, row) in self.rows.iter().enumerate() {
            let top = TOP + row_height * number as f64;
            self.row(&mut canvas, (row, top), (&grid, &truth), ends);
        }
        canvas.standalone(STYLE)
    }

    /// Draws the meaning of the marks.
    fn key(&self, canvas: &mut Canvas) {
        let (y, percent) = (50.0, (100.0 * self.level).round());
        let train = self.data.simulation.train.rows();
        let entries: [(&str, String); 5] = [
            ("truth", "true function".into()),
            ("mean", "mean".into()),
            ("confidence", format!("{percent} % confidence")),
            ("prediction", format!("{percent} % prediction")),
            ("example", format!("{train} training examples")),
        ];
        let mut x = LEFT;
        for (class, text) in entries {
            let path = match class {
                "confidence" | "prediction" => format!("M{x} {}h26v12h-26Z", y - 6.0),
                "example" => format!("M{} {y}h0", x + 13.0),
                _ => format!("M{x} {y}h26"),
            };
            canvas.path(
                &path,
                &[("class", class), ("style", if class == "example" { "stroke-width:4" } else { "" })],
                "",
            );
            canvas.text((x + 33.0, y + 4.0), Anchor::Start, "label", &text);
            x += 58.0 + crate::drawing::width(&text, 12.0);
        }
    }

    /// Returns the smallest and the largest value that the picture shows: truth, examples and confidence intervals, but
    /// not values that dwarf the data.
    fn ends(&self, truth: &[f64]) -> (f64, f64) {
        let examples = self.data.simulation.train.targets().iter().map(|y| f64::from(*y));
        let of = |values: &mut dyn Iterator<Item = f64>| {
            let finite = values.filter(|x| x.is_finite());
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (low, high) = of(&mut truth.iter().copied().chain(examples));
        let room = (high - low) * 0.5;
        let believed = self.rows.iter().filter_map(|row| row.belief.as_ref().ok());
        let ends = believed.flat_map(|belief| belief.confidence.lower().iter().chain(belief.confidence.upper()));
        let (least, most) = of(&mut ends.copied());
        let (low, high) = (low.min(least.max(low - room)), high.max(most.min(high + room)));
        let margin = (high - low) * MARGIN;
        (low - margin, high + margin)
    }

    fn row(&self, canvas: &mut Canvas, (row, top): (&LineRow, f64), (grid, truth): (&[f64], &[f64]), ends: (f64, f64)) {
        canvas.text((LEFT, top + 18.0), Anchor::Start, "name", &shortened(&row.label, 90));
        let belief = match &row.belief {
            Ok(belief) => belief,
            Err(message) => {
                let text = shortened(&format!("failed: {message}"), MESSAGE);
                return canvas.text((LEFT, top + HEAD), Anchor::Start, "note", &text);
            }
        };
        let functions = match belief.functions.len() {
            1 => "its one function".to_owned(),
            count => format!("{count} sampled functions"),
        };
        let heads = ["intervals", "intervals less the true function", &functions];
        let width = (WIDTH - LEFT - GAP * (COLUMNS - 1) as f64 - 16.0) / COLUMNS as f64;
        let (near, none) = (self.distances(truth), vec![0.0; truth.len()]);
        for (column, head) in heads.iter().enumerate() {
            let area = Area { left: LEFT + column as f64 * (width + GAP), top: top + HEAD, width, height: HEIGHT };
            let (less, ends) = if column == 1 { (truth, near) } else { (none.as_slice(), ends) };
            let panel = Panel {
                area,
                x: Scale::linear((grid[0], grid[grid.len() - 1]), area.across()),
                y: Scale::linear(ends, area.upwards()),
            };
            let x = Axis { ticks: panel.x.ticks(6), title: "input x", bare: false };
            let y = Axis { ticks: panel.y.ticks(6), title: "", bare: false };
            panel.frame(canvas, "", &x, &y);
            canvas.text((area.left, area.top - 7.0), Anchor::Start, "heading", head);
            let spots = |values: &[f64]| spots(&panel, grid, &difference(values, less));
            canvas.clipped(area, |canvas| {
                if column < 2 {
                    for (bounds, class) in [(&belief.prediction, "prediction"), (&belief.confidence, "confidence")] {
                        let mut round = spots(bounds.upper());
                        round.extend(spots(bounds.lower()).into_iter().rev());
                        canvas.path(&(path(&round) + "Z"), &[("class", class)], "");
                    }
                }
                self.examples(canvas, &panel, column == 1);
                if column < 2 {
                    canvas.path(&path(&spots(&belief.mean)), &[("class", "mean")], "");
                } else {
                    for function in &belief.functions {
                        canvas.path(&path(&spots(function)), &[("class", "function")], "");
                    }
                }
                canvas.path(&path(&spots(truth)), &[("class", "truth")], "");
            });
        }
    }

    /// Returns the range of distances to the truth: of the examples, and of the agents' predictions if there are any.
    fn distances(&self, truth: &[f64]) -> (f64, f64) {
        let train = &self.data.simulation.train;
        let noise = train.inputs().values().iter().zip(train.targets());
        let noise = noise.map(|(x, y)| (f64::from(*y) - self.data.curve.value(f64::from(*x))).abs());
        let most = noise.fold(0.0, f64::max);
        // The first and the last twentieth of the grid have no examples.
        let inside = |place: usize| place * 20 >= truth.len() && place * 20 <= 19 * truth.len();
        let believed = self.rows.iter().filter_map(|row| row.belief.as_ref().ok()).flat_map(|belief| {
            let ends = [belief.confidence.lower(), belief.confidence.upper()];
            ends.into_iter().flat_map(|ends| ends.iter().zip(truth).map(|(end, truth)| (end - truth).abs()).enumerate())
        });
        let near = believed.filter(|(place, far)| inside(*place) && far.is_finite());
        let widest = near.fold(0.0, |widest: f64, (_, far)| widest.max(far));
        let reach = most.max(widest.min(3.0 * most)) * (1.0 + MARGIN);
        if reach > 0.0 { (-reach, reach) } else { (-1.0, 1.0) }
    }

    /// Draws all examples as one mark; the more there are, the smaller they are.
    fn examples(&self, canvas: &mut Canvas, panel: &Panel, less_truth: bool) {
        let train = &self.data.simulation.train;
        let (size, opacity) = if train.rows() > 200 { (2.2, 0.35) } else { (4.0, 0.8) };
        let dots = train.inputs().values().iter().zip(train.targets()).map(|(x, y)| {
            let less = if less_truth { self.data.curve.value(f64::from(*x)) } else { 0.0 };
            let (x, y) = panel.spot(f64::from(*x), f64::from(*y) - less);
            format!("M{x:.1} {y:.1}h0")
        });
        let style = format!("stroke-width:{size};stroke-opacity:{opacity}");
        canvas.path(&dots.collect::<String>(), &[("class", "example"), ("style", &style)], "");
    }
}

/// Returns the spots of values. Values far beyond the panel, or infinite, are at most its height away from it.
fn spots(panel: &Panel, grid: &[f64], values: &[f64]) -> Vec<Spot> {
    let (bottom, top) = (panel.area.bottom() + HEIGHT, panel.area.top - HEIGHT);
    grid.iter().zip(values).map(|(x, y)| (panel.x.at(*x), panel.y.at(*y).clamp(top, bottom))).collect()
}

fn difference(values: &[f64], less: &[f64]) -> Vec<f64> {
    values.iter().zip(less).map(|(value, less)| value - less).collect()
}

fn path(spots: &[Spot]) -> String {
    let text: Vec<String> = spots.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    format!("M{}", text.join("L"))
}

#[cfg(test)]
mod tests {
    use super::{LineRow, LineSheet, grid};
    use crate::picture::line_belief::LineBelief;
    use jointly_core::regression::Bounds;
    use jointly_regression::{Noise, regression_suite};

    #[test]
    fn a_row_has_bands_mean_functions_truth_and_examples_within_the_sheet() {
        let suite = regression_suite("quick/coverage").unwrap();
        let problem = suite.problems.iter().find(|problem| problem.name.ends_with("gap/sim0")).unwrap();
        let data = problem.curve_data(0.into(), Noise::Normal).unwrap();
        let places = grid(&data).len();
        let bounds = |width: f64| Bounds::new(vec![-width; places], vec![width; places]).unwrap();
        let belief = LineBelief {
            mean: vec![0.0; places],
            confidence: bounds(0.5),
            prediction: bounds(f64::INFINITY),
            functions: vec![vec![0.1; places], vec![-0.1; places]],
        };
        let rows = [
            LineRow { label: "gp".into(), belief: Ok(belief) },
            LineRow { label: "hmc".into(), belief: Err("it gave up".into()) },
        ];
        let sheet = LineSheet { problem: &problem.name, seed: 0.into(), data: &data, level: 0.9, rows: &rows };
        let svg = sheet.to_svg();
        for (class, times) in
            [("prediction", 3), ("confidence", 3), ("mean", 3), ("function", 2), ("truth", 4), ("example", 4)]
        {
            assert_eq!(svg.matches(&format!("class=\"{class}\"")).count(), times, "{class}");
        }
        assert!(svg.contains("failed: it gave up") && !svg.contains("inf") && !svg.contains("NaN"));
        assert!(svg.contains("1000 training examples"));
    }
}

//! Figures 4, 5, 7, 9 and 10 of the paper on coverage: PICP and CICP over simulations, PICF and CICF over inputs.

use jointly_core::Real;
use jointly_record::quantity::with_error;
use jointly_regression::coverage::{IntervalSummary, LevelSummary};

use crate::drawing::{Anchor, Area, Axis, Canvas, Panel, Scale, Style, Tick, shortened};
use crate::figure::{Figure, WIDTH, cells, digits};
use crate::regression::process::{Covered, Process, percent};
use crate::view::View;

const LEFT: f64 = 40.0;
const GAP: f64 = 36.0;
/// Space above all panels for the columns' headings, and above each row for its agent's name and numbers.
const TOP: f64 = 22.0;
const HEAD: f64 = 42.0;
const HEIGHT: f64 = 84.0;
const FOOT: f64 = 44.0;
const COLUMNS: usize = 4;
/// The widths of narrow and wide bins. Bins start at multiples of their width, so that shares are round numbers.
const BIN: f64 = 0.02;
const WIDE_BIN: f64 = 0.05;
/// Ranges longer than this have wide bins.
const NARROW: f64 = 0.5;
/// The shortest part of the axis that is shown.
const SHOWN: f64 = 0.3;

/// The quantity of a column's histograms.
struct Column {
    heading: &'static str,
    axis: &'static str,
    of: fn(&LevelSummary) -> &IntervalSummary,
    over_inputs: bool,
}

const KINDS: [Column; COLUMNS] = [
    Column { heading: "PICP", axis: "observations in their PI", of: |level| &level.prediction, over_inputs: false },
    Column { heading: "PICF", axis: "coverage at an input", of: |level| &level.prediction, over_inputs: true },
    Column { heading: "CICP", axis: "truth in its CI", of: |level| &level.confidence, over_inputs: false },
    Column { heading: "CICF", axis: "coverage at an input", of: |level| &level.confidence, over_inputs: true },
];

impl Column {
    fn values<'s>(&self, level: &'s LevelSummary) -> &'s [Real] {
        let summary = (self.of)(level);
        if self.over_inputs { &summary.by_point } else { &summary.by_simulation }
    }

    fn note(&self, level: &LevelSummary) -> String {
        let summary = (self.of)(level);
        if self.over_inputs {
            return format!("Brier {}", with_error(summary.brier.score.0, summary.brier.stderr.0));
        }
        format!("mean {}", with_error(summary.mean.mean, summary.mean.stderr))
    }
}

/// Draws a row for each agent; returns `None` if no agent has intervals of the level.
pub(super) fn figure(_view: &View, process: &Process, level: f64) -> Option<Figure> {
    let rows: Vec<(&Covered, &LevelSummary)> =
        process.agents.iter().filter_map(|covered| Some((covered, covered.level(level)?))).collect();
    if rows.is_empty() {
        return None;
    }
    let width = (WIDTH - LEFT - GAP * (COLUMNS - 1) as f64 - 8.0) / COLUMNS as f64;
    let mut canvas = Canvas::new(WIDTH, TOP + rows.len() as f64 * (HEAD + HEIGHT) + FOOT);
    let mut bins = vec![cells(["agent", "of", "from", "to", "count"])];
    for (number, column) in KINDS.iter().enumerate() {
        let left = LEFT + number as f64 * (width + GAP);
        let of = if column.over_inputs { "inputs" } else { "simulations" };
        canvas.text((left, 14.0), Anchor::Start, "heading", &format!("{} over {of}", column.heading));
        let scale = Bins::over(rows.iter().flat_map(|(_, summary)| column.values(summary)), level);
        for (row, (covered, summary)) in rows.iter().enumerate() {
            let top = TOP + row as f64 * (HEAD + HEIGHT) + HEAD;
            if number == 0 {
                let name = shortened(covered.label(), 60);
                canvas.text((left, top - 19.0), Anchor::Start, "label", &name);
            }
            let area = Area { left, top, width, height: HEIGHT };
            canvas.text((area.right(), top - 5.0), Anchor::End, "tick", &column.note(summary));
            let counts = scale.count(column.values(summary));
            let bare = row + 1 < rows.len();
            histogram(&mut canvas, area, (&scale, &counts), covered.style, (column.axis, bare, level));
            for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let ends = [scale.edge(bin), scale.edge(bin + 1)].map(|edge| format!("{edge:.2}"));
                bins.push(cells([covered.label(), column.heading, &ends[0], &ends[1], &count.to_string()]));
            }
        }
    }
    let caption = format!(
        "{} intervals over {} at {}. PICP and CICP: a count is a simulation, its value the share of test observations in \
         their prediction intervals (PI), or of the true function's values in their confidence intervals (CI). PICF and \
         CICF: a count is a test input, its value the probability that the interval there covers, over the simulations, \
         that of PI exact from the known noise. The dashed line is what the intervals claim: a histogram that is narrow \
         about it is right, one over simulations that is right while the one over inputs is wide is right on average only. \
         ± is one standard error over simulations (of Brier scores the jackknife's).",
        percent(level),
        process.simulations(),
        process.points(),
    );
    Some(Figure {
        title: format!(
            "Coverage over simulations and over inputs: {}, {} (Figures 4 to 10)",
            process.short(),
            percent(level)
        ),
        caption,
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![spread(&rows), bins],
    })
}

/// Bins of equal width, the last of which holds 1.
struct Bins {
    first: i64,
    count: usize,
    width: f64,
}

impl Bins {
    fn over<'x>(values: impl Iterator<Item = &'x Real>, level: f64) -> Self {
        let least = values.map(|x| x.0).filter(|x| x.is_finite()).fold(level.min(1.0 - SHOWN), f64::min);
        let width = if 1.0 - least > NARROW { WIDE_BIN } else { BIN };
        let first = libm::floor(least / width + 1e-9) as i64;
        Self { first, count: (libm::round(1.0 / width) as i64 - first) as usize, width }
    }

    /// Returns the lower edge of a bin.
    fn edge(&self, bin: usize) -> f64 {
        (self.first + bin as i64) as f64 * self.width
    }

    fn count(&self, values: &[Real]) -> Vec<usize> {
        let mut counts = vec![0; self.count];
        for x in values.iter().map(|x| x.0).filter(|x| x.is_finite()) {
            let bin = libm::floor(x / self.width + 1e-9) as i64 - self.first;
            counts[bin.clamp(0, self.count as i64 - 1) as usize] += 1;
        }
        counts
    }
}

fn histogram(
    canvas: &mut Canvas,
    area: Area,
    (bins, counts): (&Bins, &[usize]),
    style: Style,
    (axis, bare, level): (&str, bool, f64),
) {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let panel = Panel {
        area,
        x: Scale::linear((bins.edge(0), 1.0), area.across()),
        y: Scale::linear((0.0, most as f64 * 1.08), area.upwards()),
    };
    let x = Axis { ticks: panel.x.ticks(4), title: if bare { "" } else { axis }, bare };
    // Counts are whole numbers.
    let whole = panel.y.ticks(2).into_iter().filter(|tick| tick.at == libm::floor(tick.at));
    let ticks = whole.map(|tick| Tick { label: tick.at.to_string(), ..tick }).collect();
    panel.frame(canvas, "", &x, &Axis { ticks, title: "", bare: false });
    for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (left, top) = panel.spot(bins.edge(bin), count as f64);
        let width = panel.x.at(bins.edge(bin + 1)) - left;
        let bar = Area { left: left + 0.5, top, width: width - 1.0, height: area.bottom() - top };
        let title = format!("{:.2} to {:.2}: {count}", bins.edge(bin), bins.edge(bin + 1));
        canvas.rect(bar, &[("style", &format!("fill:{};fill-opacity:0.8", style.colour))], &title);
    }
    let at = panel.x.at(level);
    canvas.line((at, area.top), (at, area.bottom()), "baseline");
}

/// Returns mean, minimum and maximum of the numbers in the histograms.
fn spread(rows: &[(&Covered, &LevelSummary)]) -> Vec<Vec<String>> {
    let mut table = vec![cells(["agent", "of", "mean", "least", "greatest", "standard deviation", "count"])];
    for (covered, summary) in rows {
        for column in &KINDS {
            let values: Vec<f64> = column.values(summary).iter().map(|x| x.0).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
            let (least, greatest) = (
                values.iter().copied().fold(f64::INFINITY, f64::min),
                values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            );
            let numbers = [mean, least, greatest, libm::sqrt(squares / (count - 1.0))].map(digits);
            let mut row = cells([covered.label(), column.heading]);
            row.extend(numbers);
            row.push(values.len().to_string());
            table.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::Bins;
    use crate::regression::process::processes;
    use crate::view::View;
    use jointly_core::Real;
    use jointly_record::invented::regression::{covering, covering_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn bins_hold_their_lower_edge_and_the_last_holds_one() {
        let values = [0.6, 0.7, 0.72, 0.9, 1.0, f64::NAN].map(Real);
        let bins = Bins::over(values.iter(), 0.9);
        let counts = bins.count(&values);
        assert_eq!((bins.edge(0), bins.count, counts.iter().sum::<usize>()), (0.6, 20, 5));
        assert_eq!((counts[0], counts[5], counts[6], counts[15], counts[19]), (1, 1, 1, 1, 1));
        // The range down to 0 has wide bins.
        let bins = Bins::over([Real(0.0)].iter(), 0.9);
        assert_eq!((bins.count, bins.count(&[Real(0.05), Real(0.049)])[..2].to_vec()), (20, vec![1, 1]));
    }

    #[test]
    fn a_row_an_agent_counts_simulations_and_inputs() {
        // One agent covers every input at the level, the other only on average.
        let run =
            covering_run("coverage/gap", 4, &[("gp", covering(&[0.9, 0.9])), ("bootstrap", covering(&[0.8, 1.0]))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&view, &processes(&view)[0], 0.9).unwrap();
        let row = |agent: &str, of: &str| {
            figure.numbers[0].iter().find(|row| row[0] == agent && row[1] == of).unwrap()[2..].to_vec()
        };
        assert_eq!(row("gp", "PICF")[..3], ["0.9000", "0.9000", "0.9000"]);
        assert_eq!(row("bootstrap", "PICF")[..3], ["0.9000", "0.8000", "1.000"]);
        assert_eq!((row("gp", "PICP")[4].as_str(), row("gp", "PICF")[4].as_str()), ("4", "2"));
        assert!(
            figure.caption.starts_with("90 % intervals over 4 simulations at 2 test points."),
            "{}",
            figure.caption
        );
        let picture = figure.drawing.inline("").into_string();
        assert_eq!(picture.matches("class=\"baseline\"").count(), 8);
        assert!(super::figure(&view, &processes(&view)[0], 0.5).is_none());
    }
}

//! The reliability diagram: how often the mean prediction is right, by its confidence.

use jointly_core::metric::CalibrationBin;
use jointly_score::scores::AgentScores;

use crate::drawing::{Canvas, Panel, Point};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, panel, series};
use crate::shift::plots::parts;
use crate::view::View;

const COLUMNS: usize = 2;
const HEIGHT: f64 = 260.0;
/// The maximum number of agents in a panel.
const MOST: usize = 7;
/// Bins with fewer inputs than this, over all problems, are not drawn, because their share is mostly chance.
const FEWEST: u64 = 20;

/// Draws one diagram for each set of test inputs: all of them, or unshifted and shifted ones. Returns `None` if no
/// result has bins.
pub(crate) fn figure(view: &View) -> Option<Figure> {
    let sets: Vec<(&str, Vec<(&AgentScores, Pooled)>)> = ["test inputs", "shifted test inputs"]
        .into_iter()
        .enumerate()
        .map(|(shifted, title)| (title, agents(view, shifted == 1)))
        .filter(|(_, agents)| !agents.is_empty())
        .collect();
    let most = sets.iter().map(|(_, agents)| agents.len()).max()?;
    let parts = parts(most, MOST);
    let (grid, mut canvas) = Grid::of(
        sets.len() * parts.len(),
        COLUMNS.min(sets.len().max(parts.len())),
        HEIGHT,
        (Key::Both, &view.legend()),
    );
    let mut numbers = vec![cells(["inputs", "agent", "confidence", "accuracy", "inputs in the bin", "problems"])];
    for (row, part) in parts.iter().enumerate() {
        for (column, (title, agents)) in sets.iter().enumerate() {
            let panel = panel(grid.area(row * sets.len() + column), (0.0, 1.0), (0.0, 1.0));
            let heading =
                if parts.len() > 1 { format!("{title} ({} of {})", row + 1, parts.len()) } else { (*title).to_owned() };
            frame(&mut canvas, &panel, &heading, ("confidence", "accuracy"));
            canvas.line(panel.spot(0.0, 0.0), panel.spot(1.0, 1.0), "baseline");
            for (agent, pooled) in agents.iter().skip(part.start).take(part.len()) {
                draw(view, &mut canvas, &panel, agent, pooled);
                numbers.extend(pooled.filled().map(|bin| {
                    let [confidence, accuracy] = [bin.confidence, bin.right as f64].map(|sum| sum / bin.inputs as f64);
                    let mut row = cells([*title, &agent.planned.label]);
                    row.extend([
                        digits(confidence),
                        digits(accuracy),
                        bin.inputs.to_string(),
                        pooled.problems.to_string(),
                    ]);
                    row
                }));
            }
        }
    }
    let problems = sets.iter().flat_map(|(_, agents)| agents).map(|(_, pooled)| pooled.problems).max().unwrap_or(0);
    Some(Figure {
        title: "Reliability diagram".into(),
        caption: format!(
            "The share of test inputs whose most likely class is the label, by the confidence of the mean prediction over draws, its \
             largest probability: on the dashed diagonal a prediction is right as often as it claims, below it it is \
             overconfident, above it underconfident. Inputs of all {} together, in 15 bins of equal width, each at its mean \
             confidence; bins of fewer than {FEWEST} inputs are left out. No error bars: inputs of a problem share a training set.",
            counted(problems, "problem"),
        ),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// The bins of all of an agent's problems together.
struct Pooled {
    bins: Vec<CalibrationBin>,
    problems: usize,
}

impl Pooled {
    fn of(agent: &AgentScores, shifted: bool) -> Option<Self> {
        let mut pooled = Self { bins: Vec::new(), problems: 0 };
        for problem in &agent.problems {
            let sets = if shifted { problem.calibration().shifted } else { problem.calibration().unshifted };
            for bins in &sets {
                pooled.bins.resize(pooled.bins.len().max(bins.len()), CalibrationBin::default());
                for (sum, bin) in pooled.bins.iter_mut().zip(*bins) {
                    sum.add(bin);
                }
            }
            pooled.problems += usize::from(!sets.is_empty());
        }
        let any = pooled.filled().next().is_some();
        any.then_some(pooled)
    }

    fn filled(&self) -> impl Iterator<Item = &CalibrationBin> {
        self.bins.iter().filter(|bin| bin.inputs >= FEWEST)
    }
}

fn agents<'v>(view: &'v View<'v>, shifted: bool) -> Vec<(&'v AgentScores<'v>, Pooled)> {
    view.agents.iter().filter_map(|agent| Some((*agent, Pooled::of(agent, shifted)?))).collect()
}

fn draw(view: &View, canvas: &mut Canvas, panel: &Panel, agent: &AgentScores, pooled: &Pooled) {
    let point = |bin: &CalibrationBin| {
        let (x, y) = (bin.confidence / bin.inputs as f64, bin.right as f64 / bin.inputs as f64);
        let title = format!("{}: {} right at a confidence of {}", agent.planned.label, digits(y), digits(x));
        Point { x, y, stderr: f64::NAN, failed: false, title }
    };
    let points: Vec<Point> = pooled.filled().map(point).collect();
    series(canvas, panel, view.style_of(agent), points);
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::InventedRun;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    use super::figure;
    use crate::view::View;

    #[test]
    fn bins_of_all_problems_are_one_curve_and_small_ones_are_left_out() {
        let drawn = |problems: &[&str]| {
            let losses = vec![1.0; problems.len()];
            let run = InventedRun::scored("quick", problems, &[("mlp", &losses), ("prior", &losses)]);
            let scores = run.scores();
            let view = View::new(&scores, &Leaderboard::new(&scores), None);
            figure(&view).map(|figure| figure.numbers[0].clone())
        };
        // Each problem of an invented run has ten inputs with a confidence of 0.9, of which eight are right.
        assert!(drawn(&["quick/t10/temp0.1/seed0"]).is_none());
        let table = drawn(&["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"]).unwrap();
        assert_eq!(table.len(), 3);
        assert_eq!(table[1], ["test inputs", "mlp", "0.9000", "0.8000", "20", "2"]);
    }
}

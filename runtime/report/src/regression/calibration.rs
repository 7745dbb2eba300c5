//! Calibration curves, and widths of prediction intervals by level, of every agent on any regression problem.

use jointly_core::Score;
use jointly_record::quantity::with_error;
use jointly_regression::Regression;
use jointly_regression::score::LevelScores;
use jointly_score::scores::{AgentScores, ScoredProblem};

use crate::drawing::{Canvas, Panel, Point};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, frame_at, panel, range_of, series, trace};
use crate::regression::family::datasets;
use crate::view::View;

const COLUMNS: usize = 3;
const HEIGHT: f64 = 210.0;
/// The spacing of the levels in the table, among the curve's hundred levels.
const EVERY: usize = 11;

/// Draws both figures, or neither if no agent has a result.
pub(super) fn figures(view: &View) -> Vec<Figure> {
    let data: Vec<String> = datasets(view)
        .into_iter()
        .filter(|data| view.agents.iter().any(|agent| on(agent, data).next().is_some()))
        .collect();
    if data.is_empty() {
        return Vec::new();
    }
    vec![calibration(view, &data), widths(view, &data)]
}

/// Returns an agent's results on some data.
fn on<'v>(agent: &'v AgentScores<'v>, data: &'v str) -> impl Iterator<Item = &'v ScoredProblem<'v>> {
    agent.problems.iter().filter(move |problem| problem.planned.coordinates.group == data)
}

/// Returns the mean over problems of each number of a list, ignoring lists that differ in length from the first.
fn means(lists: &[Vec<f64>]) -> Vec<Score> {
    let length = lists.first().map_or(0, Vec::len);
    let whole = || lists.iter().filter(|list| list.len() == length);
    (0..length).map(|i| Score::of(&whole().map(|list| list[i]).collect::<Vec<_>>())).collect()
}

/// Returns the mean curve of an agent on some data, and the number of problems that it is over.
fn curve<'v>(agent: &'v AgentScores<'v>, data: &'v str) -> (Vec<Score>, usize) {
    let curves: Vec<Vec<f64>> = on(agent, data)
        .filter_map(|problem| Some(problem.result::<Regression>()?.scores.calibration.iter().map(|x| x.0).collect()))
        .collect();
    (means(&curves), curves.len())
}

fn calibration(view: &View, data: &[String]) -> Figure {
    let (grid, mut canvas) = Grid::of(data.len(), COLUMNS, HEIGHT, (Key::Lines, &view.legend()));
    let mut numbers = vec![cells(["data", "agent", "problems", "mean distance"])];
    let mut headed = false;
    let mut problems: Vec<usize> = Vec::new();
    for (number, data) in data.iter().enumerate() {
        let panel = panel(grid.area(number), (0.0, 1.0), (0.0, 1.0));
        frame(&mut canvas, &panel, data, ("level", "observed share"));
        diagonal(&mut canvas, &panel);
        for &agent in &view.agents {
            let (curve, count) = curve(agent, data);
            if curve.is_empty() {
                continue;
            }
            problems.push(count);
            let level = |i: usize| i as f64 / (curve.len() - 1).max(1) as f64;
            let line: Vec<(f64, f64)> = curve.iter().enumerate().map(|(i, share)| (level(i), share.mean)).collect();
            trace(&mut canvas, &panel, &line, &view.style_of(agent));
            let shown = || (0..curve.len()).step_by(EVERY);
            if !headed {
                numbers[0].extend(shown().map(|i| format!("{:.2}", level(i))));
                headed = true;
            }
            let distance = line.iter().map(|(x, y)| (y - x).abs()).sum::<f64>() / line.len() as f64;
            let mut row = cells([data, &agent.planned.label, &count.to_string(), &digits(distance)]);
            row.extend(shown().map(|i| digits(curve[i].mean)));
            numbers.push(row);
        }
    }
    Figure {
        title: "Calibration curves".into(),
        caption: format!(
            "The share of test observations in the central interval of each level of the normal distribution with the \
             predicted mean and variance, mean over {}: on the dashed diagonal intervals hold what they claim, below it \
             they are too narrow, above too wide. No error bars. The table has shares at some levels, and the mean \
             distance of the curve from the diagonal, of which the mean over problems, calibration_mae, is larger where \
             curves cross it.{}",
            over(&problems),
            last_round(view),
        ),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    }
}

/// Says what is scored in active learning.
fn last_round(view: &View) -> &'static str {
    let rounds = view
        .agents
        .iter()
        .flat_map(|agent| &agent.problems)
        .any(|problem| problem.result::<Regression>().is_some_and(|unit| !unit.rounds.is_empty()));
    if rounds { " In active learning, after the last round, all acquisitions together." } else { "" }
}

/// Formats counts as `20 problems a panel`, or `5 to 20`.
fn over(counts: &[usize]) -> String {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {} of a panel", counted(*most, "problem")),
        (_, most) => format!("{} of a panel", counted(most.copied().unwrap_or(0), "problem")),
    }
}

fn diagonal(canvas: &mut Canvas, panel: &Panel) {
    canvas.line(panel.spot(0.0, 0.0), panel.spot(1.0, 1.0), "baseline");
}

/// Returns an agent's widths on some data: for each level, the mean over problems.
fn width_points<'v>(agent: &'v AgentScores<'v>, data: &'v str) -> Vec<Point> {
    let levels: Vec<&[LevelScores]> =
        on(agent, data).filter_map(|problem| Some(problem.result::<Regression>()?.scores.levels.as_slice())).collect();
    let lists: Vec<Vec<f64>> = levels.iter().map(|levels| levels.iter().map(|level| level.width.0).collect()).collect();
    let Some(first) = levels.first() else { return Vec::new() };
    let point = |(level, width): (&LevelScores, Score)| {
        let label = &agent.planned.label;
        let title = format!("{label}, {:.0} %: {}", 100.0 * level.level, with_error(width.mean, width.stderr));
        Point { x: 100.0 * level.level, y: width.mean, stderr: width.stderr, failed: false, title }
    };
    let mut points: Vec<Point> = first.iter().zip(means(&lists)).map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

fn widths(view: &View, data: &[String]) -> Figure {
    let (grid, mut canvas) = Grid::of(data.len(), COLUMNS, HEIGHT * 0.75, (Key::Both, &view.legend()));
    let mut numbers =
        vec![cells(["data", "agent", "level, %", "mean width", "standard error", "share covered (PICP)"])];
    let mut problems: Vec<usize> = Vec::new();
    for (number, data) in data.iter().enumerate() {
        let lines: Vec<(&AgentScores, Vec<Point>)> = view
            .agents
            .iter()
            .map(|&agent| (agent, width_points(agent, data)))
            .filter(|(_, points)| !points.is_empty())
            .collect();
        let all = || lines.iter().flat_map(|(_, points)| points);
        let x = all().map(|point| point.x);
        let across = (x.clone().fold(100.0, f64::min) - 2.0, x.fold(0.0, f64::max) + 2.0);
        let panel = panel(grid.area(number), across, (0.0, range_of(all()).1));
        let levels: Vec<f64> =
            lines.first().map_or(Vec::new(), |(_, points)| points.iter().map(|point| point.x).collect());
        frame_at(&mut canvas, &panel, data, (("level, %", &levels), "mean width of PI"));
        for (agent, points) in lines {
            problems.push(on(agent, data).count());
            for point in &points {
                let covered: Vec<f64> = on(agent, data)
                    .filter_map(|problem| Some(problem.value(&format!("picp_{}", point.x.round()))?.value))
                    .collect();
                let mut row = cells([data, &agent.planned.label, &digits(point.x)]);
                row.extend([point.y, point.stderr, Score::of(&covered).mean].map(digits));
                numbers.push(row);
            }
            series(&mut canvas, &panel, view.style_of(agent), points);
        }
    }
    Figure {
        title: "Widths of prediction intervals".into(),
        caption: format!(
            "The mean width of prediction intervals by their level, in the data's units, mean over {} with one standard error \
             over problems. Narrow is good where the calibration curve is on its diagonal.{}",
            over(&problems),
            last_round(view),
        ),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    }
}

#[cfg(test)]
mod tests {
    use super::figures;
    use crate::view::View;
    use jointly_record::invented::regression::{covering, covering_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    /// Tolerance for rounding in a mean of a few shares.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn curves_are_means_over_problems() {
        let run = covering_run("coverage/boston", 3, &[("gp", covering(&[0.9])), ("hmc", covering(&[0.5]))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let drawn = figures(&view);
        // Invented curves are on the diagonal.
        let rows = &drawn[0].numbers[0];
        assert_eq!((rows.len(), &rows[1][..3]), (3, &["boston".into(), "gp".into(), "3".into()][..]));
        assert!(rows[1][3].parse::<f64>().unwrap() < ROUNDING);
        assert_eq!((rows[0].last().unwrap().as_str(), rows[1].last().unwrap().as_str()), ("1.00", "1.000"));
        assert!(drawn[0].caption.contains("mean over 3 problems of a panel"), "{}", drawn[0].caption);
        assert!(drawn[1].numbers[0].iter().any(|row| row[..3] == ["boston", "gp", "90.00"]), "{:?}", drawn[1].numbers);
    }
}

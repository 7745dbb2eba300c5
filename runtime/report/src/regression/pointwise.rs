//! Figures 6 and 9 of the paper on coverage: PICF and CICF, and the widths of intervals, against a single input.

use jointly_core::Real;
use jointly_regression::coverage::LevelSummary;

use crate::drawing::Style;
use crate::figure::{Figure, cells, digits};
use crate::grid::{Grid, Key, frame, level_line, panel, range, trace};
use crate::regression::process::{Covered, Process, percent};
use crate::view::View;

/// The number of agents of a figure; more lines cannot be told apart.
const AGENTS: usize = 6;
const HEIGHT: f64 = 200.0;
/// The number of rows of an agent in the table.
const ROWS: usize = 41;
/// The lower end of the coverage axis, unless coverage falls below it.
const SHOWN: f64 = 0.5;

/// The quantity that is drawn against the input.
struct Curve {
    title: &'static str,
    axis: &'static str,
    of: fn(&LevelSummary) -> &[Real],
    covers: bool,
}

const CURVES: [Curve; 4] = [
    Curve { title: "PICF", axis: "coverage of PI", of: |level| &level.prediction.by_point, covers: true },
    Curve { title: "CICF", axis: "coverage of CI", of: |level| &level.confidence.by_point, covers: true },
    Curve { title: "width of PI", axis: "mean width", of: |level| &level.prediction.width_by_point, covers: false },
    Curve { title: "width of CI", axis: "mean width", of: |level| &level.confidence.width_by_point, covers: false },
];

/// An agent's intervals at the level.
type Line<'l, 'v> = (&'l Covered<'v>, &'v LevelSummary);

/// Draws a figure for every few agents; returns none if there is more than one input.
pub(super) fn figures(view: &View, process: &Process, level: f64) -> Vec<Figure> {
    let Some(inputs) = process.inputs(view) else { return Vec::new() };
    let lines: Vec<Line> = process.agents.iter().filter_map(|covered| Some((covered, covered.level(level)?))).collect();
    // In an edited journal, results at other test points cannot be drawn against these inputs.
    let fits = |(_, summary): &Line| summary.prediction.by_point.len() == inputs.len();
    if lines.is_empty() || !lines.iter().all(fits) {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by(|a, b| inputs[*a].total_cmp(&inputs[*b]));
    let parts = lines.len().div_ceil(AGENTS);
    let few = lines.len().div_ceil(parts);
    lines
        .chunks(few)
        .enumerate()
        .map(|(part, lines)| {
            let of = if parts > 1 { format!(", {} of {parts}", part + 1) } else { String::new() };
            let title =
                format!("Coverage at each input: {}, {} (Figures 6 and 9){of}", process.short(), percent(level));
            figure(process, lines, (&inputs, &order), (level, title))
        })
        .collect()
}

fn figure(
    process: &Process,
    lines: &[Line],
    (inputs, order): (&[f64], &[usize]),
    (level, title): (f64, String),
) -> Figure {
    let legend: Vec<(&str, Style)> = lines.iter().map(|(covered, _)| (covered.label(), covered.style)).collect();
    let (grid, mut canvas) = Grid::of(CURVES.len(), 2, HEIGHT, (Key::Lines, &legend));
    let across = (inputs[order[0]], inputs[order[order.len() - 1]]);
    for (number, curve) in CURVES.iter().enumerate() {
        let values = lines.iter().flat_map(|(_, summary)| (curve.of)(summary).iter().map(|x| x.0));
        let (low, high) = range(values);
        let y = if curve.covers { (low.clamp(0.0, SHOWN), 1.02) } else { (0.0, high) };
        let panel = panel(grid.area(number), across, y);
        frame(&mut canvas, &panel, curve.title, ("input x", curve.axis));
        if curve.covers {
            level_line(&mut canvas, &panel, level);
        }
        for (covered, summary) in lines {
            let values = (curve.of)(summary);
            let numbers: Vec<(f64, f64)> = order.iter().map(|&at| (inputs[at], values[at].0)).collect();
            trace(&mut canvas, &panel, &numbers, &covered.style);
        }
    }
    let caption = format!(
        "The probability that the {} interval at an input covers, over {}: of prediction intervals (PI) a new observation, \
         exactly from the known noise; of confidence intervals (CI) the true function's value, the share of simulations. \
         Below, the intervals' mean width there. Lines go through the {}; the dashed line is what the intervals claim. There \
         are no error bars: a share over simulations has a standard error of at most 1 / (2 sqrt simulations). The table has \
         every {}th point. `jointly picture AGENT --problem {}/sim0` draws the intervals of one simulation (Figure 8).",
        percent(level),
        process.simulations(),
        process.points(),
        step(order.len()),
        process.name,
    );
    Figure { title, caption, drawing: canvas, table: Vec::new(), numbers: vec![numbers(lines, inputs, order)] }
}

/// Returns the spacing of the table's points.
fn step(points: usize) -> usize {
    points.div_ceil(ROWS).max(1)
}

fn numbers(lines: &[Line], inputs: &[f64], order: &[usize]) -> Vec<Vec<String>> {
    let mut head = cells(["agent", "x"]);
    head.extend(CURVES.iter().map(|curve| curve.title.to_owned()));
    let mut rows = vec![head];
    for (covered, summary) in lines {
        for &at in order.iter().step_by(step(order.len())) {
            let mut row = cells([covered.label(), &digits(inputs[at])]);
            row.extend(CURVES.iter().map(|curve| digits((curve.of)(summary)[at].0)));
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::regression::process::processes;
    use crate::view::View;
    use jointly_record::invented::regression::{covering, covering_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    fn figures(suite: &str, points: usize, agents: usize) -> Vec<Figure> {
        let coverage: Vec<f64> = (0..points).map(|i| i as f64 / points as f64).collect();
        let names: Vec<String> = (0..agents).map(|i| format!("agent{i}")).collect();
        let agents: Vec<_> = names.iter().map(|name| (name.as_str(), covering(&coverage))).collect();
        let run = covering_run(suite, 2, &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        super::figures(&view, &processes(&view)[0], 0.9)
    }

    #[test]
    fn lines_go_from_left_to_right_through_every_test_point() {
        let drawn = figures("coverage/line", 500, 2);
        assert_eq!(drawn.len(), 1);
        let rows = &drawn[0].numbers[0];
        let x: Vec<f64> =
            rows[1..].iter().filter(|row| row[0] == "agent0").map(|row| row[1].parse().unwrap()).collect();
        assert!(x.is_sorted() && x[0] < -1.9 && x.len() == 500_usize.div_ceil(13), "{x:?}");
        let picture = drawn[0].drawing.inline("").into_string();
        let lines: Vec<&str> = picture.lines().filter(|line| line.contains("points=")).collect();
        // Two lines are in the legend, and two in each of four panels.
        assert_eq!(lines.len(), 10);
        assert_eq!(lines.iter().filter(|line| line.matches(',').count() == 500).count(), 8);
    }

    #[test]
    fn there_are_none_where_inputs_are_many_or_points_are_others() {
        assert!(figures("coverage/boston", 100, 1).is_empty());
        assert!(figures("coverage/line", 7, 1).is_empty());
        let many = figures("coverage/line", 500, 8);
        assert_eq!(many.len(), 2);
        assert!(many[1].title.ends_with("2 of 2"));
    }
}

//! Figure 7 of the paper: on each real dataset, how much an agent's loss is below the baseline's, against T.

use jointly_core::{Coordinates, paired_difference};
use jointly_record::quantity;
use jointly_score::scores::AgentScores;

use crate::curves::{extent, marked, panel, size_axis};
use crate::drawing::{Area, Axis, Canvas, Point, Series, Style};
use crate::figure::{Figure, WIDTH, cells, digits};
use crate::view::{JointScore, Pairs, View, train_size};

/// With more agents than this, only the best variant of each is drawn.
const MOST: usize = 8;
const LEFT: f64 = 76.0;
const GAP: f64 = 70.0;
const HEIGHT: f64 = 150.0;
/// Space between rows of panels, for sizes, titles and the next heading.
const BETWEEN: f64 = 62.0;
/// Differences above this multiple of the largest drop are drawn at the edge.
const WORST: f64 = 1.5;

/// Draws a figure of all datasets that have more than one training size and no temperature; returns `None` without a
/// baseline.
pub(crate) fn figure(view: &View) -> Option<Figure> {
    let baseline = view.baseline?;
    let datasets: Vec<String> = view.groups().into_iter().filter(|group| sizes(view, group).len() > 1).collect();
    let agents = agents(view, baseline);
    if datasets.is_empty() || agents.is_empty() || view.joint.is_empty() {
        return None;
    }
    let panels = view.joint.len() as f64;
    let width = (WIDTH - LEFT) / panels - GAP;
    let named: Vec<(&str, Style)> =
        agents.iter().map(|(agent, style)| (agent.planned.label.as_str(), *style)).collect();
    let mut canvas = Canvas::new(WIDTH, 0.0);
    let top = canvas.legend((LEFT, 14.0), WIDTH - LEFT, &named) + 34.0;
    canvas.set_height(top + datasets.len() as f64 * (HEIGHT + BETWEEN));
    let mut numbers =
        vec![cells(["agent", "dataset", "score", "T", "difference", "standard error", "problems", "failed"])];
    for (row, dataset) in datasets.iter().enumerate() {
        for (column, score) in view.joint.iter().enumerate() {
            let area = Area {
                left: LEFT + column as f64 * (width + GAP),
                top: top + row as f64 * (HEIGHT + BETWEEN),
                width,
                height: HEIGHT,
            };
            let curves: Vec<Vec<Point>> =
                agents.iter().map(|(agent, _)| curve(view, agent, baseline, (dataset, score), &mut numbers)).collect();
            let sizes = sizes(view, dataset);
            let panel = panel(area, &sizes, range(&curves));
            let y_title = format!("{} less {}'s", score.metric, baseline.planned.label);
            let y = Axis { ticks: panel.y.ticks(5), title: if column == 0 { &y_title } else { "" }, bare: false };
            let title = format!("{dataset}, tau = {}", score.tau);
            panel.frame(&mut canvas, &title, &size_axis(&panel, &sizes, false), &y);
            let none = panel.y.at(0.0);
            canvas.line((area.left, none), (area.right(), none), "baseline");
            for ((_, style), points) in agents.iter().zip(curves) {
                let series: Series = marked(*style, points);
                panel.series(&mut canvas, &series);
            }
        }
    }
    let name = &baseline.planned.label;
    let mut caption = format!(
        "Mean difference of an agent's loss to that of {name}, in nats a tau-sample, on the problems of each dataset and \
         T: below the dashed line it loses less than {name}. Error bars are one standard error of the paired differences \
         over the problems of that dataset, which share its examples: they say how sure the difference is on this dataset, \
         and nothing of another; with a single problem there are none. Hollow points at an edge lie beyond it; × is a failure."
    );
    if agents.len() < view.agents.len().saturating_sub(1) {
        caption += " Of each agent the best variant is drawn.";
    }
    if let Some(choice) = view.baseline_choice() {
        caption = format!("{caption} {choice}");
    }
    Some(Figure {
        title: "Improvement over the baseline on each dataset (Figure 7)".into(),
        caption,
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Returns the training sizes of a dataset; none for problems with a temperature, which the testbed's figures show.
fn sizes(view: &View, dataset: &str) -> Vec<f64> {
    let real = |place: &Coordinates| place.group == dataset && place.temperature.is_none();
    view.distinct(|place| train_size(place).filter(|_| real(place)))
}

/// Returns the agents to draw, each with a style of its own.
fn agents<'a>(view: &View<'a>, baseline: &AgentScores<'a>) -> Vec<(&'a AgentScores<'a>, Style)> {
    let all = view.agents.len() <= MOST;
    let families = view.families.iter().flat_map(|family| {
        let shown = if all { family.variants.len() } else { 1 };
        let style = view.style(family.name);
        family.variants.iter().take(shown).enumerate().map(move |(number, agent)| (*agent, style.variant(number)))
    });
    families.filter(|(agent, _)| !std::ptr::eq(*agent, baseline)).collect()
}

fn curve<'a>(
    view: &View<'a>,
    agent: &'a AgentScores<'a>,
    baseline: &'a AgentScores<'a>,
    (dataset, score): (&str, &JointScore),
    numbers: &mut Vec<Vec<String>>,
) -> Vec<Point> {
    let mut points = Vec::new();
    for size in sizes(view, dataset) {
        let here = |place: &Coordinates| place.group == dataset && train_size(place) == Some(size);
        let Pairs { problems, mine, theirs } = view.pairs(agent, baseline, &score.name, here);
        let failed = view.cell(agent, &score.name, here).map_or(0, |cell| cell.failed);
        if mine.is_empty() && failed == 0 {
            continue;
        }
        // All problems are from one dataset; given it, they differ in their examples, if not all are used, and in their
        // streams.
        let difference = paired_difference(&mine, &theirs, &problems);
        let label = &agent.planned.label;
        let (y, stderr) = (difference.mean, difference.stderr);
        let title = format!("{label}, T = {size}: {}", quantity::with_error(y, stderr));
        let mut row = cells([label, dataset, &score.name, &size.to_string(), &digits(y), &digits(stderr)]);
        row.extend([mine.len().to_string(), failed.to_string()]);
        numbers.push(row);
        points.push(Point { x: size, y, stderr, failed: failed > 0, title });
    }
    points
}

/// Returns the range of everything drawn, except losses that dwarf the rest.
fn range(curves: &[Vec<Point>]) -> (f64, f64) {
    let (low, high) = extent(curves.iter().flatten());
    let high = if low < 0.0 { high.min(-low * WORST) } else { high };
    let margin = ((high - low) * 0.06).max(f64::MIN_POSITIVE);
    if high > low { (low - margin, high + margin) } else { (-1.0, 1.0) }
}

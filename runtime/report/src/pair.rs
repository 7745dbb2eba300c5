//! Figure 4 of the paper: two agents against the number of training examples, at the middle temperature.

use crate::curves::{curve, lonely, marked, panel, range, seeds, size_axis};
use crate::drawing::{Area, Axis, Canvas, Point};
use crate::figure::{Figure, WIDTH, cells, counted, digits};
use crate::view::{View, train_size};
use jointly_core::Coordinates;

/// The agents that the paper compares.
pub const PAIR: [&str; 2] = ["ensemble", "ensemble+"];

const HEIGHT: f64 = 210.0;
const LEFT: f64 = 66.0;
const GAP: f64 = 76.0;

/// Draws a figure for each group of problems with more than one training size, if both agents took part.
pub(crate) fn figures(view: &View, pair: &[String; 2]) -> Vec<Figure> {
    view.groups().iter().filter_map(|group| figure(view, group, pair)).collect()
}

fn figure(view: &View, group: &str, pair: &[String; 2]) -> Option<Figure> {
    let agents = [view.find(&pair[0])?, view.find(&pair[1])?];
    let sizes = view.distinct(|place| train_size(place).filter(|_| place.group == group));
    let temperatures = view.distinct(|place| place.temperature.filter(|_| place.group == group));
    let temperature = *temperatures.get(temperatures.len() / 2)?;
    if sizes.len() < 2 || std::ptr::eq(agents[0], agents[1]) {
        return None;
    }
    let here = |place: &Coordinates| place.group == group && place.temperature == Some(temperature);
    let panels = view.joint.len() as f64;
    let width = ((WIDTH - LEFT - 20.0) / panels - GAP).min(430.0);
    let mut canvas = Canvas::new(WIDTH, HEIGHT + 112.0);
    let mut numbers = vec![cells(["agent", "score", "T", "mean", "standard error", "problems", "failed"])];
    for (column, score) in view.joint.iter().enumerate() {
        let area = Area { left: LEFT + column as f64 * (width + GAP), top: 58.0, width, height: HEIGHT };
        let curves: Vec<Vec<Point>> = agents.iter().map(|agent| curve(view, agent, &score.name, here)).collect();
        let panel = panel(area, &sizes, range(&curves.iter().flatten().collect::<Vec<_>>(), &[]));
        let y = Axis { ticks: panel.y.ticks(5), title: &format!("{} (nats)", score.metric), bare: false };
        panel.frame(&mut canvas, &format!("tau = {}", score.tau), &size_axis(&panel, &sizes, false), &y);
        for (agent, curve) in agents.iter().zip(curves) {
            panel.series(&mut canvas, &marked(view.style(&agent.planned.agent), curve));
            for size in &sizes {
                let cell = view.cell(agent, &score.name, |place| here(place) && train_size(place) == Some(*size));
                let Some(cell) = cell else { continue };
                let mut row = cells([&agent.planned.label, &score.name, &size.to_string(), &digits(cell.mean)]);
                row.extend([digits(cell.stderr), cell.problems.to_string(), cell.failed.to_string()]);
                numbers.push(row);
            }
        }
    }
    let named = agents.map(|agent| (agent.planned.label.as_str(), view.style(&agent.planned.agent)));
    canvas.legend((LEFT, 16.0), WIDTH - LEFT, &named);
    let over = if group.is_empty() { String::new() } else { format!(" of {group}") };
    let [one, other] = agents.map(|agent| &agent.planned.label);
    let own = |place: &&Coordinates| here(place);
    let mut caption = vec![format!(
        "Means at temperature {temperature}, the middle one, over {}: a point is the mean over {} of its T, with one standard \
         error. × is a failure on some problem there.",
        counted(view.places().filter(own).count(), "problem"),
        seeds(view, own)
    )];
    caption.extend(lonely(view, own));
    Some(Figure {
        title: format!("{one} and {other} against T{over} (Figure 4)"),
        caption: caption.join(" "),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::InventedRun;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn seeds_are_counted_point_by_point() {
        let problems = ["quick/t1/temp1/seed0", "quick/t9/temp1/seed0", "quick/t9/temp1/seed1", "quick/t9/temp1/seed2"];
        let agents: [(&str, &[f64]); 2] = [("ensemble", &[1.0; 4]), ("ensemble+", &[2.0; 4])];
        let run = InventedRun::scored("quick", &problems, &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let caption = &super::figures(&view, &super::PAIR.map(str::to_owned))[0].caption;
        assert!(caption.contains("over 4 problems: a point is the mean over the 1 to 3 seeds of its T"), "{caption}");
        assert!(caption.contains("of a single problem"), "{caption}");
    }
}

//! Figures 2 (right), 3 and S5 of the paper: scores over all corruptions by severity, as boxes.

use jointly_classification::shift::Condition;

use crate::drawing::{Axis, Panel, Quartiles, Scale, Tick};
use crate::figure::{Figure, cells, digits};
use crate::grid::{Grid, Key};
use crate::quantile::quantile;
use crate::shift::measured::{Agent, BRIER, Course, ECE, Measure, Measured, NLL};
use crate::shift::plots::parts;

const HEIGHT: f64 = 170.0;
/// The maximum number of boxes at a severity.
const MOST: usize = 10;
/// The fraction of a severity's place that its boxes take.
const FILLED: f64 = 0.84;
/// The width of the widest box, and of the gap between two, in pixels.
const WIDEST: f64 = 22.0;
const GAP: f64 = 2.0;
/// The fraction of the range left free above the highest whisker and below the lowest.
const MARGIN: f64 = 0.05;

/// Draws a panel for each score; returns `None` unless there are several corruptions.
pub(super) fn figure(measured: &Measured) -> Option<Figure> {
    let course = measured.corruptions()?;
    let measures = [measured.accuracy(), BRIER, ECE, NLL];
    let parts = parts(measured.agents.len(), MOST);
    let (grid, mut canvas) = Grid::rows(measures.len() * parts.len(), HEIGHT, (Key::Markers, &measured.legend()));
    let mut numbers =
        vec![cells(["score", "severity", "agent", "least", "25th", "median", "75th", "greatest", "corruptions"])];
    for (number, measure) in measures.iter().enumerate() {
        let boxes: Vec<Vec<Option<Quartiles>>> = measured
            .agents
            .iter()
            .map(|agent| course.steps.iter().map(|(_, conditions)| quartiles(agent, conditions, *measure)).collect())
            .collect();
        let range = range(boxes.iter().flatten().flatten());
        for (part, own) in parts.iter().enumerate() {
            let area = grid.area(number * parts.len() + part);
            let panel = Panel {
                area,
                x: Scale::linear((-0.5, course.steps.len() as f64 - 0.5), area.across()),
                y: Scale::linear(range, area.upwards()),
            };
            frame(&mut canvas, &panel, &course, measure.title);
            for (place, (agent, boxes)) in measured.agents[own.clone()].iter().zip(&boxes[own.clone()]).enumerate() {
                for (step, box_) in boxes.iter().enumerate() {
                    let Some(box_) = box_ else { continue };
                    let (offset, width) = offset(place, own.len(), area.width / course.steps.len() as f64);
                    let title = format!(
                        "{}, severity {}: {} median {}, {} to {}",
                        agent.label(),
                        course.steps[step].0,
                        measure.title,
                        digits(box_.median),
                        digits(box_.least),
                        digits(box_.greatest)
                    );
                    panel.quartiles(&mut canvas, (step as f64 + offset, width), box_, &agent.style, &title);
                }
            }
        }
        for (step, (severity, conditions)) in course.steps.iter().enumerate() {
            for (agent, boxes) in measured.agents.iter().zip(&boxes) {
                let Some(box_) = boxes[step] else { continue };
                let mut row = cells([measure.title, &severity.to_string(), agent.label()]);
                row.extend([box_.least, box_.lower, box_.median, box_.upper, box_.greatest].map(digits));
                row.push(conditions.len().to_string());
                numbers.push(row);
            }
        }
    }
    Some(Figure {
        title: format!("Scores over {} by severity{} (Figures 3 and S5)", course.name, measured.suffix()),
        caption: format!(
            "Boxes are quartiles over {} at a severity, whiskers go to the least and the greatest, the line and the marker are \
             the median; a corruption counts by its mean over repetitions. Severity 0 is the unshifted inputs, one number. ∞ is a whisker \
             without end. {}",
            course.name,
            names(&course),
        ),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Lists the names of the corruptions.
fn names(course: &Course) -> String {
    let last = course.steps.last().map_or(&[][..], |(_, conditions)| conditions);
    let names = last.iter().filter_map(|condition| match condition {
        Condition::Shifted(level) => Some(level.shift().name()),
        Condition::Unshifted | Condition::Outside(_) => None,
    });
    format!("They are {}.", names.collect::<Vec<_>>().join(", "))
}

/// Returns the quartiles over conditions of an agent's means over repetitions, or `None` if a mean is missing or NaN.
pub(super) fn quartiles(agent: &Agent, conditions: &[Condition], measure: Measure) -> Option<Quartiles> {
    let mean = |condition: &Condition| {
        let condition = std::slice::from_ref(condition);
        Some(agent.mean(condition, &|scores| measure.get(scores))?.mean)
    };
    let mut means: Vec<f64> = conditions.iter().map(mean).collect::<Option<_>>()?;
    if means.is_empty() || means.iter().any(|mean| mean.is_nan()) {
        return None;
    }
    means.sort_by(f64::total_cmp);
    let [least, lower, median, upper, greatest] = [0.0, 0.25, 0.5, 0.75, 1.0].map(|q| quantile(&means, q));
    Some(Quartiles { least, lower, median, upper, greatest })
}

/// Returns the range of all finite whiskers.
pub(super) fn range<'q>(boxes: impl Iterator<Item = &'q Quartiles>) -> (f64, f64) {
    let ends = boxes.flat_map(|box_| [box_.least, box_.lower, box_.median, box_.upper, box_.greatest]);
    let finite: Vec<f64> = ends.filter(|x| x.is_finite()).collect();
    let (low, high) = (
        finite.iter().copied().fold(f64::INFINITY, f64::min),
        finite.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    if low > high {
        return (0.0, 1.0);
    }
    let margin = if high > low { (high - low) * MARGIN } else { 0.5 };
    (if low >= 0.0 { (low - margin).max(0.0) } else { low - margin }, high + margin)
}

/// Returns the offset of box `number` of `of` from the middle of its place, in places, and its width in pixels.
pub(super) fn offset(number: usize, of: usize, place: f64) -> (f64, f64) {
    let pitch = (place * FILLED / of as f64).min(WIDEST + GAP);
    ((number as f64 - (of as f64 - 1.0) / 2.0) * pitch / place, (pitch - GAP).max(1.0))
}

/// Draws a frame with severities below, and lines between places instead of a vertical grid.
fn frame(canvas: &mut crate::drawing::Canvas, panel: &Panel, course: &Course, title: &str) {
    let tick = |(number, (severity, _)): (usize, &(f64, Vec<Condition>))| Tick {
        at: number as f64,
        label: if *severity == 0.0 { "0 (unshifted)".to_owned() } else { severity.to_string() },
    };
    let x = Axis { ticks: course.steps.iter().enumerate().map(tick).collect(), title: "severity", bare: false };
    let y = Axis { ticks: panel.y.ticks((panel.area.height / 32.0) as usize), title: "", bare: false };
    panel.frame(canvas, title, &x, &y);
}

#[cfg(test)]
mod tests {
    use super::{figure, offset};
    use crate::shift::measured::Measured;
    use crate::view::View;
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn boxes_lie_side_by_side_within_their_place() {
        let place = 100.0;
        let boxes: Vec<(f64, f64)> = (0..7).map(|number| offset(number, 7, place)).collect();
        for pair in boxes.windows(2) {
            assert!((pair[1].0 - pair[0].0) * place > pair[0].1);
        }
        assert!(boxes[0].0 * place - boxes[0].1 / 2.0 > -50.0 && boxes[6].0 * place + boxes[6].1 / 2.0 < 50.0);
        assert_eq!(offset(0, 1, place).0, 0.0);
    }

    #[test]
    fn a_corruption_counts_by_its_mean_over_repetitions() {
        let levels = ["fog/1", "fog/3", "fog/5", "snow/1", "snow/3", "snow/5"];
        let run = shift_run(2, &levels, &[("mlp", shifting(0.9, 0.8))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = figure(&Measured::all(&view)[0]).unwrap();
        let row = |severity: &str| {
            figure.numbers[0].iter().find(|row| row[0] == "accuracy" && row[1] == severity).unwrap()[3..].to_vec()
        };
        // 0.9 and 0.89 unshifted, and 0.8 less at the end, in all corruptions.
        assert_eq!(row("0"), ["0.8950", "0.8950", "0.8950", "0.8950", "0.8950", "1"]);
        assert_eq!(row("5"), ["0.09500", "0.09500", "0.09500", "0.09500", "0.09500", "2"]);
        assert!(figure.caption.contains("They are fog, snow."), "{}", figure.caption);
    }
}

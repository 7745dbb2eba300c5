//! Appendix E of the paper: quartiles of scores over all levels of shift.

use jointly_classification::shift::Condition;

use crate::drawing::{Axis, Panel, Quartiles, Scale};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key};
use crate::shift::corruptions::{offset, quartiles, range};
use crate::shift::measured::{BRIER, ECE, Measure, Measured, NLL, text};

const HEIGHT: f64 = 190.0;
const MEASURES: [Measure; 3] = [BRIER, NLL, ECE];

/// Draws a panel for each score; returns `None` if nothing was shifted.
pub(super) fn figure(measured: &Measured) -> Option<Figure> {
    let levels: Vec<Condition> = measured.levels().map(Condition::Shifted).collect();
    if levels.is_empty() {
        return None;
    }
    let (grid, mut canvas) = Grid::of(MEASURES.len(), MEASURES.len(), HEIGHT, (Key::Markers, &measured.legend()));
    let mut table = vec![cells(["score"])];
    table[0].extend(measured.agents.iter().map(|agent| agent.label().to_owned()));
    for (number, measure) in MEASURES.iter().enumerate() {
        let boxes: Vec<Option<Quartiles>> =
            measured.agents.iter().map(|agent| quartiles(agent, &levels, *measure)).collect();
        let area = grid.area(number);
        let panel = Panel {
            area,
            x: Scale::linear((-0.5, 0.5), area.across()),
            y: Scale::linear(range(boxes.iter().flatten()), area.upwards()),
        };
        let y = Axis { ticks: panel.y.ticks(6), title: "", bare: false };
        panel.frame(&mut canvas, measure.title, &Axis::default(), &y);
        for (place, (agent, box_)) in measured.agents.iter().zip(&boxes).enumerate() {
            let Some(box_) = box_ else { continue };
            let title = format!("{}: median {} {}", agent.label(), measure.title, digits(box_.median));
            let at = offset(place, boxes.len(), area.width);
            panel.quartiles(&mut canvas, at, box_, &agent.style, &title);
        }
        for (place, name) in ["25th", "50th", "75th"].into_iter().enumerate() {
            let of = |box_: &Quartiles| [box_.lower, box_.median, box_.upper][place];
            let mut row = cells([format!("{} ({name})", measure.title).replace(' ', "\u{a0}")]);
            row.extend(boxes.iter().map(|box_| box_.map_or_else(|| "-".to_owned(), |box_| digits(of(&box_)))));
            table.push(row);
        }
    }
    let repetitions = if measured.repetitions == 1 { "one repetition" } else { "repetitions" };
    Some(Figure {
        title: format!("Quartiles over all shifts{} (appendix E)", measured.suffix()),
        caption: format!(
            "Quartiles over {}, each of which counts by the agent's mean over {repetitions}: 25th, 50th and 75th percentile, \
             lower is better. In the picture whiskers go to the least and the greatest. The table below has every condition.",
            counted(levels.len(), "level") + " of shift",
        ),
        drawing: canvas,
        table,
        numbers: vec![conditions(measured)],
    })
}

/// Returns a row for each condition and agent, with all scores that need labels.
fn conditions(measured: &Measured) -> Vec<Vec<String>> {
    let measures = [measured.accuracy(), BRIER, NLL, ECE];
    let mut head = cells(["condition", "agent"]);
    head.extend(measures.iter().map(|measure| measure.title.to_owned()));
    let mut rows = vec![head];
    for condition in &measured.conditions {
        let condition = std::slice::from_ref(condition);
        for agent in &measured.agents {
            let scores: Vec<_> =
                measures.iter().map(|measure| agent.mean(condition, &|scores| measure.get(scores))).collect();
            // Out-of-distribution inputs have no such scores.
            if scores.iter().all(Option::is_none) {
                continue;
            }
            let mut row = cells([condition[0].to_string().as_str(), agent.label()]);
            row.extend(scores.into_iter().map(text));
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::shift::measured::Measured;
    use crate::view::View;
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn quartiles_are_those_of_the_levels() {
        let run = shift_run(1, &["fog/1", "fog/2", "fog/4"], &[("mlp", shifting(0.9, 0.4))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&Measured::all(&view)[0]).unwrap();
        let row = |name: &str| {
            let name = name.replace(' ', "\u{a0}");
            figure.table.iter().find(|row| row[0] == name).unwrap()[1].clone()
        };
        // Brier scores of 0.2, 0.3 and 0.5, and calibration errors of 0.025, 0.05 and 0.1: half way between two of
        // them.
        let quartiles = |score: &str| ["25th", "50th", "75th"].map(|name| row(&format!("{score} ({name})")));
        assert_eq!(quartiles("Brier score"), ["0.2500", "0.3000", "0.4000"]);
        assert_eq!(quartiles("ECE"), ["0.03750", "0.05000", "0.07500"]);
    }
}

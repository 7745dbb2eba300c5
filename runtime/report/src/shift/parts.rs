//! Figures S4, S5 and S7 of the paper: the components of the Brier score against severity.

use crate::figure::Figure;
use crate::grid::Key;
use crate::shift::measured::{BRIER, Measure, Measured};
use crate::shift::plots::draw;
use crate::shift::severity::{plot, table};

const HEIGHT: f64 = 150.0;

const PARTS: [Measure; 3] = [
    Measure { title: "reliability", of: |scores| Some(scores.reliability.0) },
    Measure { title: "resolution", of: |scores| Some(scores.resolution.0) },
    Measure { title: "remainder", of: |scores| Some(scores.remainder.0) },
];
const UNCERTAINTY: Measure = Measure { title: "uncertainty", of: |scores| Some(scores.uncertainty.0) };

/// Draws a row of panels for each shift; returns `None` if no shift has enough severities.
pub(super) fn figure(measured: &Measured) -> Option<Figure> {
    let courses = measured.main_courses();
    if courses.is_empty() {
        return None;
    }
    let plots: Vec<_> = courses
        .iter()
        .flat_map(|course| PARTS.iter().map(move |part| plot(measured, course, *part, part.title)))
        .collect();
    let columns = [BRIER, UNCERTAINTY, PARTS[1], PARTS[0], PARTS[2]];
    Some(Figure {
        title: format!("Parts of the Brier score{} (Figures S4, S5 and S7)", measured.suffix()),
        caption: format!(
            "Brier score = uncertainty - resolution + reliability + remainder, over groups of inputs with one predicted class. \
             Reliability (lower is better) is how far predictions are from what is observed in a group, resolution (higher is \
             better) how far the groups' labels are from those of all, and the remainder what telling inputs of a group apart is \
             worth, below 0 where it helps; uncertainty is that of the labels, the same whatever the agent. {}",
            measured.over()
        ),
        drawing: draw(&plots, PARTS.len(), HEIGHT, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers: courses.iter().map(|course| table(measured, course, &columns)).collect(),
    })
}

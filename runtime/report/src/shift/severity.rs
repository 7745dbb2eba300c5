//! Figures 1a-b and 5 of the paper: accuracy and calibration against the severity of a shift; and the Brier score under
//! each single corruption.

use jointly_classification::shift::Shift;

use crate::figure::{Figure, cells};
use crate::grid::Key;
use crate::shift::measured::{AUC, BRIER, Course, ECE, Measure, Measured, NLL, text};
use crate::shift::plots::{Marks, Plot, draw};

const HEIGHT: f64 = 190.0;
/// The height of a panel among many.
const LOW: f64 = 104.0;

/// Draws a figure for each shift with enough severities that is no corruption, and one of all corruptions.
pub(super) fn figures(measured: &Measured) -> Vec<Figure> {
    let mut figures: Vec<Figure> = measured.courses(false).iter().map(|course| figure(measured, course)).collect();
    figures.extend(by_corruption(measured));
    figures
}

fn figure(measured: &Measured, course: &Course) -> Figure {
    let measures = [measured.accuracy(), BRIER, ECE, NLL];
    let plots: Vec<Plot> = measures.iter().map(|measure| plot(measured, course, *measure, measure.title)).collect();
    let title = if measures[0].title == AUC.title { AUC.title } else { "Accuracy" };
    let of_paper = match course.shift {
        Some(Shift::Rotation | Shift::Translation) => " (Figure 1a-b)",
        Some(Shift::Reassign) if measures[0].title == AUC.title => " (Figure 5)",
        _ => "",
    };
    Figure {
        title: format!("{title} and calibration against {}{}{of_paper}", course.name, measured.suffix()),
        caption: format!(
            "{title} (higher is better), Brier score, expected calibration error and negative log-likelihood in nats (lower is \
             better) of the mean prediction over draws as inputs shift by {}, the unshifted ones at 0. {} Hollow points at an \
             edge lie beyond it; ∞ is an infinite mean.",
            course.name,
            measured.over(),
        ),
        drawing: draw(&plots, 2, HEIGHT, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers: vec![table(measured, course, &measures)],
    }
}

/// Returns a plot of every agent's means of a measure along a course.
pub(super) fn plot(measured: &Measured, course: &Course, measure: Measure, heading: &str) -> Plot {
    let of = |scores: &_| measure.get(scores);
    Plot {
        heading: heading.to_owned(),
        x_title: course.axis(),
        y_title: String::new(),
        ticks: course.severities(),
        logarithmic: false,
        marks: Marks::All,
        y: None,
        ranks: false,
        lines: measured.agents.iter().map(|agent| (agent.style, agent.points(course, &of))).collect(),
    }
}

/// Returns a row for each agent and severity: measures with their errors.
pub(super) fn table(measured: &Measured, course: &Course, measures: &[Measure]) -> Vec<Vec<String>> {
    let mut head = cells([course.name.as_str(), "agent"]);
    head.extend(measures.iter().map(|measure| measure.title.to_owned()));
    head.push("repetitions".to_owned());
    let mut rows = vec![head];
    for (severity, conditions) in &course.steps {
        for agent in &measured.agents {
            let mut row = cells([severity.to_string().as_str(), agent.label()]);
            row.extend(measures.iter().map(|measure| text(agent.mean(conditions, &|scores| measure.get(scores)))));
            row.push(agent.values(conditions, &|scores| measures[0].get(scores)).len().to_string());
            rows.push(row);
        }
    }
    rows
}

/// Draws a panel for each corruption; returns `None` unless there are several.
fn by_corruption(measured: &Measured) -> Option<Figure> {
    let courses = measured.courses(true);
    if courses.len() < 2 {
        return None;
    }
    let plots: Vec<Plot> = courses
        .iter()
        .map(|course| Plot { x_title: String::new(), ..plot(measured, course, BRIER, &course.name) })
        .collect();
    let measures = [measured.accuracy(), BRIER, ECE, NLL];
    Some(Figure {
        title: format!("Brier score by corruption{}", measured.suffix()),
        caption: format!(
            "The Brier score (lower is better) against the severity of each corruption, the unshifted inputs at 0; each panel has \
             its own scale. {}",
            measured.over()
        ),
        drawing: draw(&plots, 4, LOW, (Key::Both, &measured.legend())),
        table: Vec::new(),
        numbers: courses.iter().map(|course| table(measured, course, &measures)).collect(),
    })
}

//! Many datasets side by side: a panel for each shift of each dataset, and a row of a table.

use jointly_classification::shift::{Condition, ConditionScores};

use crate::figure::{Figure, cells, digits};
use crate::grid::Key;
use crate::ratio::Ratio;
use crate::rows::{Bar, Fill, Heading, Row, draw as draw_rows};
use crate::shift::corruptions::quartiles;
use crate::shift::joint;
use crate::shift::measured::{BRIER, ECE, Measured, NLL, text};
use crate::shift::plots::{Marks, Plot, draw};
use crate::view::View;

const HEIGHT: f64 = 104.0;
const COLUMNS: usize = 4;

/// Returns a score of a condition.
type Of = Box<dyn Fn(&ConditionScores) -> Option<f64>>;

/// Draws a figure for each score, the quartiles, and the detection of out-of-distribution inputs.
pub(super) fn figures(view: &View, groups: &[Measured]) -> Vec<Figure> {
    // The area under the curve is used only if all groups have it.
    let measures: Vec<_> = groups.iter().map(Measured::accuracy).collect();
    let Some(accuracy) = measures.iter().find(|measure| measure.title == "accuracy").or(measures.first()).copied()
    else {
        return Vec::new();
    };
    let title = if accuracy.title == "accuracy" { "Accuracy" } else { accuracy.title };
    let mut scores: Vec<(String, Of)> = vec![(title.to_owned(), Box::new(move |scores| accuracy.get(scores)))];
    for measure in [BRIER, ECE] {
        scores.push((measure.title.to_owned(), Box::new(move |scores| measure.get(scores))));
    }
    // The largest tau that all groups have.
    let most = groups.iter().filter_map(|measured| joint::taus(measured).last().copied()).min();
    if let Some(tau) = most {
        scores.push((format!("NLL, tau = {tau}"), Box::new(joint::nll(tau))));
    }
    let mut figures: Vec<Figure> = scores.iter().filter_map(|(title, of)| figure(view, groups, title, of)).collect();
    figures.extend(quartile_table(view, groups));
    figures.extend(outside(groups));
    figures
}

fn figure(view: &View, groups: &[Measured], title: &str, of: &Of) -> Option<Figure> {
    let mut plots = Vec::new();
    let mut numbers = vec![cells(["data", "shift", "severity", "agent", title, "repetitions"])];
    for measured in groups {
        for course in measured.main_courses() {
            plots.push(Plot {
                heading: format!("{}: {}", measured.group, course.name),
                x_title: course.unit.to_owned(),
                y_title: String::new(),
                ticks: course.severities(),
                logarithmic: false,
                marks: Marks::All,
                y: None,
                ranks: false,
                lines: measured.agents.iter().map(|agent| (agent.style, agent.points(&course, of))).collect(),
            });
            for (severity, conditions) in &course.steps {
                for agent in &measured.agents {
                    let severity = severity.to_string();
                    let mut row = cells([measured.group.as_str(), &course.name, &severity, agent.label()]);
                    row.extend([text(agent.mean(conditions, of)), agent.values(conditions, of).len().to_string()]);
                    numbers.push(row);
                }
            }
        }
    }
    let better = if ["Accuracy", "AUC"].contains(&title) { "higher" } else { "lower" };
    (!plots.is_empty()).then(|| Figure {
        title: format!("{title} by data"),
        caption: format!(
            "{title} ({better} is better){} against the severity of each shift of each dataset, the \
             unshifted inputs at 0{}; each panel has its own scale. Means over the repetitions on a dataset, error bars are one \
             standard error over them.",
            if title.starts_with("NLL") { "" } else { " of the mean prediction over draws" },
            if title.starts_with("NLL") { "; of the labels of tau inputs taken jointly, over tau: nats an input" } else { "" }
        ),
        drawing: draw(&plots, COLUMNS, HEIGHT, (Key::Both, &view.legend())),
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Draws a table with a row for each dataset and quartile and a column for each agent; the bars are the medians.
fn quartile_table(view: &View, groups: &[Measured]) -> Option<Figure> {
    let mut numbers = vec![cells(["data", "score"])];
    numbers[0].extend(view.agents.iter().map(|agent| agent.planned.label.clone()));
    let mut medians: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); 3]; view.agents.len()];
    for measured in groups {
        let levels: Vec<Condition> = measured.levels().map(Condition::Shifted).collect();
        for (number, measure) in [BRIER, NLL, ECE].into_iter().enumerate() {
            let boxes: Vec<_> = view
                .agents
                .iter()
                .map(|agent| {
                    let own = measured.agents.iter().find(|own| own.label() == agent.planned.label)?;
                    quartiles(own, &levels, measure)
                })
                .collect();
            for (own, box_) in medians.iter_mut().zip(&boxes) {
                own[number].extend(box_.map(|box_| box_.median));
            }
            for (name, place) in [("25th", 0), ("50th", 1), ("75th", 2)] {
                let mut row = cells([measured.group.clone(), format!("{} ({name})", measure.title)]);
                row.extend(boxes.iter().map(|box_| {
                    box_.map_or_else(|| "-".to_owned(), |box_| digits([box_.lower, box_.median, box_.upper][place]))
                }));
                numbers.push(row);
            }
        }
    }
    if groups.iter().all(|measured| measured.levels().next().is_none()) {
        return None;
    }
    let bar = |medians: &Vec<f64>| {
        let value = medians.iter().sum::<f64>() / medians.len() as f64;
        Bar {
            ratio: Ratio { value, stderr: f64::NAN, problems: medians.len(), defect: None },
            of: groups.len(),
            failed: 0,
            published: None,
        }
    };
    let rows: Vec<Row> = view
        .agents
        .iter()
        .zip(&medians)
        .map(|(agent, medians)| Row {
            label: agent.planned.label.clone(),
            style: view.style_of(agent),
            fill: Fill::Full,
            bars: medians.iter().map(bar).collect(),
        })
        .collect();
    let heading =
        |title: &str| Heading { title: format!("median {title}"), axis: "lower is better".to_owned(), baseline: None };
    Some(Figure {
        title: "Quartiles by data (appendix E)".into(),
        caption: "The median over all levels of shift of a dataset, each of which counts by the agent's mean over repetitions, in the \
                  mean over datasets; there is no error bar, because datasets are not a random sample. The table below has the \
                  quartiles of each dataset."
            .into(),
        drawing: draw_rows(&[BRIER, NLL, ECE].map(|measure| heading(measure.title)), &rows),
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

/// Draws the AUROC by confidence, with a panel for each set of out-of-distribution inputs.
fn outside(groups: &[Measured]) -> Option<Figure> {
    let mut table = vec![cells(["data", "OOD inputs", "agent", "AUROC", "FPR95 out"])];
    let mut rows: Vec<Row> = Vec::new();
    for measured in groups {
        for (name, condition) in measured.outside() {
            let at = std::slice::from_ref(condition);
            for agent in &measured.agents {
                let auroc = |scores: &ConditionScores| Some(scores.detection?.confidence.auroc.0);
                let fpr = |scores: &ConditionScores| Some(scores.detection?.confidence.fpr95_out.0);
                let bar = |of: &dyn Fn(&ConditionScores) -> Option<f64>| {
                    let problems = agent.values(at, of).len();
                    let (value, stderr) =
                        agent.mean(at, of).map_or((f64::NAN, f64::NAN), |score| (score.mean, score.stderr));
                    Bar {
                        ratio: Ratio { value, stderr, problems, defect: None },
                        of: agent.results.len(),
                        failed: 0,
                        published: None,
                    }
                };
                table.push(cells([
                    measured.group.clone(),
                    name.to_owned(),
                    agent.label().to_owned(),
                    text(agent.mean(at, &auroc)),
                    text(agent.mean(at, &fpr)),
                ]));
                rows.push(Row {
                    label: format!("{}, {}", measured.group, agent.label()),
                    style: agent.style,
                    fill: Fill::Full,
                    bars: vec![bar(&auroc), bar(&fpr)],
                });
            }
        }
    }
    let headings = [("AUROC", "higher is better"), ("FPR95 out", "lower is better")];
    (!rows.is_empty()).then(|| Figure {
        title: "Detection of out-of-distribution inputs by data".into(),
        caption:
            "How well low confidence tells out-of-distribution inputs from the unshifted test inputs of each dataset: \
                  AUROC is a half where it does not, and FPR95 the share of test inputs that are taken for \
                  out-of-distribution ones where 95 % of those are \
                  found. Means over the repetitions on a dataset, ± and error bars are one standard error over them."
                .into(),
        drawing: draw_rows(
            &headings.map(|(title, axis)| Heading { title: title.to_owned(), axis: axis.to_owned(), baseline: None }),
            &rows,
        ),
        table: Vec::new(),
        numbers: vec![table],
    })
}

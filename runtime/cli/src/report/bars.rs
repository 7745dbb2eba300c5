//! Figure 2 of the paper: each agent's joint scores as bars, normalised by the baseline's.

use crate::plan::Alterations;
use crate::report::figure::{Figure, cells, counted, digits};
use crate::report::rows::{self, Bar, Heading, Row};
use crate::report::view::{Family, JointScore, View};

/// Figure 2 of the paper, read off the picture: KL over mlp's, at tau 1 and 100.
const PUBLISHED: [(&str, [f64; 2]); 7] = [
    ("mlp", [1.0, 1.0]),
    ("ensemble", [1.0, 0.99]),
    ("dropout", [1.0, 0.98]),
    ("bbb", [1.0, 0.73]),
    ("hypermodel", [1.0, 0.64]),
    ("ensemble+", [1.0, 0.58]),
    ("sgmcmc", [0.95, 0.565]),
];
/// The suite that the published bars are of, the agent that they are normalised by, and their taus.
const PUBLISHED_SUITE: &str = "testbed";
const PUBLISHED_BASELINE: &str = "mlp";
const PUBLISHED_TAUS: [u32; 2] = [1, 100];

/// A bar for each agent at each tau; none where there is no baseline or nothing to compare it with.
pub(crate) fn figure(view: &View) -> Option<Figure> {
    let baseline = view.baseline?;
    if view.families.len() < 2 || view.joint.is_empty() {
        return None;
    }
    let name = &baseline.planned.label;
    let plan = view.scores.plan;
    let of_the_paper = plan.suite == PUBLISHED_SUITE && plan.alterations == Alterations::default();
    let published = of_the_paper && baseline.planned.agent == PUBLISHED_BASELINE;
    let bar = |family: &Family, score: &JointScore| Bar {
        ratio: view.ratio(family.best(), baseline, &score.name),
        failed: family.best().failures.len(),
        published: published_value(family.name, score.tau).filter(|_| published),
    };
    let row = |family: &Family| Row {
        label: family.best().planned.label.clone(),
        style: view.style(family.name),
        outlined: false,
        bars: view.joint.iter().map(|score| bar(family, score)).collect(),
    };
    let rows: Vec<Row> = view.families.iter().map(row).collect();
    let heading = |score: &JointScore| Heading {
        title: format!("tau = {}", score.tau),
        axis: format!("{} / {} of {name}", score.metric, score.metric),
        baseline: Some(1.0),
    };
    let headings: Vec<Heading> = view.joint.iter().map(heading).collect();

    let mut caption = format!(
        "Mean over {} divided by the mean of {name} over the same problems: shorter is better, the dashed line is {name}. \
         Error bars are one standard error of that ratio, by the delta method, clustered by {}.",
        counted(view.scores.plan.problems.len(), "problem"),
        view.scores.units().unit()
    );
    if view.has_variants() {
        caption += " Of each agent the best variant is drawn, chosen on these same problems.";
    }
    if published {
        caption += " Hollow diamonds are the published values, read off Figure 2 of Osband et al.";
    }
    Some(Figure {
        title: "Scores over the baseline's (Figure 2)".into(),
        caption,
        drawing: rows::draw(&headings, &rows),
        table: Vec::new(),
        numbers: numbers(view, &rows, published),
    })
}

fn published_value(agent: &str, tau: u32) -> Option<f64> {
    let at = PUBLISHED_TAUS.iter().position(|known| *known == tau)?;
    PUBLISHED.iter().find(|(name, _)| *name == agent).map(|(_, values)| values[at])
}

fn numbers(view: &View, rows: &[Row], published: bool) -> Vec<Vec<String>> {
    let mut numbers = vec![cells(["agent", "score", "ratio", "standard error", "problems", "failed"])];
    if published {
        numbers[0].push("published".into());
    }
    for (at, score) in view.joint.iter().enumerate() {
        for row in rows {
            let Bar { ratio, failed, published: expected } = &row.bars[at];
            let mut line = cells([&row.label, &score.name, &digits(ratio.value), &digits(ratio.stderr)]);
            line.extend([ratio.problems.to_string(), failed.to_string()]);
            if published {
                line.push(expected.map_or("-".into(), |value| value.to_string()));
            }
            numbers.push(line);
        }
    }
    numbers
}

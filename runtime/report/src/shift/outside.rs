//! Detection of out-of-distribution inputs: by confidence and by entropy.

use jointly_classification::shift::{Condition, ConditionScores, Detection};
use jointly_core::Score;

use crate::figure::{Figure, cells};
use crate::ratio::Ratio;
use crate::rows::{Bar, Fill, Heading, Row, draw};
use crate::shift::measured::{Measured, text};

/// A measure of how well two sets of inputs are told apart.
struct Column {
    title: &'static str,
    of: fn(&Detection) -> f64,
}

const COLUMNS: [Column; 5] = [
    Column { title: "AUROC", of: |detection| detection.auroc.0 },
    Column { title: "AUPR out", of: |detection| detection.aupr_out.0 },
    Column { title: "AUPR in", of: |detection| detection.aupr_in.0 },
    Column { title: "FPR95 out", of: |detection| detection.fpr95_out.0 },
    Column { title: "FPR95 in", of: |detection| detection.fpr95_in.0 },
];

/// The score used for detection, and its results.
type By = (&'static str, fn(&ConditionScores) -> Option<Detection>);

const BY: [By; 2] = [
    ("confidence", |scores| Some(scores.detection?.confidence)),
    ("entropy", |scores| Some(scores.detection?.entropy)),
];

/// The columns of the figure, each with the score used for detection, as indices.
const DRAWN: [(usize, usize); 3] = [(0, 0), (0, 1), (3, 0)];

/// Draws a figure for each set of out-of-distribution inputs.
pub(super) fn figures(measured: &Measured) -> Vec<Figure> {
    measured.outside().map(|(name, condition)| figure(measured, name, condition)).collect()
}

fn figure(measured: &Measured, name: &str, condition: &Condition) -> Figure {
    let at = std::slice::from_ref(condition);
    let rows: Vec<Row> = measured
        .agents
        .iter()
        .map(|agent| {
            let bar = |(column, by): (usize, usize)| {
                let values = agent.values(at, &|scores| Some((COLUMNS[column].of)(&(BY[by].1)(scores)?)));
                let problems = values.len();
                let Score { mean, stderr } = Score::of(&values.into_iter().map(|(_, x)| x).collect::<Vec<_>>());
                let ratio = Ratio { value: mean, stderr, problems, defect: None };
                Bar { ratio, of: agent.results.len(), failed: 0, published: None }
            };
            Row {
                label: agent.label().to_owned(),
                style: agent.style,
                fill: Fill::Full,
                bars: DRAWN.into_iter().map(bar).collect(),
            }
        })
        .collect();
    let headings: Vec<Heading> = DRAWN
        .iter()
        .map(|(column, by)| Heading {
            title: format!("{} by {}", COLUMNS[*column].title, BY[*by].0),
            axis: if *column < 3 { "higher is better".to_owned() } else { "lower is better".to_owned() },
            baseline: None,
        })
        .collect();
    let mut head = cells(["agent", "by"]);
    head.extend(COLUMNS.iter().map(|column| column.title.to_owned()));
    let mut table = vec![head];
    for agent in &measured.agents {
        for (by, of) in BY {
            let mut row = cells([agent.label(), by]);
            let cell = |column: &Column| text(agent.mean(at, &|scores| Some((column.of)(&of(scores)?))));
            row.extend(COLUMNS.iter().map(cell));
            table.push(row);
        }
    }
    let rows_of = |condition: &Condition| {
        measured.agents.iter().find_map(|agent| Some(agent.scores(condition).next()?.rows)).unwrap_or(0)
    };
    Figure {
        title: format!("Telling {name} from test inputs{}", measured.suffix()),
        caption: format!(
            "{} out-of-distribution inputs ({name}) against the {} unshifted test inputs, by low confidence or by high \
             entropy of the mean prediction. AUROC: the probability that an out-of-distribution input is doubted more \
             than a test input, a half where they are not told apart at all. AUPR: average precision with the \
             out-of-distribution inputs (out) or the test inputs (in) as positives. FPR95: the share of the others that \
             are taken for positives where 95 % of positives are found. {}",
            rows_of(condition),
            rows_of(&Condition::Unshifted),
            measured.over(),
        ),
        drawing: draw(&headings, &rows),
        numbers: vec![table.clone()],
        table,
    }
}

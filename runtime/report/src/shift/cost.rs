//! Table S1 of the paper: an agent's cost in fuel and in bytes.

use jointly_classification::shift::ShiftScores;
use jointly_core::Score;
use jointly_record::quantity;
use jointly_record::quantity::number;

use crate::figure::{Figure, cells};
use crate::ratio::Ratio;
use crate::rows::{Bar, Fill, Heading, Row, draw};
use crate::shift::measured::{Agent, Measured};
use crate::view::View;

/// A cost of one problem.
struct Expense {
    title: &'static str,
    of: fn(&ShiftScores) -> Option<f64>,
}

const EXPENSES: [Expense; 3] = [
    Expense { title: "fuel of training", of: |scores| Some(scores.cost?.training as f64) },
    Expense {
        title: "fuel of predicting an input",
        of: |scores| Some(scores.cost?.prediction as f64 / inputs(scores)),
    },
    Expense { title: "bytes held", of: |scores| Some(scores.cost?.bytes as f64) },
];

/// Returns the number of all inputs that were predicted.
fn inputs(scores: &ShiftScores) -> f64 {
    scores.conditions.iter().map(|scores| f64::from(scores.rows)).sum()
}

impl Expense {
    /// Returns the mean over repetitions.
    fn mean(&self, agent: &Agent) -> Option<Score> {
        let values: Vec<f64> = agent.results.iter().filter_map(|(_, scores)| (self.of)(scores)).collect();
        (!values.is_empty()).then(|| Score::of(&values))
    }
}

/// Draws a row for each agent; returns `None` if no cost was recorded.
pub(super) fn figure(view: &View, measured: &Measured) -> Option<Figure> {
    let means: Vec<Vec<Option<Score>>> =
        measured.agents.iter().map(|agent| EXPENSES.iter().map(|expense| expense.mean(agent)).collect()).collect();
    let least = |column: usize| {
        let known = means.iter().filter_map(|row| Some(row[column]?.mean)).filter(|mean| *mean > 0.0);
        known.fold(f64::INFINITY, f64::min)
    };
    let least: Vec<f64> = (0..EXPENSES.len()).map(least).collect();
    if least.iter().any(|least| !least.is_finite()) {
        return None;
    }
    let bar = |agent: &Agent, column: usize, mean: Option<Score>| {
        let over = |x: f64| x / least[column];
        let ratio = mean.map_or(
            Ratio { value: f64::NAN, stderr: f64::NAN, problems: 0, defect: None },
            |Score { mean, stderr }| Ratio {
                value: over(mean),
                stderr: over(stderr),
                problems: agent.results.len(),
                defect: None,
            },
        );
        Bar { ratio, of: agent.results.len(), failed: 0, published: None }
    };
    let rows: Vec<Row> = measured
        .agents
        .iter()
        .zip(&means)
        .map(|(agent, means)| Row {
            label: agent.label().to_owned(),
            style: agent.style,
            fill: Fill::Full,
            bars: means.iter().enumerate().map(|(column, mean)| bar(agent, column, *mean)).collect(),
        })
        .collect();
    let headings: Vec<Heading> = EXPENSES
        .iter()
        .map(|expense| Heading {
            title: expense.title.to_owned(),
            axis: "over the cheapest agent's".to_owned(),
            baseline: None,
        })
        .collect();
    Some(Figure {
        title: format!("Cost{} (Table S1)", measured.suffix()),
        caption: format!(
            "Each cost over that of the cheapest agent, in the mean over repetitions; ± is one standard error over them. Fuel is \
             what an agent executes, about an instruction each, the same on every machine. Predicting an input takes all {} draws \
             of it together, each distinct function once. Bytes are the most memory that the agent ever held, its \
             copies of the data and of its answers included.",
            view.scores.plan.draws()
        ),
        drawing: draw(&headings, &rows),
        table: table(measured, &means, &least),
        numbers: vec![errors(measured, &means)],
    })
}

/// Returns a row for each agent: each cost and its multiple of the cheapest.
fn table(measured: &Measured, means: &[Vec<Option<Score>>], least: &[f64]) -> Vec<Vec<String>> {
    let mut head = cells(["agent"]);
    head.extend(EXPENSES.iter().flat_map(|expense| [expense.title.to_owned(), "relative".to_owned()]));
    let row = |(agent, means): (&Agent, &Vec<Option<Score>>)| {
        let mut row = cells([agent.label()]);
        row.extend(means.iter().zip(least).flat_map(|(mean, least)| match mean {
            Some(Score { mean, .. }) => [quantity::count(*mean), format!("{}x", number(mean / least))],
            None => ["-", "-"].map(str::to_owned),
        }));
        row
    };
    [head].into_iter().chain(measured.agents.iter().zip(means).map(row)).collect()
}

/// Returns the table of costs with standard errors.
fn errors(measured: &Measured, means: &[Vec<Option<Score>>]) -> Vec<Vec<String>> {
    let mut rows = vec![cells(["agent", "cost", "mean", "standard error", "repetitions"])];
    for (agent, means) in measured.agents.iter().zip(means) {
        for (expense, mean) in EXPENSES.iter().zip(means) {
            let Some(Score { mean, stderr }) = mean else { continue };
            let stderr = if stderr.is_nan() { "-".to_owned() } else { format!("{stderr:.0}") };
            let mut row = cells([agent.label(), expense.title]);
            row.extend([format!("{mean:.0}"), stderr, agent.results.len().to_string()]);
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
    fn costs_are_relative_to_the_cheapest() {
        let agents = [("mlp", shifting(0.9, 0.8)), ("knn", shifting(0.8, 0.5))];
        let run = shift_run(2, &["fog/1", "fog/2"], &agents);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&view, &Measured::all(&view)[0]).unwrap();
        let row = |agent: &str| figure.table.iter().find(|row| row[0] == agent).unwrap()[1..].to_vec();
        // 1000 units of fuel for 100 inputs in each of four conditions.
        assert_eq!(row("mlp"), ["100.0", "1.000x", "2.500", "1.000x", "1.05 M", "1.000x"]);
        assert_eq!(row("knn"), ["200.0", "2.000x", "5.000", "2.000x", "1.05 M", "1.000x"]);
    }
}

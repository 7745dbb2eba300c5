//! Log-likelihood, error and coverage on observations, dataset by dataset: the table of the standard splits.

use jointly_core::{Repetition, Score};
use jointly_record::quantity::with_error;
use jointly_regression::Regression;
use jointly_score::scores::AgentScores;

use crate::drawing::Point;
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, panel, range, range_of};
use crate::regression::family::{datasets, failures};
use crate::view::View;

const COLUMNS: usize = 3;
const HEIGHT: f64 = 180.0;

/// An agent's means on a dataset.
struct Row<'v> {
    agent: &'v AgentScores<'v>,
    likelihood: Score,
    error: Score,
    coverage: Option<(String, Score)>,
    problems: usize,
    failed: usize,
}

/// Draws a panel for each dataset. Leaves out simulations, which have a table of their own, and active learning;
/// returns `None` without results.
pub(super) fn figure(view: &View) -> Option<Figure> {
    let suited = |data: &String| {
        view.places().any(|place| {
            let is_simulation = matches!(place.repetition, Some(Repetition::Simulation(_)));
            place.group == *data && place.acquisition.is_none() && !is_simulation
        })
    };
    let data = datasets(view).into_iter().filter(suited);
    let tables: Vec<(String, Vec<Row>)> = data
        .map(|data| {
            let rows = view.agents.iter().filter_map(|agent| row(view, agent, &data)).collect();
            (data, rows)
        })
        .filter(|(_, rows): &(String, Vec<Row>)| !rows.is_empty())
        .collect();
    if tables.is_empty() {
        return None;
    }
    let (grid, mut canvas) = Grid::of(tables.len(), COLUMNS, HEIGHT, (Key::Markers, &view.legend()));
    let mut numbers = vec![cells(["data", "agent", "log-likelihood", "RMSE", "PICP", "problems", "failed"])];
    for (number, (data, rows)) in tables.iter().enumerate() {
        let points: Vec<(&Row, Point)> = rows.iter().map(|row| (row, row.point(data))).collect();
        let x = range(points.iter().map(|(_, point)| point.x));
        let panel = panel(grid.area(number), x, range_of(points.iter().map(|(_, point)| point)));
        frame(&mut canvas, &panel, data, ("RMSE", "log-likelihood"));
        for (row, point) in points {
            panel.point(&mut canvas, &point, &view.style_of(row.agent), true);
            numbers.push(row.cells(data));
        }
    }
    let levels = tables.iter().flat_map(|(_, rows)| rows).find_map(|row| Some(row.coverage.as_ref()?.0.clone()));
    Some(Figure {
        title: "Log-likelihood and error by dataset".into(),
        caption: format!(
            "Test log-likelihood (nats a point) against root mean squared error (the data's units), a panel a dataset: up and \
             to the left is better. Means over {}; error bars are one standard error of the log-likelihood over them, ± in the \
             tables likewise. PICP is the share of observations in their {} prediction intervals. Hollow points at an edge lie beyond it; × is a \
             failure on some.",
            over(&tables),
            levels.unwrap_or_default(),
        ),
        drawing: canvas,
        table: table(view, &tables),
        numbers: vec![numbers],
    })
}

/// Formats counts as `20 problems a dataset`.
fn over(tables: &[(String, Vec<Row>)]) -> String {
    let counts = || tables.iter().flat_map(|(_, rows)| rows).map(|row| row.problems);
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {} of a dataset", counted(most, "problem")),
        (_, most) => format!("{} of a dataset", counted(most.unwrap_or(0), "problem")),
    }
}

fn row<'v>(view: &View, agent: &'v AgentScores<'v>, data: &str) -> Option<Row<'v>> {
    let here = || agent.problems.iter().filter(|problem| problem.planned.coordinates.group == data);
    let values = |name: &str, sign: f64| -> Vec<f64> {
        here().filter_map(|problem| Some(sign * problem.value(name)?.value)).collect()
    };
    let (likelihood, error) = (values("nll", -1.0), values("rmse", 1.0));
    let levels = here().find_map(|problem| Some(&problem.result::<Regression>()?.scores.levels))?;
    // The level of the paper's discussion, else the widest.
    let level = levels.iter().find(|level| level.level == 0.9).or(levels.last());
    let coverage = level.map(|level| {
        let percent = (100.0 * level.level).round();
        (format!("{percent} %"), Score::of(&values(&format!("picp_{percent}"), 1.0)))
    });
    let failed = failures(view, agent, |family| family.data == data);
    let problems = likelihood.len();
    (problems > 0).then(|| Row {
        agent,
        likelihood: Score::of(&likelihood),
        error: Score::of(&error),
        coverage,
        problems,
        failed,
    })
}

impl Row<'_> {
    fn point(&self, data: &str) -> Point {
        let label = &self.agent.planned.label;
        let Score { mean, stderr } = self.likelihood;
        let title = format!("{label} on {data}: {}, RMSE {}", with_error(mean, stderr), digits(self.error.mean));
        Point { x: self.error.mean, y: mean, stderr, failed: self.failed > 0, title }
    }

    fn cells(&self, data: &str) -> Vec<String> {
        let text = |score: Score| with_error(score.mean, score.stderr);
        let coverage = self.coverage.as_ref().map_or("-".to_owned(), |(_, score)| text(*score));
        let texts = [text(self.likelihood), text(self.error), coverage];
        let mut row = cells([data, &self.agent.planned.label]);
        row.extend(texts);
        row.extend(cells([self.problems, self.failed]));
        row
    }
}

/// Returns log-likelihoods with a row for each dataset and a column for each agent.
fn table(view: &View, tables: &[(String, Vec<Row>)]) -> Vec<Vec<String>> {
    let mut head = cells(["log-likelihood"]);
    head.extend(view.agents.iter().map(|agent| agent.planned.label.clone()));
    let line = |(data, rows): &(String, Vec<Row>)| {
        let mut line = cells([data]);
        line.extend(view.agents.iter().map(|agent| {
            let own = rows.iter().find(|row| std::ptr::eq(row.agent, *agent));
            own.map_or("-".to_owned(), |row| with_error(row.likelihood.mean, row.likelihood.stderr))
        }));
        line
    };
    [head].into_iter().chain(tables.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::regression::{compared_run, correlated, covering, covering_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn datasets_have_a_panel_and_simulations_have_none() {
        let run = compared_run(
            "correlations/uci",
            &["boston", "yacht"],
            2,
            &[("bbb", correlated(0.1)), ("gp", correlated(0.9))],
        );
        let scores = run.scores();
        let figure = super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap();
        assert_eq!(
            figure.table.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(),
            ["log-likelihood", "boston", "yacht"]
        );
        assert_eq!(figure.numbers[0].len(), 5);
        assert!(figure.caption.contains("Means over 2 problems of a dataset"), "{}", figure.caption);
        let run = covering_run("coverage/gap", 2, &[("gp", covering(&[0.9]))]);
        let scores = run.scores();
        assert!(super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).is_none());
    }
}

//! Table 5 of the paper on correlations: the mean XLL of each agent on each dataset.

use std::collections::BTreeMap;

use jointly_core::Score;
use jointly_record::quantity::with_error;
use jointly_score::scores::AgentScores;

use crate::drawing::{Axis, Canvas, Point};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, panel, range_of};
use crate::regression::family::{datasets, values_on};
use crate::view::View;

/// The columns of Table 5.
const PUBLISHED_AGENTS: [&str; 7] = ["gp", "bbb", "nng", "hmc", "fbnn", "dropout", "ensemble"];
/// The rows of Table 5: means over ten repetitions. The paper's naval is another task, with another target.
const PUBLISHED: [(&str, [f64; 7]); 7] = [
    ("boston", [-3.217, -3.316, -3.202, -3.177, -3.237, -3.456, -3.202]),
    ("concrete", [-3.342, -3.394, -3.351, -3.336, -3.344, -3.615, -3.340]),
    ("energy", [-1.382, -1.430, -1.437, -1.378, -1.384, -1.434, -1.386]),
    ("wine", [-1.215, -1.266, -1.228, -1.224, -1.222, -1.306, -1.226]),
    ("yacht", [-2.062, -2.112, -2.074, -2.126, -2.011, -2.674, -1.998]),
    ("kin8nm", [0.902, 0.892, 0.890, 0.902, 0.901, 0.796, 0.897]),
    ("power", [-2.793, -2.812, -2.821, -2.801, -2.806, -2.828, -2.796]),
];
const PUBLISHED_SUITE: &str = "correlations/uci";

const COLUMNS: usize = 4;
const HEIGHT: f64 = 150.0;

/// A dataset, with the agents that have an XLL on it.
struct Row<'v> {
    data: String,
    /// The largest number of repetitions of any agent.
    repetitions: usize,
    entries: Vec<Entry<'v>>,
}

/// An agent's XLL on a dataset.
struct Entry<'v> {
    agent: &'v AgentScores<'v>,
    mean: Score,
    repetitions: usize,
    /// The difference to the best agent, over the repetitions that both have.
    behind: Score,
    best: bool,
}

/// Draws a panel for each dataset; returns `None` if agents were not compared.
pub(super) fn figure(view: &View) -> Option<Figure> {
    let rows: Vec<Row> = datasets(view).into_iter().filter_map(|data| Row::of(view, data)).collect();
    if rows.is_empty() {
        return None;
    }
    let published = view.scores.plan.is_on_tables_of(PUBLISHED_SUITE);
    let repetitions = rows.iter().map(|row| row.repetitions).max().unwrap_or(0);
    let mut caption = vec![format!(
        "The mean cross-normalised likelihood (XLL) of an agent over references, nats a point, a panel a dataset and agents from \
         left to right as in the legend: higher is better. Means over up to {} of a dataset, with one standard error over \
         them. Most of that error all agents share, for repetitions are harder or easier for everybody: * marks the best of a \
         dataset and all whose difference to it, repetition by repetition, is within one standard error of that difference. \
         How far datasets differ says nothing, so there is no mean over them: ranks have one. XLL depends on who takes part, \
         for everybody is a reference. Hollow points at an edge lie beyond it; × is an agent without XLL on some repetition.",
        counted(repetitions, "repetition"),
    )];
    if published {
        caption.push(
            "The numbers have those of Wang, Sun and Grosse, Table 5, beside them, which are under the marginals of their own \
             seven agents; none of naval, where they predict the turbine's decay and not the compressor's."
                .to_owned(),
        );
    }
    Some(Figure {
        title: "XLL by dataset (Table 5)".into(),
        caption: caption.join(" "),
        drawing: draw(view, &rows),
        table: table(view, &rows),
        numbers: vec![numbers(&rows, published)],
    })
}

impl<'v> Row<'v> {
    fn of(view: &View<'v>, data: String) -> Option<Self> {
        let known: Vec<(&AgentScores, BTreeMap<&str, f64>)> = view
            .agents
            .iter()
            .map(|agent| (*agent, values_on(agent, "xll", &data).into_iter().collect()))
            .filter(|(_, values): &(_, BTreeMap<&str, f64>)| !values.is_empty())
            .collect();
        let repetitions = known.iter().map(|(_, values)| values.len()).max()?;
        let mean = |values: &BTreeMap<&str, f64>| Score::of(&values.values().copied().collect::<Vec<_>>());
        // Only an agent with all repetitions can be the best.
        let whole = known.iter().map(|(_, values)| values).filter(|values| values.len() == repetitions);
        let best = whole.filter(|values| mean(values).mean.is_finite());
        let best = best.max_by(|a, b| mean(a).mean.total_cmp(&mean(b).mean));
        let entry = |(agent, values): &(&'v AgentScores<'v>, BTreeMap<&str, f64>)| {
            let shared = values.iter().filter_map(|(problem, value)| Some(best?.get(problem)? - value));
            let behind = Score::of(&shared.collect::<Vec<_>>());
            let error = if behind.stderr.is_finite() { behind.stderr } else { 0.0 };
            let whole = values.len() == repetitions;
            Entry { agent, mean: mean(values), repetitions: values.len(), behind, best: whole && behind.mean <= error }
        };
        Some(Self { repetitions, entries: known.iter().map(entry).collect(), data })
    }
}

fn draw(view: &View, rows: &[Row]) -> Canvas {
    let (grid, mut canvas) = Grid::of(rows.len(), COLUMNS, HEIGHT, (Key::Markers, &view.legend()));
    for (number, row) in rows.iter().enumerate() {
        let point = |entry: &Entry| {
            let label = &entry.agent.planned.label;
            let at = view.agents.iter().position(|agent| std::ptr::eq(*agent, entry.agent)).unwrap_or(0);
            let Score { mean, stderr } = entry.mean;
            let title = format!("{label} on {}: {}", row.data, with_error(mean, stderr));
            Point { x: at as f64, y: mean, stderr, failed: entry.repetitions < row.repetitions, title }
        };
        let points: Vec<(&Entry, Point)> = row.entries.iter().map(|entry| (entry, point(entry))).collect();
        let across = (-0.7, view.agents.len() as f64 - 0.3);
        let panel = panel(grid.area(number), across, range_of(points.iter().map(|(_, point)| point)));
        let y = Axis { ticks: panel.y.ticks((HEIGHT / 32.0) as usize), title: "XLL", bare: false };
        panel.frame(&mut canvas, &row.data, &Axis::default(), &y);
        for (entry, point) in points {
            panel.point(&mut canvas, &point, &view.style_of(entry.agent), true);
        }
    }
    canvas
}

/// Returns a row for each dataset and a column for each agent, as in the paper.
fn table(view: &View, rows: &[Row]) -> Vec<Vec<String>> {
    let mut head = cells(["XLL"]);
    head.extend(view.agents.iter().map(|agent| agent.planned.label.clone()));
    let line = |row: &Row| {
        let mut line = cells([&row.data]);
        line.extend(view.agents.iter().map(|agent| {
            let Some(entry) = row.entries.iter().find(|entry| std::ptr::eq(entry.agent, *agent)) else {
                return "-".to_owned();
            };
            let mean = with_error(entry.mean.mean, entry.mean.stderr);
            match entry.repetitions {
                fewer if fewer < row.repetitions => format!("{mean}, {fewer} of {}", row.repetitions),
                _ if entry.best => format!("{mean} *"),
                _ => mean,
            }
        }));
        line
    };
    [head].into_iter().chain(rows.iter().map(line)).collect()
}

fn numbers(rows: &[Row], published: bool) -> Vec<Vec<String>> {
    let mut head =
        cells(["data", "agent", "XLL", "standard error", "behind the best", "standard error", "repetitions"]);
    head.extend(published.then(|| "published".to_owned()));
    let mut numbers = vec![head];
    for row in rows {
        for Entry { agent, mean, repetitions, behind, .. } in &row.entries {
            let mut line = cells([&row.data, &agent.planned.label]);
            line.extend([mean.mean, mean.stderr, behind.mean, behind.stderr].map(digits));
            line.push(repetitions.to_string());
            let known = || {
                let at = PUBLISHED_AGENTS.iter().position(|name| *name == agent.planned.agent)?;
                PUBLISHED.iter().find(|(data, _)| *data == row.data).map(|(_, means)| means[at])
            };
            line.extend(published.then(|| known().map_or("-".to_owned(), |mean| format!("{mean:.3}"))));
            numbers.push(line);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::regression::{ComparedRun, compared_run, correlated, own_table};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;
    use jointly_score::scores::Scores;

    fn run(suite: &str, agents: &[(&str, f64)]) -> ComparedRun {
        let agents: Vec<_> = agents.iter().map(|(name, quality)| (*name, correlated(*quality))).collect();
        compared_run(suite, &["boston", "yacht"], 3, &agents)
    }

    fn figure(scores: &Scores) -> Option<Figure> {
        super::figure(&View::new(scores, &Leaderboard::new(scores), None))
    }

    /// Sets the XLL of an agent on Boston, repetition by repetition.
    fn set(scores: &mut Scores, agent: usize, values: [f64; 3]) {
        for (problem, value) in scores.agents[agent].problems.iter_mut().zip(values) {
            let xll = problem.values.iter_mut().find(|(name, _)| name == "xll").unwrap();
            xll.1.value = value;
        }
    }

    #[test]
    fn datasets_are_rows_and_the_best_is_marked() {
        let run = run("correlations/uci", &[("bbb", 0.125), ("gp", 0.875)]);
        let drawn = figure(&run.scores()).unwrap();
        assert_eq!(drawn.table[0], ["XLL", "gp", "bbb"]);
        assert_eq!(drawn.table[1], ["boston", "0.8750 ±0.0000 *", "0.1250 ±0.0000"]);
        assert!(drawn.caption.contains("up to 3 repetitions of a dataset"), "{}", drawn.caption);
        let numbers = &drawn.numbers[0];
        assert_eq!(numbers[2], ["boston", "bbb", "0.1250", "0.000", "0.7500", "0.000", "3", "-3.316"]);
        let published = numbers.iter().find(|row| row[0] == "yacht" && row[1] == "gp").unwrap();
        assert_eq!(published[7], "-2.062");
    }

    #[test]
    fn published_means_are_of_the_suites_own_tables() {
        let mut run = run("correlations/uci", &[("bbb", 0.125), ("gp", 0.875)]);
        run.run.plan.tables = own_table();
        let drawn = figure(&run.scores()).unwrap();
        assert!(!drawn.caption.contains("Wang") && drawn.numbers[0].iter().all(|row| row.len() == 7));
    }

    /// Checks marks when the third repetition of Boston is harder, for both agents, by more than the agents differ.
    #[test]
    fn marks_are_of_differences_repetition_by_repetition() {
        let run = run("quick/correlations", &[("bbb", 0.1), ("gp", 0.9), ("hmc", 0.5)]);
        let mut scores = run.scores();
        set(&mut scores, 0, [-1.1, -2.2, -5.1]);
        set(&mut scores, 1, [-1.0, -2.0, -5.0]);
        set(&mut scores, 2, [-1.1, -1.9, -5.01]);
        let drawn = figure(&scores).unwrap();
        let cell = |label: &str| {
            let at = drawn.table[0].iter().position(|name| name == label).unwrap();
            drawn.table[1][at].clone()
        };
        // Behind by 0.1, 0.2 and 0.1, that is 0.133 ±0.033; and by 0.1, -0.1 and 0.01, that is 0.003 ±0.058.
        assert!(
            cell("gp").ends_with('*') && cell("hmc").ends_with('*') && !cell("bbb").ends_with('*'),
            "{:?}",
            drawn.table
        );
        assert!(!drawn.caption.contains("Wang") && drawn.numbers[0][0].len() == 7);
    }

    #[test]
    fn who_was_spared_a_repetition_is_not_the_best() {
        let run = run("correlations/uci", &[("bbb", 0.125), ("gp", 0.875)]);
        let mut scores = run.scores();
        scores.agents[1].problems.remove(0);
        let drawn = figure(&scores).unwrap();
        let at = drawn.table[0].iter().position(|name| name == "gp").unwrap();
        assert_eq!(drawn.table[1][at], "0.8750 ±0.0000, 2 of 3");
        assert!(drawn.table[1][3 - at].ends_with('*') && drawn.table[2][at].ends_with('*'), "{:?}", drawn.table);
        assert!(drawn.drawing.inline("").into_string().contains('×'));
    }

    #[test]
    fn without_comparisons_there_is_none() {
        let run = run("correlations/uci", &[("bbb", 0.125), ("gp", 0.875)]);
        assert!(figure(&run.run.scores()).is_none());
    }
}

//! The table of a process: Brier scores and widths by level, log-likelihood and error by agent.

use jointly_core::Score;
use jointly_record::quantity::with_error;
use jointly_regression::coverage::{IntervalSummary, LevelSummary};

use crate::drawing::Point;
use crate::figure::{Figure, cells};
use crate::grid::{Grid, Key, frame_at, panel, range_of, series};
use crate::regression::process::{Covered, Process, percent};
use crate::view::View;

const HEIGHT: f64 = 150.0;

/// The quantity that is drawn against the level.
struct Measure {
    title: &'static str,
    of: fn(&LevelSummary) -> (f64, f64),
}

const MEASURES: [Measure; 4] = [
    Measure { title: "Brier of PICF", of: |level| brier(&level.prediction) },
    Measure { title: "Brier of CICF", of: |level| brier(&level.confidence) },
    Measure { title: "width of PI", of: |level| mean(level.prediction.width) },
    Measure { title: "width of CI", of: |level| mean(level.confidence.width) },
];

/// Columns of a level's table that are not drawn.
const SHARES: [Measure; 2] = [
    Measure { title: "PICP", of: |level| mean(level.prediction.mean) },
    Measure { title: "CICP", of: |level| mean(level.confidence.mean) },
];

fn brier(summary: &IntervalSummary) -> (f64, f64) {
    (summary.brier.score.0, summary.brier.stderr.0)
}

fn mean(score: Score) -> (f64, f64) {
    (score.mean, score.stderr)
}

/// Scores of observations. The log-likelihood is the loss with the opposite sign.
const SCORES: [(&str, &str, f64); 3] = [("log-likelihood", "nll", -1.0), ("RMSE", "rmse", 1.0), ("CRPS", "crps", 1.0)];

/// Draws Brier scores and widths against the level, with a table of everything at one level; returns `None` without
/// levels.
pub(super) fn figure(view: &View, process: &Process, level: f64) -> Option<Figure> {
    let levels: Vec<f64> = process.agents.first()?.summary.levels.iter().map(|summary| summary.level).collect();
    if levels.is_empty() {
        return None;
    }
    let (grid, mut canvas) = Grid::of(MEASURES.len(), 4, HEIGHT, (Key::Both, &process.legend()));
    let (least, most) = (levels.iter().copied().fold(1.0, f64::min), levels.iter().copied().fold(0.0, f64::max));
    let across = (100.0 * least - 3.0, 100.0 * most + 3.0);
    for (number, measure) in MEASURES.iter().enumerate() {
        let lines: Vec<(&Covered, Vec<Point>)> =
            process.agents.iter().map(|covered| (covered, points(covered, measure))).collect();
        let (_, high) = range_of(lines.iter().flat_map(|(_, points)| points));
        let panel = panel(grid.area(number), across, (0.0, high));
        let percents: Vec<f64> = levels.iter().map(|level| 100.0 * level).collect();
        frame_at(&mut canvas, &panel, measure.title, (("level, %", &percents), ""));
        for (covered, points) in lines {
            series(&mut canvas, &panel, covered.style, points);
        }
    }
    let caption = format!(
        "Means over {} of {} at {}, ± and error bars one standard error over simulations (of Brier scores the jackknife's). \
         The Brier score is the mean squared distance of the coverage at each test input from its level: 0 is perfect, and \
         finitely many simulations add to it. Widths, RMSE and CRPS are in the data's units, log-likelihoods in nats. The \
         table above is at {}; that below has every level.",
        process.simulations(),
        process.short(),
        process.points(),
        percent(level),
    );
    Some(Figure {
        title: format!("Brier scores, widths and likelihood: {}", process.short()),
        caption,
        drawing: canvas,
        table: table(view, process, level),
        numbers: vec![by_level(process)],
    })
}

fn points(covered: &Covered, measure: &Measure) -> Vec<Point> {
    let point = |summary: &LevelSummary| {
        let (y, stderr) = (measure.of)(summary);
        let title =
            format!("{}, {}: {} {}", covered.label(), percent(summary.level), measure.title, with_error(y, stderr));
        Point { x: 100.0 * summary.level, y, stderr, failed: false, title }
    };
    let mut points: Vec<Point> = covered.summary.levels.iter().map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Returns a row for each agent: everything at one level, and its scores.
fn table(view: &View, process: &Process, level: f64) -> Vec<Vec<String>> {
    let mut head = cells(["agent"]);
    head.extend(SHARES.iter().chain(&MEASURES).map(|measure| measure.title.to_owned()));
    head.extend(SCORES.iter().map(|(title, ..)| (*title).to_owned()));
    head.extend(cells(["simulations", "failed"]));
    let mut rows = vec![head];
    for covered in &process.agents {
        let mut row = cells([covered.label()]);
        let text = |measure: &Measure| {
            covered.level(level).map_or("-".to_owned(), |summary| {
                let (mean, stderr) = (measure.of)(summary);
                with_error(mean, stderr)
            })
        };
        row.extend(SHARES.iter().chain(&MEASURES).map(text));
        row.extend(SCORES.iter().map(|(_, name, sign)| {
            let values: Vec<f64> =
                covered.problems(process).filter_map(|problem| Some(sign * problem.value(name)?.value)).collect();
            let Score { mean, stderr } = Score::of(&values);
            with_error(mean, stderr)
        }));
        let failed = covered.agent.failures.iter().filter(|(problem, _)| process.holds(problem)).count();
        row.extend(cells([covered.summary.simulations as usize, failed]));
        rows.push(row);
    }
    // An agent that failed on every simulation is part of the run, too.
    for agent in &view.agents {
        let failed = agent.failures.iter().filter(|(problem, _)| process.holds(problem)).count();
        let has = process.agents.iter().any(|covered| std::ptr::eq(covered.agent, *agent));
        if failed > 0 && !has {
            let mut row = cells([agent.planned.label.as_str()]);
            row.extend(vec!["-".to_owned(); SHARES.len() + MEASURES.len() + SCORES.len()]);
            row.extend(cells([0, failed]));
            rows.push(row);
        }
    }
    rows
}

fn by_level(process: &Process) -> Vec<Vec<String>> {
    let mut head = cells(["agent", "level"]);
    head.extend(SHARES.iter().chain(&MEASURES).map(|measure| measure.title.to_owned()));
    head.extend(cells(["expected of finitely many in Brier of PICF", "of CICF"]));
    let mut rows = vec![head];
    for covered in &process.agents {
        for summary in &covered.summary.levels {
            let mut row = cells([covered.label(), &percent(summary.level)]);
            row.extend(SHARES.iter().chain(&MEASURES).map(|measure| {
                let (mean, stderr) = (measure.of)(summary);
                with_error(mean, stderr)
            }));
            let bias = [&summary.prediction, &summary.confidence].map(|summary| summary.brier.bias.0);
            row.extend(bias.map(crate::figure::digits));
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::regression::process::processes;
    use crate::view::View;
    use jointly_record::invented::regression::{covering, covering_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn the_table_has_what_the_simulations_make() {
        let run =
            covering_run("coverage/gap", 4, &[("gp", covering(&[0.9, 0.9])), ("bootstrap", covering(&[0.8, 1.0]))]);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let figure = super::figure(&view, &processes(&view)[0], 0.9).unwrap();
        let row = |agent: &str| figure.table.iter().find(|row| row[0] == agent).unwrap().clone();
        let head = &figure.table[0];
        let cell = |agent: &str, column: &str| row(agent)[head.iter().position(|name| name == column).unwrap()].clone();
        // Coverages 0.8 and 1 are a tenth off at either point: 0.1^2.
        assert!(cell("bootstrap", "Brier of PICF").starts_with("0.0100"), "{}", cell("bootstrap", "Brier of PICF"));
        assert!(cell("gp", "Brier of PICF").starts_with("0.0000"));
        assert!(cell("gp", "log-likelihood").starts_with("-1.5"), "{}", cell("gp", "log-likelihood"));
        assert_eq!((cell("gp", "simulations"), cell("gp", "failed")), ("4".into(), "0".into()));
        assert_eq!(figure.numbers[0].len(), 1 + 2);
    }
}

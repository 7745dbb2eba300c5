//! Table 1 of the paper on correlations: the mean XLLR of each agent on each dataset.

use jointly_core::Score;
use jointly_record::quantity::with_error;
use jointly_score::scores::AgentScores;

use crate::drawing::{Anchor, Area, Axis, Canvas, Panel, Scale, shortened, width};
use crate::figure::{Figure, WIDTH, cells, counted, digits};
use crate::regression::family::{datasets, values_on};
use crate::regression::matrix::{hundredths, is_best};
use crate::view::View;

/// The row "Mean" of Table 1, over eight tables, for seven agents.
const PUBLISHED: [(&str, f64); 7] =
    [("gp", 2.02), ("bbb", 4.36), ("nng", 3.88), ("hmc", 1.82), ("fbnn", 2.28), ("dropout", 4.73), ("ensemble", 1.91)];
const PUBLISHED_SUITE: &str = "correlations/uci";

const ROW: f64 = 24.0;
const TOP: f64 = 12.0;
const FOOT: f64 = 44.0;
/// Space for an agent's number, right of the panel.
const VALUE: f64 = 120.0;

/// An agent's ranks.
struct Ranked<'v> {
    agent: &'v AgentScores<'v>,
    /// The mean on each dataset, with the number of its problems.
    by_data: Vec<(Score, usize)>,
    /// The mean over datasets for which there is one.
    mean: Score,
}

/// Draws a row for each agent; returns `None` if agents were not compared.
pub(super) fn figure(view: &View) -> Option<Figure> {
    let data = datasets(view);
    let mut ranked: Vec<Ranked> = view.agents.iter().filter_map(|agent| Ranked::of(agent, &data)).collect();
    if ranked.len() < 2 {
        return None;
    }
    ranked.sort_by(|a, b| a.mean.mean.total_cmp(&b.mean.mean));
    let published = view.scores.plan.is_on_tables_of(PUBLISHED_SUITE);
    let mut caption = vec![format!(
        "The mean rank of an agent's cross-normalised likelihood (XLL) among those of {}, each of them the reference once: 0 is \
         the best. Filled: the mean over {}, with one standard error over them; hollow: each dataset's mean over its \
         repetitions. In the table ± is one standard error over repetitions, and * marks the best of a dataset and all within \
         one standard error of it. Ranks depend on who takes part.",
        counted(ranked.len(), "agent"),
        counted(data.len(), "dataset"),
    )];
    if published {
        caption.push(
            "The last column has the means of Wang, Sun and Grosse, Table 1, among their seven agents.".to_owned(),
        );
    }
    Some(Figure {
        title: "XLLR by dataset (Table 1)".into(),
        caption: caption.join(" "),
        drawing: draw(view, &ranked, &data),
        table: table(&ranked, &data, published),
        numbers: vec![numbers(&ranked, &data)],
    })
}

impl<'v> Ranked<'v> {
    fn of(agent: &'v AgentScores<'v>, data: &[String]) -> Option<Self> {
        let by_data: Vec<(Score, usize)> = data.iter().map(|data| on(agent, "xllr", data)).collect();
        let means: Vec<f64> = by_data.iter().filter(|(_, count)| *count > 0).map(|(score, _)| score.mean).collect();
        (!means.is_empty()).then(|| Self { agent, mean: Score::of(&means), by_data })
    }
}

/// Returns an agent's mean of a score over the problems of a dataset, and their number.
fn on(agent: &AgentScores, score: &str, data: &str) -> (Score, usize) {
    let values: Vec<f64> = values_on(agent, score, data).into_iter().map(|(_, value)| value).collect();
    (Score::of(&values), values.len())
}

fn draw(view: &View, ranked: &[Ranked], data: &[String]) -> Canvas {
    let labels: Vec<String> = ranked.iter().map(|row| shortened(&row.agent.planned.label, 44)).collect();
    let left = labels.iter().map(|label| width(label, 12.0)).fold(60.0, f64::max) + 14.0;
    let height = ranked.len() as f64 * ROW;
    let mut canvas = Canvas::new(WIDTH, TOP + height + FOOT);
    let area = Area { left, top: TOP, width: WIDTH - left - VALUE, height };
    let panel = Panel {
        area,
        x: Scale::linear((-0.15, ranked.len() as f64 - 0.85), area.across()),
        y: Scale::linear((0.0, ranked.len() as f64), (area.top, area.bottom())),
    };
    let x = Axis { ticks: panel.x.ticks(ranked.len().min(10)), title: "XLLR, 0 is best", bare: false };
    panel.frame(&mut canvas, "", &x, &Axis::default());
    for (row, Ranked { agent, by_data, mean }) in ranked.iter().enumerate() {
        let (y, style) = (panel.y.at(row as f64 + 0.5), view.style_of(agent));
        canvas.text((left - 8.0, y + 4.0), Anchor::End, "label", &labels[row]);
        for ((score, _), data) in by_data.iter().zip(data).filter(|((score, _), _)| score.mean.is_finite()) {
            canvas.marker((panel.x.at(score.mean), y), &style, false, &format!("{data}: {}", digits(score.mean)));
        }
        canvas.text((area.right() + 8.0, y + 4.0), Anchor::Start, "value", &with_error(mean.mean, mean.stderr));
        if mean.mean.is_finite() {
            if mean.stderr > 0.0 {
                let ends = [mean.mean - mean.stderr, mean.mean + mean.stderr];
                let ends = ends.map(|x| panel.x.at(x).clamp(area.left, area.right()));
                canvas.error_bar((ends[0], y), (ends[1], y), style.colour);
            }
            canvas.marker((panel.x.at(mean.mean), y), &style, true, &format!("mean: {}", digits(mean.mean)));
        }
    }
    canvas
}

/// Returns a row for each agent and a column for each dataset.
fn table(ranked: &[Ranked], data: &[String], published: bool) -> Vec<Vec<String>> {
    let mut head = cells(["agent"]);
    head.extend(data.iter().cloned());
    head.push("mean".into());
    if published {
        head.push("mean, published".into());
    }
    let row = |Ranked { agent, by_data, mean }: &Ranked| {
        let mut row = cells([&agent.planned.label]);
        row.extend(by_data.iter().enumerate().map(|(at, (score, count))| {
            let best = is_best(*score, ranked.iter().map(|row| row.by_data[at].0));
            match count {
                0 => "-".to_owned(),
                _ => hundredths(*score) + if best { " *" } else { "" },
            }
        }));
        row.push(hundredths(*mean));
        if published {
            let known = PUBLISHED.iter().find(|(name, _)| *name == agent.planned.agent);
            row.push(known.map_or("-".to_owned(), |(_, mean)| mean.to_string()));
        }
        row
    };
    [head].into_iter().chain(ranked.iter().map(row)).collect()
}

/// Returns XLLR and XLL, dataset by dataset.
fn numbers(ranked: &[Ranked], data: &[String]) -> Vec<Vec<String>> {
    let mut rows =
        vec![cells(["agent", "data", "XLLR", "standard error", "XLL, nats a point", "standard error", "problems"])];
    for Ranked { agent, by_data, .. } in ranked {
        for ((rank, count), data) in by_data.iter().zip(data).filter(|((_, count), _)| *count > 0) {
            let likelihood = on(agent, "xll", data).0;
            let mut row = cells([&agent.planned.label, data]);
            row.extend([rank.mean, rank.stderr, likelihood.mean, likelihood.stderr].map(digits));
            row.push(count.to_string());
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::figure::Figure;
    use crate::view::View;
    use jointly_record::invented::regression::{compared_run, correlated, own_table};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    fn figure(suite: &str, agents: &[(&str, f64)]) -> Option<Figure> {
        let agents: Vec<_> = agents.iter().map(|(name, quality)| (*name, correlated(*quality))).collect();
        let run = compared_run(suite, &["boston", "yacht"], 2, &agents);
        let scores = run.scores();
        super::figure(&View::new(&scores, &Leaderboard::new(&scores), None))
    }

    #[test]
    fn agents_are_in_the_order_of_their_mean_ranks() {
        let drawn = figure("correlations/uci", &[("bbb", 0.1), ("gp", 0.9), ("hmc", 0.5)]).unwrap();
        let first: Vec<&str> = drawn.table.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(first, ["agent", "gp", "hmc", "bbb"]);
        assert_eq!(drawn.table[0], ["agent", "boston", "yacht", "mean", "mean, published"]);
        assert!(drawn.table[1][1].ends_with('*') && !drawn.table[2][1].ends_with('*'), "{:?}", drawn.table);
        assert_eq!((drawn.table[1][4].as_str(), drawn.table[3][4].as_str()), ("2.02", "4.36"));
        let drawn = figure("quick/correlations", &[("bbb", 0.1), ("gp", 0.9)]).unwrap();
        assert!(drawn.table[0].len() == 4 && !drawn.caption.contains("Wang"));
    }

    #[test]
    fn published_means_are_of_the_suites_own_tables() {
        let mut run =
            compared_run("correlations/uci", &["mine"], 2, &[("gp", correlated(0.9)), ("hmc", correlated(0.5))]);
        run.run.plan.tables = own_table();
        let scores = run.scores();
        let drawn = super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap();
        assert_eq!(drawn.table[0], ["agent", "mine", "mean"]);
        assert!(!drawn.caption.contains("Wang"), "{}", drawn.caption);
    }

    #[test]
    fn one_agent_has_no_rank() {
        assert!(figure("correlations/uci", &[("gp", 0.9)]).is_none());
    }
}

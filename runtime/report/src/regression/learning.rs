//! Figures 3, 7 and 11 to 14 of the paper on correlations: the course of active learning with the agents' queries.

use jointly_core::Score;
use jointly_record::quantity::with_error;
use jointly_regression::{Acquisition, Regression, Round};
use jointly_score::scores::AgentScores;

use crate::drawing::{Palette, Point, Style};
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame_at, panel, range_of, series};
use crate::regression::family::{Family, datasets, failures, families};
use crate::view::View;

const COLUMNS: usize = 4;
const HEIGHT: f64 = 150.0;

/// The quantity that is drawn against the number of points.
#[derive(Clone, Copy)]
struct Measure {
    title: &'static str,
    of: fn(&Round) -> Option<f64>,
}

const MEASURES: [Measure; 4] = [
    Measure { title: "log-likelihood", of: |round| Some(-round.nll.0) },
    Measure { title: "RMSE", of: |round| Some(round.rmse.0) },
    Measure { title: "oracle's log-likelihood", of: |round| Some(-round.oracle?.nll.0) },
    Measure { title: "oracle's RMSE", of: |round| Some(round.oracle?.rmse.0) },
];

/// A line: its name and style, and the agent and acquisition of its points.
struct Line<'v> {
    name: String,
    style: Style,
    agent: &'v AgentScores<'v>,
    acquisition: Acquisition,
}

/// Draws a figure for each acquisition with the agents as lines, and one for the first agent with the acquisitions as
/// lines.
pub(super) fn figures(view: &View) -> Vec<Figure> {
    let mut acquisitions: Vec<Acquisition> = families(view).iter().filter_map(|family| family.acquisition).collect();
    acquisitions.sort_by_key(|own| Acquisition::ALL.iter().position(|known| known == own));
    acquisitions.dedup();
    let mut figures = Vec::new();
    for &acquisition in &acquisitions {
        let lines = view.agents.iter().map(|agent| Line {
            name: agent.planned.label.clone(),
            style: view.style_of(agent),
            agent,
            acquisition,
        });
        let title = format!("Active learning by {acquisition}{}", which(acquisition));
        let what = match acquisition {
            Acquisition::Random => "a line is an agent that is given points at random".to_owned(),
            oracle if !oracle.asks_agent() => {
                format!("a line is an agent that is given the oracle's points ({oracle})")
            }
            _ => format!("a line is an agent that selects by {acquisition}"),
        };
        figures.extend(figure(view, &lines.collect::<Vec<_>>(), title, &what));
    }
    let leading = view.agents.first().filter(|_| acquisitions.len() > 1);
    figures.extend(leading.and_then(|agent| {
        let names: Vec<String> = acquisitions.iter().map(ToString::to_string).collect();
        let palette = Palette::new(names.iter().map(String::as_str));
        let line = |(name, acquisition): (&String, &Acquisition)| Line {
            name: name.clone(),
            style: palette.style(name),
            agent,
            acquisition: *acquisition,
        };
        let lines: Vec<Line> = names.iter().zip(&acquisitions).map(line).collect();
        let label = &agent.planned.label;
        let asked = acquisitions.iter().any(|acquisition| acquisition.asks_agent());
        let selects = if asked { label } else { "the oracle" };
        let title = format!("Acquisitions compared, {selects} selecting (Figures 3, 11 and 12)");
        figure(view, &lines, title, &format!("a line is an acquisition of {label}, the first of the leaderboard"))
    }));
    figures
}

/// Returns the paper's numbers of the figures.
fn which(acquisition: Acquisition) -> &'static str {
    match acquisition {
        Acquisition::BatchMig => " (Figures 7 and 13)",
        Acquisition::Tig => " (Figure 14)",
        _ => "",
    }
}

/// Returns the rounds of an agent on some data, problem by problem.
fn rounds<'v>(view: &View, line: &Line<'v>, data: &str) -> Vec<&'v [Round]> {
    let here = |problem: &str| {
        let family = Family::of(view, problem);
        family.data == data && family.acquisition == Some(line.acquisition)
    };
    let problems = line.agent.problems.iter().filter(|problem| here(problem.problem));
    problems
        .filter_map(|problem| Some(problem.result::<Regression>()?.rounds.as_slice()))
        .filter(|rounds| !rounds.is_empty())
        .collect()
}

/// Returns the mean over problems after each round that all problems have, with its standard error.
fn points(view: &View, line: &Line, data: &str, measure: Measure) -> Vec<Point> {
    let all = rounds(view, line, data);
    let of_line = |family: &Family| family.data == data && family.acquisition == Some(line.acquisition);
    let failed = failures(view, line.agent, of_line) > 0;
    let length = all.iter().map(|rounds| rounds.len()).min().unwrap_or(0);
    let point = |round: usize| {
        let values: Option<Vec<f64>> = all.iter().map(|rounds| (measure.of)(&rounds[round])).collect();
        let trained: f64 = all.iter().map(|rounds| rounds[round].train as f64).sum();
        let (Score { mean, stderr }, x) = (Score::of(&values?), trained / all.len() as f64);
        let title = format!(
            "{}, {x} points: {} over {}",
            line.name,
            with_error(mean, stderr),
            counted(all.len(), "repetition")
        );
        Some(Point { x, y: mean, stderr, failed, title })
    };
    (0..length).map_while(point).collect()
}

fn figure(view: &View, lines: &[Line], title: String, what: &str) -> Option<Figure> {
    let has = |data: &String| lines.iter().any(|line| !rounds(view, line, data).is_empty());
    let data: Vec<String> = datasets(view).into_iter().filter(has).collect();
    let drawn = |measure: &Measure| {
        data.iter().any(|data| lines.iter().any(|line| !points(view, line, data, *measure).is_empty()))
    };
    let measures: Vec<Measure> = MEASURES.into_iter().filter(drawn).collect();
    if data.is_empty() || measures.is_empty() {
        return None;
    }
    let legend: Vec<(&str, Style)> = lines.iter().map(|line| (line.name.as_str(), line.style)).collect();
    let columns = data.len().div_ceil(data.len().div_ceil(COLUMNS));
    let blocks = data.len().div_ceil(columns);
    let (grid, mut canvas) = Grid::of(blocks * columns * measures.len(), columns, HEIGHT, (Key::Both, &legend));
    let mut numbers = vec![cells(["data", "line", "measure", "points", "mean", "standard error", "repetitions"])];
    let mut counts: Vec<usize> = Vec::new();
    for (place, data) in data.iter().enumerate() {
        for (row, measure) in measures.iter().enumerate() {
            let number = ((place / columns) * measures.len() + row) * columns + place % columns;
            let series_of: Vec<(&Line, Vec<Point>)> =
                lines.iter().map(|line| (line, points(view, line, data, *measure))).collect();
            let all = || series_of.iter().flat_map(|(_, points)| points);
            if all().next().is_none() {
                // Tables have no oracle.
                continue;
            }
            let mut x: Vec<f64> = all().map(|point| point.x).collect();
            x.sort_by(f64::total_cmp);
            x.dedup();
            let margin = (x[x.len() - 1] - x[0]).max(1.0) * 0.04;
            let panel = panel(grid.area(number), (x[0] - margin, x[x.len() - 1] + margin), range_of(all()));
            frame_at(&mut canvas, &panel, data, (("training points", &x), measure.title));
            for (line, points) in series_of {
                let repetitions = rounds(view, line, data).len();
                counts.extend((repetitions > 0).then_some(repetitions));
                for point in &points {
                    let mut row = cells([data.as_str(), &line.name, measure.title, &digits(point.x)]);
                    row.extend([digits(point.y), digits(point.stderr), repetitions.to_string()]);
                    numbers.push(row);
                }
                series(&mut canvas, &panel, line.style, points);
            }
        }
    }
    Some(Figure {
        title,
        caption: caption(view, lines, what, &counts, measures.len() > 2),
        drawing: canvas,
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

fn caption(view: &View, lines: &[Line], what: &str, counts: &[usize], oracle: bool) -> String {
    let predictor = view.scores.plan.predictor();
    let predicts = match predictor {
        Some(planned) => format!("Predictions are by {}, whoever selects.", planned.label),
        None if lines.iter().all(|line| !line.acquisition.asks_agent()) => {
            "Agents predict, and none selects.".to_owned()
        }
        None => "The agent that selects predicts too.".to_owned(),
    };
    let repetitions = match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {}", counted(*most, "repetition")),
        (_, most) => counted(most.copied().unwrap_or(0), "repetition"),
    };
    let mut sentences = vec![format!(
        "Log-likelihood (nats a point) and root mean squared error on the test set before the first query and after each \
         round, by the number of points trained on; {what}. A point is the mean over {repetitions} of a panel, with one \
         standard error over them. {predicts}"
    )];
    let random = || lines.iter().filter(|line| line.acquisition == Acquisition::Random);
    if random().next().is_some() {
        // With random acquisition no agent selects, so the selecting agent does not matter.
        sentences.extend(predictor.map(|planned| {
            let same = if random().count() > 1 { ", so that all lines are one" } else { "" };
            format!(
                "Points that random acquires are the same whoever would select, and {} learns from them{same}.",
                planned.label
            )
        }));
    }
    if oracle {
        sentences.push(
            "The oracle's are those of the process that made the data, trained on the points that were chosen: what the \
             selection alone is worth."
                .to_owned(),
        );
    }
    sentences.push("Hollow points at an edge lie beyond it; × is a failure on some repetition.".to_owned());
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::regression::{learning, learning_run};
    use jointly_record::plan::Terms;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn a_point_is_the_mean_over_repetitions_and_each_acquisition_has_a_figure() {
        let run = learning_run(&[("gp", learning(&[1.0, 0.5])), ("hmc", learning(&[2.0, 1.0]))], 2);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let drawn = super::figures(&view);
        let titles: Vec<&str> = drawn.iter().map(|figure| figure.title.as_str()).collect();
        assert_eq!(titles[0], "Active learning by batch-mig (Figures 7 and 13)");
        assert_eq!(titles[2], "Acquisitions compared, gp selecting (Figures 3, 11 and 12)");
        let row = |agent: &str, at: usize| {
            let rows = drawn[0].numbers[0].iter().filter(|row| row[1] == agent && row[2] == "log-likelihood");
            rows.map(|row| row[3..].to_vec()).nth(at).unwrap()
        };
        // The second repetition has a loss of 1 nat more.
        assert_eq!(row("gp", 0), ["10.00", "-1.500", "0.5000", "2"]);
        assert_eq!(row("gp", 1), ["12.00", "-1.000", "0.5000", "2"]);
        assert_eq!(row("hmc", 1), ["12.00", "-1.500", "0.5000", "2"]);
        assert!(drawn[0].caption.contains("mean over 2 repetitions of a panel"), "{}", drawn[0].caption);
        // Without an oracle there is no panel for it.
        assert!(!drawn[0].drawing.inline("").into_string().contains("oracle"));
        assert!(drawn.iter().all(|figure| !figure.caption.contains("whoever would select")));
    }

    #[test]
    fn with_one_predictor_random_points_make_one_line() {
        let mut run = learning_run(&[("gp", learning(&[1.0, 0.5])), ("hmc", learning(&[1.0, 0.5]))], 2);
        let predictor = run.plan.agents[0].clone();
        let Terms::Regression(terms) = &mut run.plan.terms else { panic!("regression") };
        terms.predictor = Some(predictor);
        let scores = run.scores();
        let drawn = super::figures(&View::new(&scores, &Leaderboard::new(&scores), None));
        let says = |title: &str, text: &str| {
            let figure = drawn.iter().find(|figure| figure.title.starts_with(title)).unwrap();
            figure.caption.contains(text)
        };
        assert!(says(
            "Active learning by random",
            "whoever would select, and gp learns from them, so that all lines are one."
        ));
        assert!(says("Acquisitions compared", "whoever would select, and gp learns from them."));
        assert!(!says("Active learning by batch-mig", "whoever would select"));
    }
}

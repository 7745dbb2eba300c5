//! Figures 4, 5 and 9 of the paper on correlations: whether the measures of an agent's correlations agree with one
//! another and with its results in active learning.

use jointly_core::{Score, Summary};
use jointly_regression::{Acquisition, Regression, Round};
use jointly_score::scores::AgentScores;

use crate::correlation::{Correlation, FEWEST, FEWEST_RESAMPLED, pearson, spearman};
use crate::drawing::Point;
use crate::figure::{Figure, cells, counted, digits};
use crate::grid::{Grid, Key, frame, panel, range};
use crate::regression::family::{Family, datasets};
use crate::view::View;

const COLUMNS: usize = 3;
const HEIGHT: f64 = 220.0;
/// The round after which the paper compares active learning.
const ROUND: usize = 1;

/// A measure of an agent over a run.
struct Measure {
    title: &'static str,
    source: Source,
}

enum Source {
    /// A score of the run of correlations, times a factor.
    Score(&'static str, f64),
    /// The log-likelihood after the first round of active learning.
    Learned(Acquisition),
}

const METACORRELATION: Measure = Measure { title: "metacorrelation", source: Source::Score("metacorrelation", 1.0) };
const VARIANCES: Measure =
    Measure { title: "correlation of variances", source: Source::Score("variance_correlation", 1.0) };
const XLL: Measure = Measure { title: "XLL", source: Source::Score("xll", 1.0) };
const XLLR: Measure = Measure { title: "XLLR (0 is best)", source: Source::Score("xllr", 1.0) };
const MARGINAL: Measure = Measure { title: "marginal log-likelihood", source: Source::Score("marginal_nll", -1.0) };
const JOINT: Measure = Measure { title: "joint log-likelihood", source: Source::Score("joint_nll", -1.0) };
const BATCH_MIG: Measure = Measure { title: "BatchMIG performance", source: Source::Learned(Acquisition::BatchMig) };
const TIG: Measure = Measure { title: "TIG performance", source: Source::Learned(Acquisition::Tig) };

/// The two measures drawn against each other, and the paper's number of the figure.
const PANELS: [(&Measure, &Measure, &str); 7] = [
    (&METACORRELATION, &BATCH_MIG, "Figure 4: r = 0.762"),
    (&VARIANCES, &TIG, "Figure 4"),
    (&XLL, &METACORRELATION, "Figure 5"),
    (&XLLR, &METACORRELATION, "Figure 5"),
    (&XLL, &BATCH_MIG, "Figure 5"),
    (&XLLR, &BATCH_MIG, "Figure 5"),
    (&MARGINAL, &JOINT, "Figure 9"),
];

/// A run of correlations, and a run of active learning of some of the same agents.
struct Runs<'r, 'a> {
    correlations: &'r View<'a>,
    active: Option<&'r View<'a>>,
    /// Whether the run of active learning is one of several.
    chosen: bool,
    /// The data of problems that both runs have.
    data: Vec<String>,
}

/// Draws a panel for each two measures that enough agents have; returns `None` if there is no such panel.
pub(super) fn figure(view: &View, learning: &[View]) -> Option<Figure> {
    let led = |view: &&View| predictor(view).is_some();
    let active = learning.iter().find(|view| !led(view)).or(learning.first());
    let data = datasets(view).into_iter().filter(|data| active.is_none_or(|active| datasets(active).contains(data)));
    let runs = Runs { correlations: view, active, chosen: learning.len() > 1, data: data.collect() };
    let panels: Vec<(&Measure, &Measure, &str, Vec<Pair>)> = PANELS
        .iter()
        .map(|&(x, y, which)| (x, y, which, runs.pairs(x, y)))
        .filter(|(.., pairs)| pairs.len() >= FEWEST)
        .collect();
    if panels.is_empty() {
        return None;
    }
    let (grid, mut canvas) = Grid::of(panels.len(), COLUMNS, HEIGHT, (Key::Markers, &view.legend()));
    let mut table = vec![cells(["measures", "in the paper", "Pearson", "Spearman", "agents"])];
    let mut numbers = vec![cells(["agent", "x", "its value", "standard error", "y", "its value", "standard error"])];
    for (number, (x, y, which, pairs)) in panels.iter().enumerate() {
        let values: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.x.mean, pair.y.mean)).collect();
        let (across, up) = (range(values.iter().map(|pair| pair.0)), range(values.iter().map(|pair| pair.1)));
        let panel = panel(grid.area(number), across, up);
        let correlation = pearson(&values);
        let title = correlation.map_or(String::new(), |r| format!("r = {:.2}", r.value));
        frame(&mut canvas, &panel, &title, (x.title, y.title));
        for Pair { agent, x: of_x, y: of_y } in pairs {
            let label = &agent.planned.label;
            let title = format!("{label}: {} and {}", digits(of_x.mean), digits(of_y.mean));
            let point = Point { x: of_x.mean, y: of_y.mean, stderr: f64::NAN, failed: false, title };
            panel.point(&mut canvas, &point, &view.style_of(agent), true);
            let [mx, ex, my, ey] = [of_x.mean, of_x.stderr, of_y.mean, of_y.stderr].map(digits);
            numbers.push(cells([label.as_str(), x.title, &mx, &ex, y.title, &my, &ey]));
        }
        let texts = [text(correlation), text(spearman(&values)), pairs.len().to_string()];
        table.push([cells([&format!("{} and {}", y.title, x.title), *which]), texts.to_vec()].concat());
    }
    Some(Figure {
        title: "Whether measures of correlations agree (Figures 4, 5 and 9)".into(),
        caption: runs.caption(),
        drawing: canvas,
        table,
        numbers: vec![numbers],
    })
}

/// An agent that has both measures.
struct Pair<'v> {
    agent: &'v AgentScores<'v>,
    x: Score,
    y: Score,
}

impl<'r, 'a> Runs<'r, 'a> {
    /// Returns the agents with finite values of both measures on all problems of the data for which any agent has both.
    fn pairs(&self, x: &Measure, y: &Measure) -> Vec<Pair<'r>>
    where
        'a: 'r,
    {
        let data: Vec<&String> = self.data.iter().filter(|data| self.knows(x, data) && self.knows(y, data)).collect();
        let pair = |agent: &&'a AgentScores<'a>| {
            let (x, y) = (self.measured(agent, x, &data)?, self.measured(agent, y, &data)?);
            (x.mean.is_finite() && y.mean.is_finite()).then_some(Pair { agent, x, y })
        };
        self.correlations.agents.iter().filter_map(pair).collect()
    }

    /// Returns whether any agent has the measure on some data.
    fn knows(&self, measure: &Measure, data: &String) -> bool {
        match measure.source {
            Source::Score(name, _) => {
                let view = self.correlations;
                let here = |problem: &str| holds(view, problem, &[data], None);
                view.agents.iter().any(|agent| agent.by_problem(name).any(|(problem, _)| here(problem.problem)))
            }
            Source::Learned(acquisition) => {
                self.active.is_some_and(|view| planned(view, &[data], acquisition.into()) > 0)
            }
        }
    }

    fn measured(&self, agent: &AgentScores, measure: &Measure, data: &[&String]) -> Option<Score> {
        match measure.source {
            Source::Score(name, sign) => {
                let view = self.correlations;
                let here = |problem: &str| holds(view, problem, data, None);
                let Summary { mean, stderr, problems, .. } = agent.summary_where(name, here)?;
                (problems == planned(view, data, None)).then_some(Score { mean: sign * mean, stderr })
            }
            Source::Learned(acquisition) => {
                let view = self.active?;
                let own = view.agents.iter().find(|other| other.planned.is_same(agent.planned))?;
                let here = |problem: &str| holds(view, problem, data, Some(acquisition));
                let by_oracle = by_oracle(view, data);
                let loss = |round: &Round| match round.oracle.filter(|_| by_oracle) {
                    Some(oracle) => oracle.nll.0,
                    None => round.nll.0,
                };
                let likelihoods: Vec<f64> = learned(own, here).map(|round| -loss(round)).collect();
                let whole = !likelihoods.is_empty() && likelihoods.len() == planned(view, data, Some(acquisition));
                whole.then(|| Score::of(&likelihoods))
            }
        }
    }

    fn caption(&self) -> String {
        let data: Vec<&String> = self.data.iter().collect();
        let problems = planned(self.correlations, &data, None);
        let mut sentences = vec![format!(
            "A point an agent: means over {} of {}. Marginal and joint likelihoods are of the same test points under the same \
             moments. r is Pearson's correlation over agents; the table has Spearman's too, in brackets the 5th and 95th \
             percentile of a bootstrap over agents, where there are {FEWEST_RESAMPLED} or more. No error bars: \
             standard errors over problems are with the numbers. Agents without a finite value on every problem are left out, as is \
             data that lacks either measure.",
            counted(problems, "problem"),
            self.data.join(", "),
        )];
        if let Some(active) = self.active {
            sentences.push(format!(
                "Performance of an acquisition is the test log-likelihood after {} of active learning, in {}: that of the \
                 oracle trained on what the agent chose where all data of a panel have one, else that of who predicts.",
                counted(ROUND, "round"),
                active.scores.plan.suite
            ));
            if self.chosen {
                sentences.push(match predictor(active) {
                    None => "Of the runs of active learning it is the one in which who selects predicts too.".to_owned(),
                    Some(label) => format!(
                        "Of the runs of active learning it is the first, in which {label} predicts: in none does the agent \
                         that selects."
                    ),
                });
            }
        }
        sentences.join(" ")
    }
}

/// Returns the agent that predicts in a run of active learning, if it is not the agent that selects.
fn predictor<'v>(active: &View<'v>) -> Option<&'v str> {
    active.scores.plan.predictor().map(|planned| planned.label.as_str())
}

/// Returns whether a problem of a run has one of the given data and this acquisition.
fn holds(view: &View, problem: &str, data: &[&String], by: Option<Acquisition>) -> bool {
    let family = Family::of(view, problem);
    data.contains(&&family.data) && family.acquisition == by
}

fn planned(view: &View, data: &[&String], by: Option<Acquisition>) -> usize {
    view.scores.plan.problems.iter().filter(|planned| holds(view, &planned.problem, data, by)).count()
}

/// Returns an agent's scores after round [`ROUND`], problem by problem.
fn learned<'s>(agent: &'s AgentScores, here: impl Fn(&str) -> bool) -> impl Iterator<Item = &'s Round> {
    let problems = agent.problems.iter().filter(move |problem| here(problem.problem));
    problems.filter_map(|problem| problem.result::<Regression>()?.rounds.get(ROUND))
}

/// Returns whether active learning was scored by the oracle on all problems of some data.
fn by_oracle(active: &View, data: &[&String]) -> bool {
    let here = |problem: &str| data.contains(&&Family::of(active, problem).data);
    let mut rounds = active.agents.iter().flat_map(|agent| learned(agent, here)).peekable();
    rounds.peek().is_some() && rounds.all(|round| round.oracle.is_some())
}

/// Formats a correlation as `0.76 (0.55, 0.90)`.
fn text(correlation: Option<Correlation>) -> String {
    correlation.map_or("-".to_owned(), |correlation| correlation.to_string())
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::InventedRun;
    use jointly_record::invented::regression::{compared_run, correlated, learning, learning_run};
    use jointly_record::plan::Terms;
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn measures_that_agree_are_correlated_and_the_runs_agents_are_matched() {
        let agents = [("bbb", 0.1), ("gp", 0.9), ("hmc", 0.5), ("nng", 0.3)];
        let correlations: Vec<_> = agents.iter().map(|(name, quality)| (*name, correlated(*quality))).collect();
        let run = compared_run("correlations/synthetic", &["d1", "boston"], 2, &correlations);
        // The log-likelihood after the first round equals the quality; one agent did not take part.
        let learned: Vec<_> = agents[..3].iter().map(|(name, quality)| (*name, learning(&[9.0, -quality]))).collect();
        let active = learning_run(&learned, 2);
        let (scores, learned) = (run.scores(), active.scores());
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let learned = View::new(&learned, &Leaderboard::new(&learned), None);
        let figure = super::figure(&view, std::slice::from_ref(&learned)).unwrap();
        let row = |measures: &str| figure.table.iter().find(|row| row[0] == measures).unwrap()[2..].to_vec();
        assert_eq!(row("metacorrelation and XLL")[2], "4");
        assert!(row("metacorrelation and XLLR (0 is best)")[0].starts_with("-0.9"));
        assert_eq!(row("BatchMIG performance and metacorrelation"), ["1.00", "1.00", "3"]);
        // All agents have the same moments, so the log-likelihood of the test set is the same for all.
        assert_eq!(row("joint log-likelihood and marginal log-likelihood")[0], "1.00");
        assert!(figure.caption.contains("after 1 round of active learning, in quick/active"), "{}", figure.caption);
        assert!(!figure.caption.contains("Of the runs"), "{}", figure.caption);
        let alone = super::figure(&view, &[]).unwrap();
        assert!(alone.table.iter().all(|row| !row[0].contains("performance")), "{:?}", alone.table);
    }

    #[test]
    fn of_several_runs_that_counts_in_which_agents_predict_for_themselves() {
        let agents = [("bbb", 0.1), ("gp", 0.9), ("hmc", 0.5)];
        let correlations: Vec<_> = agents.iter().map(|(name, quality)| (*name, correlated(*quality))).collect();
        let run = compared_run("correlations/synthetic", &["boston"], 2, &correlations);
        let learned = |sign: f64| {
            let learned: Vec<_> =
                agents.iter().map(|(name, quality)| (*name, learning(&[9.0, sign * quality]))).collect();
            learning_run(&learned, 2)
        };
        let (own, mut led) = (learned(-1.0), learned(1.0));
        let predictor = led.plan.agents[1].clone();
        let Terms::Regression(terms) = &mut led.plan.terms else { panic!("regression") };
        terms.predictor = Some(predictor);
        let scores = run.scores();
        let view = View::new(&scores, &Leaderboard::new(&scores), None);
        let drawn = |runs: &[&InventedRun]| {
            let scores: Vec<_> = runs.iter().map(|run| run.scores()).collect();
            let views = scores.iter().map(|scores| View::new(scores, &Leaderboard::new(scores), None));
            let figure = super::figure(&view, &views.collect::<Vec<_>>()).unwrap();
            let row = figure.table.iter().find(|row| row[0] == "BatchMIG performance and metacorrelation").unwrap();
            (row[2].clone(), figure.caption)
        };
        let (r, caption) = drawn(&[&led, &own]);
        assert!(
            r.starts_with("1.00") && caption.contains("it is the one in which who selects predicts too"),
            "{caption}"
        );
        let (r, caption) = drawn(&[&led, &led]);
        assert!(r.starts_with("-1.00") && caption.contains("it is the first, in which gp predicts"), "{caption}");
    }
}

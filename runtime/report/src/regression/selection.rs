//! Table 4 of the paper on correlations: the value of each agent's selection, by predicting agent.

mod runs;

use jointly_core::Score;
use jointly_core::correlations::mean_ranks;
use jointly_regression::Regression;
use jointly_score::scores::{AgentScores, ScoredProblem};

use self::runs::{Losses, Predictor, Row, Selections};
use crate::figure::{Figure, cells, counted, digits};
use crate::regression::matrix::{Matrix, Side, hundredths, is_best};
use crate::view::View;

/// The rows "Average Rank" of Table 4.
const PUBLISHED: [(&str, [f64; 2]); 7] = [
    ("gp", [2.6, 2.5]),
    ("bbb", [4.3, 4.3]),
    ("nng", [3.8, 3.8]),
    ("hmc", [2.0, 1.9]),
    ("fbnn", [2.2, 2.1]),
    ("dropout", [3.4, 3.1]),
    ("ensemble", [2.8, 3.3]),
];
const PUBLISHED_SUITE: &str = "correlations/active";

/// The scores that are ranked as losses; the log-likelihood has the opposite sign.
const MEASURES: [(&str, f64); 2] = [("log-likelihood", -1.0), ("RMSE", 1.0)];

/// Draws a row for each predictor and a column for each selecting agent; returns `None` if fewer than two agents select
/// in all runs.
pub(super) fn figure(runs: &[&View]) -> Option<Figure> {
    let suite = &runs.first()?.scores.plan.suite;
    let selections = Selections::of(runs)?;
    let ranks = selections.ranks();
    let own =
        |run: &&View| run.scores.plan.is_on_tables_of(PUBLISHED_SUITE) && run.scores.plan.override_options().is_empty();
    let published = runs.iter().all(own);
    let matrix = |measure: usize| Matrix {
        rows: Side { title: "predicts".into(), names: ranks.iter().map(|row| row.name.clone()).collect() },
        columns: Side {
            title: format!("rank of the {}, selected by", MEASURES[measure].0),
            names: selections.labels().map(str::to_owned).collect(),
        },
        ranks: ranks.iter().map(|row| row.means.iter().map(|means| means[measure].over_all.mean).collect()).collect(),
        worst: (selections.agents.len() - 1) as f64,
    };
    Some(Figure {
        title: format!("Selections by {}, whoever predicts (Table 4)", selections.acquisition),
        caption: selections.caption(suite, published),
        drawing: Matrix::sheet(&[matrix(0), matrix(1)]),
        table: selections.table(&ranks, published),
        numbers: vec![selections.numbers(&ranks)],
    })
}

/// An agent's ranks under one predictor.
struct Means {
    /// The mean over the problems of each dataset, with their number.
    by_data: Vec<(String, Score, usize)>,
    /// The mean over datasets, or over the problems if there is only one dataset.
    over_all: Score,
}

/// Ranks under a predictor, or the mean of several.
struct Ranked<'s> {
    /// The name of the row. It identifies nothing, because an agent may have any name.
    name: String,
    /// The ranks by agent and measure.
    means: Vec<[Means; 2]>,
    /// The scores that are ranked, by problem and agent; `None` for a mean, which ranks nothing itself.
    losses: Option<&'s [Vec<Losses>]>,
}

impl Selections<'_> {
    /// Returns the ranks of each row, and of the mean over the rows whose predictor is the same for all agents.
    fn ranks(&self) -> Vec<Ranked<'_>> {
        let of = |row: &Row| row.losses.iter().map(|losses| ranks(losses)).collect();
        let by_row: Vec<Vec<Vec<Losses>>> = self.rows.iter().map(of).collect();
        let rows = || self.rows.iter().zip(&by_row);
        let mut all: Vec<Ranked> = rows()
            .map(|(row, ranks)| Ranked {
                name: row.predictor.name(),
                means: self.means(ranks),
                losses: Some(&row.losses),
            })
            .collect();
        let shared: Vec<&Vec<Vec<Losses>>> =
            rows().filter(|(row, _)| row.predictor != Predictor::Itself).map(|(_, ranks)| ranks).collect();
        if shared.len() > 1 {
            let means = self.means(&mean_of(&shared));
            all.insert(shared.len(), Ranked { name: "mean".into(), means, losses: None });
        }
        all
    }

    fn means(&self, ranks: &[Vec<Losses>]) -> Vec<[Means; 2]> {
        let data = self.data();
        let of = |agent: usize, measure: usize| {
            let by_data = data.iter().map(|data| {
                let here = self.problems.iter().zip(ranks).filter(|((_, own), _)| own == data);
                let values: Vec<f64> = here.map(|(_, ranks)| ranks[agent][measure]).collect();
                ((*data).to_owned(), Score::of(&values), values.len())
            });
            let by_data: Vec<(String, Score, usize)> = by_data.collect();
            let over_all = match by_data.as_slice() {
                [(_, score, _)] => *score,
                several => Score::of(&several.iter().map(|(_, score, _)| score.mean).collect::<Vec<_>>()),
            };
            Means { by_data, over_all }
        };
        (0..self.agents.len()).map(|agent| [of(agent, 0), of(agent, 1)]).collect()
    }

    fn caption(&self, suite: &str, published: bool) -> String {
        let last = self.agents[0].problems.iter().find(|problem| problem.problem == self.problems[0].0);
        let last =
            last.and_then(ScoredProblem::result::<Regression>).map_or(0, |unit| unit.rounds.len().saturating_sub(1));
        let data = self.data();
        let mut sentences = vec![format!(
            "The rank, among {}, of the test log-likelihood and of the root mean squared error that a predictor (rows) has \
             after {} of {suite} on the points that an agent (columns) selected by {}: 0, the deepest blue, is the best, and \
             {} is what chance would give. Means over {} of {}.",
            counted(self.agents.len(), "agent"),
            counted(last, "round"),
            self.acquisition,
            (self.agents.len() - 1) as f64 / 2.0,
            counted(self.problems.len(), "problem"),
            data.join(", "),
        )];
        let over = if data.len() > 1 { "datasets" } else { "repetitions" };
        sentences.push(format!(
            "In the table ± is one standard error over {over}, and * marks the best of a row and all within one standard error \
             of it. Rows that look alike say that a selection is good whoever predicts. Ranks depend on who takes part; equal \
             numbers share the mean of theirs."
        ));
        let has = |predictor: Predictor| self.rows.iter().any(|row| row.predictor == predictor);
        if has(Predictor::Oracle) {
            sentences.push("The oracle is the process that made the data, trained on the same points.".into());
        } else if self.partly_oracle {
            sentences.push("The oracle has no row, for not all of these data have one.".into());
        }
        if has(Predictor::Itself) {
            sentences.push(
                "Where each agent predicts from what it selected itself, ranks are of its predictions too: that row is no \
                 part of the mean over predictors."
                    .into(),
            );
        }
        if self.rows.iter().all(|row| !matches!(row.predictor, Predictor::Agent(_))) {
            sentences.push(
                "Other predictors: `jointly run` the same with --predict AGENT, once for each, and give those runs by \
                 --active DIR."
                    .into(),
            );
        }
        if self.left_out > 0 {
            let have = if self.left_out == 1 { "has" } else { "have" };
            sentences.push(format!(
                "{} {have} no part in it, since some agent has no result there in some run.",
                counted(self.left_out, "problem")
            ));
        }
        if published {
            sentences.push(
                "The last row of either measure has the average ranks of Wang, Sun and Grosse, Table 4, over their five \
                 predictors and among their seven agents."
                    .into(),
            );
        }
        sentences.join(" ")
    }

    /// Returns a row for each measure and predictor.
    fn table(&self, ranks: &[Ranked], published: bool) -> Vec<Vec<String>> {
        let mut table = vec![[cells(["predicts"]), cells(self.labels())].concat()];
        for (measure, (title, _)) in MEASURES.iter().enumerate() {
            for Ranked { name, means, .. } in ranks {
                let scores = || means.iter().map(|means| means[measure].over_all);
                let mark = |score| if is_best(score, scores()) { " *" } else { "" };
                let text = |score: Score| hundredths(score) + mark(score);
                table.push([cells([format!("{title}: {name}")]), scores().map(text).collect()].concat());
            }
            if published {
                let known = |agent: &&AgentScores| {
                    let known = PUBLISHED.iter().find(|(name, _)| *name == agent.planned.agent);
                    known.map_or("-".to_owned(), |(_, means)| means[measure].to_string())
                };
                let row = self.agents.iter().map(known).collect();
                table.push([cells([format!("{title}: mean, published")]), row].concat());
            }
        }
        table
    }

    /// Returns ranks and the ranked scores, dataset by dataset.
    fn numbers(&self, ranks: &[Ranked]) -> Vec<Vec<String>> {
        let mut numbers = vec![cells([
            "measure",
            "predicts",
            "selects",
            "data",
            "rank",
            "standard error",
            "its value",
            "standard error",
            "problems",
        ])];
        for (measure, (title, sign)) in MEASURES.iter().enumerate() {
            for Ranked { name, means, losses } in ranks {
                for (agent, (label, means)) in self.labels().zip(means).enumerate() {
                    for (data, rank, count) in &means[measure].by_data {
                        let value = losses.map_or(Score { mean: f64::NAN, stderr: f64::NAN }, |losses| {
                            let here = self.problems.iter().zip(losses).filter(|((_, own), _)| own == data);
                            Score::of(&here.map(|(_, losses)| sign * losses[agent][measure]).collect::<Vec<_>>())
                        });
                        let mut line = cells([*title, name.as_str(), label, data.as_str()]);
                        line.extend([rank.mean, rank.stderr, value.mean, value.stderr].map(digits));
                        line.push(count.to_string());
                        numbers.push(line);
                    }
                }
            }
        }
        numbers
    }
}

/// Returns the rank of each agent by each measure, from 0; equal losses share their mean rank.
fn ranks(losses: &[Losses]) -> Vec<Losses> {
    let by = |measure: usize| mean_ranks(&losses.iter().map(|losses| losses[measure]).collect::<Vec<_>>());
    by(0).into_iter().zip(by(1)).map(|(first, second)| [first, second]).collect()
}

/// Returns the mean over predictors, for each problem and agent.
fn mean_of(ranks: &[&Vec<Vec<Losses>>]) -> Vec<Vec<Losses>> {
    let mut mean = ranks[0].clone();
    for (problem, agents) in mean.iter_mut().enumerate() {
        for (agent, values) in agents.iter_mut().enumerate() {
            for (measure, value) in values.iter_mut().enumerate() {
                *value = ranks.iter().map(|ranks| ranks[problem][agent][measure]).sum::<f64>() / ranks.len() as f64;
            }
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use jointly_core::Real;
    use jointly_record::invented::InventedRun;
    use jointly_record::invented::regression::{learning, learning_run, own_table};
    use jointly_record::plan::{Plan, Terms};
    use jointly_record::unit::Outcome;
    use jointly_regression::{OracleRound, regression_suite};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    use crate::figure::Figure;
    use crate::view::View;

    /// Makes a run with the agents' last losses under a predictor, or their own without one, with two repetitions.
    fn run(predictor: Option<&str>, losses: &[(&str, f64)]) -> InventedRun {
        let agents: Vec<_> = losses.iter().map(|(name, loss)| (*name, learning(&[9.0, *loss]))).collect();
        let mut run = learning_run(&agents, 2);
        let mut planned = run.plan.agents[0].clone();
        let Terms::Regression(terms) = &mut run.plan.terms else { panic!("regression") };
        terms.predictor = predictor.map(|name| {
            (planned.agent, planned.label) = (name.to_owned(), name.to_owned());
            planned
        });
        run
    }

    fn figure(runs: &[&InventedRun]) -> Option<Figure> {
        let scores: Vec<_> = runs.iter().map(|run| run.scores()).collect();
        let views: Vec<View> = scores.iter().map(|scores| View::new(scores, &Leaderboard::new(scores), None)).collect();
        super::figure(&views.iter().collect::<Vec<_>>())
    }

    fn row<'f>(figure: &'f Figure, name: &str) -> &'f [String] {
        figure.table.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name} of {:?}", figure.table))
    }

    #[test]
    fn predictors_rank_selections_and_their_mean_leaves_out_who_predicts_for_itself() {
        let own = run(None, &[("bbb", 0.1), ("gp", 0.2), ("hmc", 0.3)]);
        let nkn = run(Some("nkn"), &[("bbb", 3.0), ("gp", 1.0), ("hmc", 2.0)]);
        // Another agent takes part, and the order differs.
        let gp = run(Some("gp"), &[("hmc", 5.0), ("nng", 0.0), ("gp", 6.0), ("bbb", 7.0)]);
        let drawn = figure(&[&own, &nkn, &gp]).unwrap();
        assert_eq!(drawn.title, "Selections by batch-mig, whoever predicts (Table 4)");
        assert_eq!(drawn.table[0], ["predicts", "bbb", "gp", "hmc"]);
        let names: Vec<&str> = drawn.table.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(
            names[1..5],
            ["log-likelihood: nkn", "log-likelihood: gp", "log-likelihood: mean", "log-likelihood: who selects"]
        );
        assert_eq!(row(&drawn, "log-likelihood: nkn")[1..], ["2.00 ±0.00", "0.00 ±0.00 *", "1.00 ±0.00"]);
        assert_eq!(row(&drawn, "log-likelihood: gp")[1..], ["2.00 ±0.00", "1.00 ±0.00", "0.00 ±0.00 *"]);
        assert_eq!(row(&drawn, "log-likelihood: mean")[1..], ["2.00 ±0.00", "0.50 ±0.00 *", "0.50 ±0.00 *"]);
        assert_eq!(row(&drawn, "log-likelihood: who selects")[1], "0.00 ±0.00 *");
        // All errors are equal and share the mean of the ranks.
        assert_eq!(row(&drawn, "RMSE: nkn")[1..], ["1.00 ±0.00 *", "1.00 ±0.00 *", "1.00 ±0.00 *"]);
        let value = drawn.numbers[0].iter().find(|row| row[..3] == ["log-likelihood", "nkn", "hmc"]).unwrap();
        // The second repetition has a loss of 1 nat more.
        assert_eq!(value[3..], ["boston", "1.000", "0.000", "-2.500", "0.5000", "2"]);
        for said in [
            "among 3 agents",
            "after 1 round of quick/active",
            "1 is what chance",
            "2 problems of boston",
            "no part of the mean",
        ] {
            assert!(drawn.caption.contains(said), "{said}: {}", drawn.caption);
        }
        assert!(!drawn.caption.contains("Wang") && !drawn.caption.contains("oracle"), "{}", drawn.caption);
    }

    #[test]
    fn an_agent_of_any_name_has_its_own_numbers() {
        let mean = run(Some("mean"), &[("gp", 3.0), ("hmc", 5.0)]);
        let nkn = run(Some("nkn"), &[("gp", 7.0), ("hmc", 1.0)]);
        let mut drawn = figure(&[&nkn, &mean]).unwrap();
        let numbers = drawn.numbers.remove(0).into_iter();
        let of_gp: Vec<_> = numbers.filter(|row| row[0] == "log-likelihood" && row[2] == "gp").collect();
        let values: Vec<[&str; 3]> = of_gp.iter().map(|row| [&row[1], &row[4], &row[6]].map(String::as_str)).collect();
        // The second repetition has a loss of 1 nat more; the mean over predictors is only of ranks.
        assert_eq!(values, [["nkn", "1.000", "-7.500"], ["mean", "0.000", "-3.500"], ["mean", "0.5000", "-"]]);
    }

    #[test]
    fn published_ranks_stand_beside_what_they_are_of_alone() {
        let published = |change: fn(&mut Plan)| {
            let mut run = run(Some("nkn"), &[("gp", 1.0), ("hmc", 2.0)]);
            let renamed = |name: &str| name.replace("quick/active", "correlations/active");
            run.plan.suite = renamed(&run.plan.suite);
            run.plan.problems.iter_mut().for_each(|planned| planned.problem = renamed(&planned.problem));
            run.results.iter_mut().for_each(|result| result.problem = renamed(&result.problem));
            let Terms::Regression(terms) = &mut run.plan.terms else { panic!("regression") };
            terms.options = regression_suite("correlations/active").unwrap().options;
            change(&mut run.plan);
            let drawn = figure(&[&run]).unwrap();
            let shown = drawn.table.iter().any(|row| row[0].ends_with("published"));
            assert_eq!(drawn.caption.contains("Wang"), shown, "{}", drawn.caption);
            shown
        };
        assert!(published(|_| ()));
        let rounds: fn(&mut Plan) = |plan| {
            let Terms::Regression(terms) = &mut plan.terms else { panic!("regression") };
            terms.options.rounds = 2;
        };
        assert!(!published(rounds));
        assert!(!published(|plan| plan.tables = own_table()));
    }

    #[test]
    fn where_there_is_an_oracle_it_predicts_too() {
        let mut run = run(Some("nkn"), &[("gp", 1.0), ("hmc", 2.0)]);
        for result in &mut run.results {
            let Outcome::Regression { scores, .. } = &mut result.outcome else { panic!("regression") };
            for round in &mut scores.rounds {
                round.oracle = Some(OracleRound { rmse: Real(0.0), nll: Real(-round.nll.0) });
            }
        }
        let drawn = figure(&[&run]).unwrap();
        assert_eq!(row(&drawn, "log-likelihood: oracle")[1..], ["1.00 ±0.00", "0.00 ±0.00 *"]);
        assert_eq!(row(&drawn, "log-likelihood: mean")[1..], ["0.50 ±0.00 *", "0.50 ±0.00 *"]);
        assert!(drawn.caption.contains("The oracle is the process"), "{}", drawn.caption);
        // One of the two problems with an oracle now lacks it.
        let Outcome::Regression { scores, .. } = &mut run.results[0].outcome else { panic!("regression") };
        scores.rounds[1].oracle = None;
        let drawn = figure(&[&run]).unwrap();
        assert!(drawn.table.iter().all(|row| !row[0].contains("oracle")), "{:?}", drawn.table);
        assert!(drawn.caption.contains("The oracle has no row"), "{}", drawn.caption);
    }

    #[test]
    fn a_problem_that_somebody_lacks_has_no_part_in_any_row() {
        let mut nkn = run(Some("nkn"), &[("gp", 1.0), ("hmc", 2.0)]);
        let gp = run(Some("gp"), &[("gp", 1.0), ("hmc", f64::INFINITY)]);
        nkn.results.retain(|result| result.agent != "gp" || !result.problem.ends_with("seed1/batch-mig"));
        let drawn = figure(&[&gp, &nkn]).unwrap();
        assert_eq!(row(&drawn, "log-likelihood: gp")[1..], ["0.00 *", "1.00"]);
        assert!(drawn.caption.contains("1 problem has no part in it"), "{}", drawn.caption);
    }

    #[test]
    fn one_agent_alone_or_random_points_have_none() {
        assert!(figure(&[&run(None, &[("gp", 1.0)])]).is_none());
        let mut random = run(Some("nkn"), &[("gp", 1.0), ("hmc", 2.0)]);
        random.plan.problems.retain(|planned| planned.problem.ends_with("random"));
        assert!(figure(&[&random]).is_none());
        let others = run(Some("nkn"), &[("gp", 1.0), ("nng", 2.0)]);
        assert!(figure(&[&run(None, &[("gp", 1.0), ("hmc", 2.0)]), &others]).is_none());
    }
}

//! The scores of invented runs, for tests.

use jointly_core::{At, Real, Score, ScoreDef, Scored};
use jointly_record::invented::InventedRun;
use jointly_record::invented::regression::ComparedRun;
use jointly_regression::CrossScores;
use jointly_regression::scores::SCORES;

use crate::scores::{CrossProblem, Scores};

/// Computes the scores of a run.
pub trait InventedScores {
    fn scores(&self) -> Scores<'_>;
}

impl InventedScores for InventedRun {
    fn scores(&self) -> Scores<'_> {
        Scores::new(&self.plan, &self.results)
    }
}

impl InventedScores for ComparedRun {
    fn scores(&self) -> Scores<'_> {
        let mut scores = self.run.scores();
        let rank = |quality: &f64| self.qualities.iter().filter(|other| *other > quality).count() as f64;
        let ranks: Vec<f64> = self.qualities.iter().map(rank).collect();
        for (agent, (rank, quality)) in scores.agents.iter_mut().zip(ranks.iter().zip(&self.qualities)) {
            for problem in &mut agent.problems {
                let named = [("xllr", *rank), ("xll", *quality)];
                let scored = |mean| Scored::from(Score { mean, stderr: f64::NAN });
                let name = |stem| ScoreDef::named(SCORES, stem, At::Once);
                problem.values.extend(named.map(|(stem, value)| (name(stem), scored(value))));
            }
        }
        let list = |values: &[f64]| values.iter().map(|x| Some(Real(*x))).collect::<Vec<_>>();
        let table = |values: &[f64]| vec![list(values); values.len()];
        let compared = CrossScores {
            rows: 10,
            batch: 5,
            xll: table(&self.qualities),
            ranks: table(&ranks),
            mean_xll: list(&self.qualities),
            mean_rank: list(&ranks),
            failures: Vec::new(),
        };
        let plan = &self.run.plan;
        let labels: Vec<&str> = plan.agents.iter().map(|agent| agent.label.as_str()).collect();
        let problems = plan.problems.iter().map(|planned| planned.problem.as_str());
        let cross = |problem| CrossProblem { problem, labels: labels.clone(), scores: compared.clone() };
        scores.cross = problems.map(cross).collect();
        scores
    }
}

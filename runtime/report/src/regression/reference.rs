//! Figure 6 of the paper on correlations: XLL and XLLR under each reference.

use jointly_core::Score;
use jointly_score::scores::CrossProblem;

use crate::figure::{Figure, cells, counted, digits};
use crate::regression::matrix::{Matrix, Side};
use crate::view::View;

/// A candidate's ranks and likelihoods under a reference, over problems.
struct Entry {
    ranks: Vec<f64>,
    likelihoods: Vec<f64>,
}

/// Draws a row for each candidate and a column for each reference; returns `None` for fewer than two agents.
pub(super) fn figure(view: &View) -> Option<Figure> {
    let problems = &view.scores.cross;
    let takes_part = |label: &&str| problems.iter().any(|problem| problem.labels.contains(label));
    let labels: Vec<&str> = view.agents.iter().map(|agent| agent.planned.label.as_str()).filter(takes_part).collect();
    if labels.len() < 2 {
        return None;
    }
    let entry = |reference: &str, candidate: &str| entry(problems, reference, candidate);
    let mut numbers = vec![cells([
        "candidate",
        "reference",
        "XLLR",
        "standard error",
        "XLL, nats a point",
        "standard error",
        "problems",
    ])];
    for candidate in &labels {
        for reference in &labels {
            let Entry { ranks, likelihoods } = entry(reference, candidate);
            let (rank, likelihood) = (Score::of(&ranks), Score::of(&likelihoods));
            let mut row = cells([*candidate, *reference]);
            row.extend([rank.mean, rank.stderr, likelihood.mean, likelihood.stderr].map(digits));
            row.push(ranks.len().to_string());
            numbers.push(row);
        }
    }
    let mut caption = vec![format!(
        "The mean rank of each agent's correlations (rows) among those of all, with the marginals and groups of a reference \
         (columns), over {}; the last column is the mean over references. 0, the deepest blue, is the best. Columns that \
         look alike say that it matters little who the reference is. XLL and the standard errors over problems are in the \
         table.",
        counted(problems.len(), "problem"),
    )];
    let failures = || {
        problems
            .iter()
            .flat_map(|problem| problem.scores.failures.iter().map(move |(agent, why)| (problem, *agent, why)))
    };
    if let Some((problem, agent, why)) = failures().next() {
        let (times, label) = (failures().count(), problem.labels.get(agent).copied().unwrap_or_default());
        let times = if times == 1 { "once".to_owned() } else { format!("{times} times, first") };
        caption.push(format!("An agent could not be compared {times}: {label} on {}, {why}.", problem.problem));
    }
    Some(Figure {
        title: "XLLR by reference (Figure 6)".into(),
        caption: caption.join(" "),
        drawing: Matrix::sheet(&[matrix(&labels, |reference, candidate| {
            Score::of(&entry(reference, candidate).ranks).mean
        })]),
        table: Vec::new(),
        numbers: vec![numbers],
    })
}

fn entry(problems: &[CrossProblem], reference: &str, candidate: &str) -> Entry {
    let mut all = Entry { ranks: Vec::new(), likelihoods: Vec::new() };
    for problem in problems {
        let at = |label: &str| problem.labels.iter().position(|known| *known == label);
        let (Some(row), Some(column)) = (at(reference), at(candidate)) else { continue };
        all.ranks.extend(problem.scores.ranks[row][column].map(|rank| rank.0));
        all.likelihoods.extend(problem.scores.xll[row][column].map(|likelihood| likelihood.0));
    }
    all
}

/// Returns the matrix of ranks, whose last column is their mean over references.
fn matrix(labels: &[&str], rank: impl Fn(&str, &str) -> f64) -> Matrix {
    let row = |candidate: &&str| {
        let mut ranks: Vec<f64> = labels.iter().map(|reference| rank(reference, candidate)).collect();
        let known: Vec<f64> = ranks.iter().copied().filter(|rank| rank.is_finite()).collect();
        ranks.push(Score::of(&known).mean);
        ranks
    };
    Matrix {
        rows: Side { title: "candidate".into(), names: cells(labels) },
        columns: Side { title: "reference".into(), names: cells(labels.iter().chain(&["mean"])) },
        ranks: labels.iter().map(row).collect(),
        worst: (labels.len() - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::regression::{compared_run, correlated};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn every_reference_ranks_every_candidate() {
        let agents = [("bbb", correlated(0.1)), ("gp", correlated(0.9)), ("hmc", correlated(0.5))];
        let run = compared_run("correlations/uci", &["boston", "yacht"], 2, &agents);
        let scores = run.scores();
        let figure = super::figure(&View::new(&scores, &Leaderboard::new(&scores), None)).unwrap();
        let rows = &figure.numbers[0];
        assert_eq!(rows.len(), 1 + 9);
        for row in &rows[1..] {
            let expected = ["gp", "hmc", "bbb"].iter().position(|name| *name == row[0]).unwrap();
            assert_eq!((row[2].parse::<f64>().unwrap(), row[6].as_str()), (expected as f64, "4"), "{row:?}");
        }
        assert!(figure.caption.contains("over 4 problems"), "{}", figure.caption);
        assert_eq!(figure.drawing.inline("").into_string().matches("fill:var(--blue)").count(), 3 * 4);
    }
}

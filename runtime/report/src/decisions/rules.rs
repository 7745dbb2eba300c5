//! Compares the rules by which actions are chosen with each other, agent by agent.

use std::collections::HashMap;

use jointly_core::{Coordinates, Score};
use jointly_decisions::{DecisionScores, Decisions};
use jointly_record::quantity::with_error;

use crate::view::View;

/// Returns a table of each agent's mean difference, in the score that ranks, of every rule to the first rule of the plan; paired
/// by the data that rules share. It is empty if a run has fewer than two rules.
pub(super) fn table(view: &View) -> Vec<Vec<String>> {
    let mut rules: Vec<&str> = Vec::new();
    for planned in &view.scores.plan.problems {
        let Some(rule) = planned.coordinates.acquisition.as_deref() else { return Vec::new() };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let [first, others @ ..] = &rules[..] else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let heading = others.iter().map(|rule| format!("{rule} less {first}"));
    let mut table = vec![std::iter::once("agent".to_owned()).chain(heading).collect::<Vec<String>>()];
    for agent in &view.agents {
        let mut values: HashMap<(&str, &str), f64> = HashMap::new();
        for problem in &agent.problems {
            let value = problem.result::<Decisions>().and_then(ranking);
            let Coordinates { cluster, acquisition, .. } = &problem.planned.coordinates;
            let place = acquisition.as_deref().map(|rule| (cluster.as_str(), rule));
            values.extend(place.zip(value));
        }
        let difference = |rule: &&str| {
            let mut paired: Vec<(&str, f64)> = values
                .iter()
                .filter(|((_, own), _)| own == rule)
                .filter_map(|((cluster, _), value)| Some((*cluster, value - values.get(&(*cluster, *first))?)))
                .collect();
            // Sums are in the order of names, so that a page is the same each time.
            paired.sort_by(|a, b| a.0.cmp(b.0));
            let differences: Vec<f64> = paired.into_iter().map(|(_, difference)| difference).collect();
            let Score { mean, stderr } = Score::of(&differences);
            if differences.is_empty() { String::new() } else { with_error(mean, stderr) }
        };
        let label = agent.planned.label.clone();
        table.push(std::iter::once(label).chain(others.iter().map(difference)).collect());
    }
    table
}

/// Returns the score that ranks: the mean KL of active learning, and the share of regret of a search.
fn ranking(scores: &DecisionScores) -> Option<f64> {
    if !scores.lessons.is_empty() {
        return Some(scores.lessons.iter().map(|lesson| lesson.joint.mean).sum::<f64>() / scores.lessons.len() as f64);
    }
    let (last, uniform) = (scores.course.last()?, scores.uniform?.0);
    (uniform > 0.0).then(|| last.regret.0 / (uniform * f64::from(last.steps)))
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use jointly_record::invented::decisions::{decision_run, search_run};
    use jointly_score::invented::InventedScores as _;
    use jointly_score::leaderboard::Leaderboard;

    #[test]
    fn rules_are_compared_by_paired_differences() {
        // Agents have twice their regret under the second rule; uniform actions cost .4 each.
        let run = search_run(&[("gp", 0.1), ("linear", 0.2)], 3);
        let scores = run.scores();
        let table = super::table(&View::new(&scores, &Leaderboard::new(&scores), None));
        assert_eq!(table[0], ["agent", "improvement less thompson"]);
        assert_eq!(table[1..], [["gp", "0.2500 ±0.0000"], ["linear", "0.5000 ±0.0000"]]);
    }

    #[test]
    fn a_run_with_one_rule_has_nothing_to_compare() {
        let run = decision_run(&[("mlp", 0.2)], 2);
        let scores = run.scores();
        assert!(super::table(&View::new(&scores, &Leaderboard::new(&scores), None)).is_empty());
    }
}

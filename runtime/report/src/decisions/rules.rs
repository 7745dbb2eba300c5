//! Compares the rules by which actions are chosen with each other, agent by agent.

use jointly_core::paired_difference;
use jointly_record::quantity::with_error;
use jointly_score::scores::AgentScores;

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
    let ([first, others @ ..], Some(by)) = (&rules[..], view.ranked_by.as_deref()) else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let heading = others.iter().map(|rule| format!("{rule} less {first}"));
    let mut table = vec![std::iter::once("agent".to_owned()).chain(heading).collect::<Vec<String>>()];
    for agent in &view.agents {
        let differences = others.iter().map(|rule| difference(agent, by, rule, first));
        table.push(std::iter::once(agent.planned.label.clone()).chain(differences).collect());
    }
    table
}

/// Returns an agent's mean difference of a score between two rules, or an empty text if no data have it under both.
fn difference(agent: &AgentScores, score: &str, rule: &str, other: &str) -> String {
    let under = |rule: &str| -> Vec<(&str, f64)> {
        let own = agent.problems.iter().filter(|own| own.planned.coordinates.acquisition.as_deref() == Some(rule));
        own.filter_map(|own| Some((own.planned.cluster(), own.value(score)?.value))).collect()
    };
    let others = under(other);
    let (mut mine, mut theirs, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
    for (cluster, value) in under(rule) {
        if let Some((_, other)) = others.iter().find(|(of, _)| *of == cluster) {
            mine.push(value);
            theirs.push(*other);
            clusters.push(cluster);
        }
    }
    if clusters.is_empty() {
        return String::new();
    }
    let summary = paired_difference(&mine, &theirs, &clusters);
    with_error(summary.mean, summary.stderr)
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

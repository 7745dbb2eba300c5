//! Selects the best variant of an agent, on all problems together or in each setting.

use std::collections::BTreeMap;

use jointly_core::failure::Failure;
use jointly_core::{Summary, paired_difference, summarize_clusters};
use jointly_record::plan::PlannedProblem;

use crate::scores::{AgentScores, Scores};

/// The scope of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tune {
    /// One variant for all problems
    Global,
    /// A variant for each setting: problems that are repetitions of one another, such as those of several seeds
    PerSetting,
}

impl Tune {
    /// Both scopes.
    pub const ALL: [Self; 2] = [Self::Global, Self::PerSetting];

    /// Returns the name in `sweep.json` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::PerSetting => "per-setting",
        }
    }

    /// Returns the scope of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tune| tune.name() == name)
    }
}

/// The variants of one agent and the choice among them.
pub struct Selection<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The variants with a score on every problem, best first. If there are none, nothing is chosen.
    pub variants: Vec<Variant<'a>>,
    /// The other variants, in the plan's order.
    pub incomplete: Vec<&'a AgentScores<'a>>,
    /// The choice of each group of problems; a single group if one variant serves all.
    pub choices: Vec<Choice<'a>>,
    /// The mean over problems of the chosen variants' scores. It is biased, because it uses the problems of the choice.
    pub tuned: Option<Summary>,
    /// The scores when each repetition's problems use the variant chosen on the other repetitions; `None` with one
    /// repetition.
    pub held_out: Option<HeldOut<'a>>,
}

/// A variant with a score on every problem.
pub struct Variant<'a> {
    /// The variant's scores.
    pub scores: &'a AgentScores<'a>,
    /// The mean over the problems on which all variants have the score.
    pub summary: Summary,
    /// The difference to the best variant, paired by problem.
    pub behind: Summary,
    values: Vec<f64>,
}

/// The variant chosen for a group of problems.
pub struct Choice<'a> {
    /// The name of the group: that of its series, or `all problems`.
    pub setting: String,
    /// The group's problems.
    pub problems: Vec<&'a str>,
    /// The scores of the chosen variant.
    pub scores: &'a AgentScores<'a>,
    /// The chosen variant's mean over the group.
    pub summary: Summary,
}

impl<'a> Choice<'a> {
    /// Returns the label of the chosen variant.
    pub fn label(&self) -> &'a str {
        &self.scores.planned.label
    }
}

/// Scores on problems that took no part in the choice.
pub struct HeldOut<'a> {
    /// Each problem with the variant that the others of its group choose.
    pub choices: Vec<(&'a str, &'a AgentScores<'a>)>,
    /// The mean of each problem's score under the variant that the other repetitions chose.
    pub summary: Summary,
}

impl<'a> Selection<'a> {
    /// Chooses by the mean of the named score; among equal means, the first in the plan's order. A variant that lacks
    /// the score on a problem on which another has it is not compared.
    pub fn new(agent: &'a str, variants: &[&'a AgentScores<'a>], score: &str, tune: Tune) -> Self {
        let problems: Vec<&'a PlannedProblem> =
            match variants.iter().filter(|variant| variant.complete()).max_by_key(|it| it.by_problem(score).count()) {
                Some(variant) => {
                    let scored = variant.problems.iter().filter(|problem| problem.value(score).is_some());
                    scored.map(|problem| problem.planned).collect()
                }
                None => Vec::new(),
            };
        let clusters: Vec<&str> = problems.iter().map(|planned| planned.cluster()).collect();
        let (mut complete, mut incomplete) = (Vec::new(), Vec::new());
        for &scores in variants {
            let values: Vec<f64> = scores.by_problem(score).map(|(_, scored)| scored.value).collect();
            let whole = scores.complete() && values.len() == problems.len() && !values.is_empty();
            if whole && !values.iter().any(|value| value.is_nan()) {
                let summary = summarize_clusters(&values, &clusters);
                complete.push(Variant { scores, summary, behind: summary, values });
            } else {
                incomplete.push(scores);
            }
        }
        let values: Vec<&[f64]> = complete.iter().map(|variant| &*variant.values).collect();
        let groups = groups(&problems, tune);
        let mut tuned = vec![f64::NAN; problems.len()];
        let mut choices = Vec::new();
        for (setting, group) in &groups {
            let Some(best) = best(&values, group) else { continue };
            for problem in group {
                tuned[*problem] = values[best][*problem];
            }
            let own: Vec<f64> = group.iter().map(|problem| values[best][*problem]).collect();
            let of: Vec<&str> = group.iter().map(|problem| clusters[*problem]).collect();
            choices.push(Choice {
                setting: setting.clone(),
                problems: group.iter().map(|problem| problems[*problem].problem.as_str()).collect(),
                scores: complete[best].scores,
                summary: summarize_clusters(&own, &of),
            });
        }
        let held_out = held_out(&values, &problems, &groups).map(|chosen| {
            let own: Vec<f64> = chosen.iter().enumerate().map(|(problem, variant)| values[*variant][problem]).collect();
            let scores = chosen.iter().map(|variant| complete[*variant].scores);
            let choices = problems.iter().map(|planned| planned.problem.as_str()).zip(scores).collect();
            HeldOut { choices, summary: summarize_clusters(&own, &clusters) }
        });
        let all: Vec<usize> = (0..problems.len()).collect();
        if let Some(first) = best(&values, &all).map(|best| complete[best].values.clone()) {
            for variant in &mut complete {
                variant.behind = paired_difference(&variant.values, &first, &clusters);
            }
        }
        complete.sort_by(|a, b| a.summary.mean.total_cmp(&b.summary.mean));
        let tuned = (!complete.is_empty()).then(|| summarize_clusters(&tuned, &clusters));
        Self { agent, variants: complete, incomplete, choices, tuned, held_out }
    }

    /// Makes a selection for every agent of a run, grouping its variants.
    pub fn all(scores: &'a Scores<'a>, score: &str, tune: Tune) -> Vec<Self> {
        let mut families: Vec<(&str, Vec<&AgentScores>)> = Vec::new();
        for agent in &scores.agents {
            match families.iter_mut().find(|(name, _)| *name == agent.planned.agent) {
                Some((_, variants)) => variants.push(agent),
                None => families.push((&agent.planned.agent, vec![agent])),
            }
        }
        families.iter().map(|(name, variants)| Self::new(name, variants, score, tune)).collect()
    }

    /// Returns the first failure of the variants that are not compared: the agent's label, the problem and the failure.
    pub fn first_failure(&self) -> Option<(&'a str, &'a str, &'a Failure)> {
        let failed = self.incomplete.iter().find(|agent| !agent.failures.is_empty())?;
        let (problem, failure) = *failed.failures.first()?;
        Some((&failed.planned.label, problem, failure))
    }
}

/// Returns the groups of problems that choose together: all of them, or those of a series.
fn groups(problems: &[&PlannedProblem], tune: Tune) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, problem) in problems.iter().enumerate() {
        let key = match tune {
            Tune::Global => "all problems",
            Tune::PerSetting => problem.series(),
        };
        groups.entry(key.to_owned()).or_default().push(at);
    }
    groups
}

/// Returns the variant with the lowest mean over these problems, if there is one.
fn best(values: &[&[f64]], problems: &[usize]) -> Option<usize> {
    let mean = |variant: &&[f64]| problems.iter().map(|problem| variant[*problem]).sum::<f64>();
    let means: Vec<f64> = values.iter().map(mean).collect();
    (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]))
}

/// Returns the variant that each problem's group would choose without the problems of its repetition, or `None` if a
/// group has no other repetition.
fn held_out(
    values: &[&[f64]],
    problems: &[&PlannedProblem],
    groups: &BTreeMap<String, Vec<usize>>,
) -> Option<Vec<usize>> {
    if problems.is_empty() {
        return None;
    }
    let mut chosen = vec![0; problems.len()];
    for group in groups.values() {
        for problem in group {
            let repetition = |at: &usize| problems[*at].coordinates.repetition;
            let others: Vec<usize> =
                group.iter().copied().filter(|other| repetition(other) != repetition(problem)).collect();
            if others.is_empty() {
                return None;
            }
            chosen[*problem] = best(values, &others)?;
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::invented::InventedScores as _;
    use crate::sweep_document::SweepDocument;
    use jointly_core::Metric;
    use jointly_record::invented::{Got, InventedRun, planned_problem};
    use jointly_record::plan::Plan;

    /// Returns two repetitions of each of two series, and a problem that no suite has.
    fn plan() -> Plan {
        let problems = ["t10/temp0.1/seed0", "t10/temp0.1/seed1", "t100/temp0.1/seed0", "t100/temp0.1/seed1"];
        let problems = problems.map(|name| format!("quick/{name}"));
        InventedRun::scored("quick", &problems.each_ref().map(String::as_str), &[]).plan
    }

    #[test]
    fn one_choice_or_one_a_setting() {
        let values: [&[f64]; 2] = [&[1.0, 1.0, 4.0, 4.0], &[2.0, 2.0, 2.0, 2.0]];
        let plan = plan();
        let problems: Vec<&PlannedProblem> = plan.problems.iter().collect();
        let chosen = |tune| groups(&problems, tune).values().map(|group| best(&values, group)).collect::<Vec<_>>();
        assert_eq!(chosen(Tune::Global), [Some(1)]);
        assert_eq!(chosen(Tune::PerSetting), [Some(0), Some(1)]);
    }

    #[test]
    fn of_equals_the_first_is_chosen() {
        assert_eq!(best(&[&[1.0], &[1.0]], &[0]), Some(0));
        assert_eq!(best(&[], &[0]), None);
    }

    #[test]
    fn held_out_scores_are_those_of_what_the_other_repetitions_choose() {
        // Each variant is lucky on one seed: chosen on that seed, it scores badly on the other.
        let values: [&[f64]; 2] = [&[0.0, 9.0, 0.0, 9.0], &[9.0, 0.0, 9.0, 0.0]];
        let plan = plan();
        let problems: Vec<&PlannedProblem> = plan.problems.iter().collect();
        let groups = groups(&problems, Tune::PerSetting);
        let chosen = held_out(&values, &problems, &groups).unwrap();
        assert_eq!(chosen, [1, 0, 1, 0]);
        assert!((0..4).all(|problem| values[chosen[problem]][problem] == 9.0));
        let single = self::groups(&problems[..1], Tune::PerSetting);
        assert_eq!(held_out(&[&[1.0]], &problems[..1], &single), None);
    }

    #[test]
    fn a_problem_that_is_never_repeated_is_a_setting_of_its_own() {
        let mut plan = plan();
        for (planned, name) in plan.problems.iter_mut().zip(["mine", "yours", "mine/seed1"]) {
            *planned = planned_problem(name, Metric::Kl);
        }
        let problems: Vec<&PlannedProblem> = plan.problems.iter().collect();
        let groups = groups(&problems, Tune::PerSetting);
        assert_eq!(groups.keys().collect::<Vec<_>>(), ["mine", "mine/seed1", "quick/t100/temp0.1", "yours"]);
        assert_eq!(held_out(&[&[1.0; 4]], &problems, &groups), None);
    }

    #[test]
    fn an_agent_all_of_whose_variants_fail_stays_with_its_first_failure() {
        let scored = [Got::Scored(1.0), Got::Scored(2.0)];
        let agents: [(&str, &[Got]); 3] =
            [("mlp", &[scored[0], Got::Failed]), ("mlp:l2=1", &[Got::Failed; 2]), ("prior", &scored)];
        let run = InventedRun::new("quick", &["quick/t10/seed0", "quick/t10/seed1"], &agents);
        let scores = run.scores();
        let selections = Selection::all(&scores, "kl_aggregate", Tune::PerSetting);
        assert_eq!(selections.iter().map(|selection| selection.agent).collect::<Vec<_>>(), ["mlp", "prior"]);
        let document = SweepDocument::new(&run.plan, Some("kl_aggregate"), Tune::PerSetting, &selections);
        let document = serde_json::to_value(document).unwrap();
        let mlp = &document["agents"][0];
        assert_eq!((&mlp["tuned"], &mlp["held_out"], &mlp["choices"]), (&Value::Null, &Value::Null, &json!([])));
        assert_eq!(mlp["incomplete"], json!(["mlp", "mlp:l2=1"]));
        assert_eq!(mlp["first_failure"]["problem"], "quick/t10/seed1");
        assert_eq!(
            (&mlp["first_failure"]["label"], &mlp["first_failure"]["kind"]),
            (&json!("mlp"), &json!("agent-failure"))
        );
        assert_eq!(document["agents"][1]["tuned"]["mean"], 3.0);
        assert!(document["agents"][1].get("first_failure").is_none());
        assert_eq!(document["tune"], "per-setting");
    }

    #[test]
    fn nobody_at_all_has_a_score() {
        let run = InventedRun::new("quick", &["quick/t10/seed0"], &[("mlp", &[Got::Failed])]);
        let scores = run.scores();
        let selections = Selection::all(&scores, "", Tune::Global);
        assert!(selections[0].variants.is_empty() && selections[0].tuned.is_none());
        assert_eq!(selections[0].first_failure().unwrap().0, "mlp");
    }
}

//! Which variant of an agent is best: on all problems together, or in each setting.

use std::collections::BTreeMap;

use clap::ValueEnum;
use jointly_core::{Summary, paired_difference, summarize_clusters};
use serde_json::{Value, json};

use crate::scores::{AgentScores, Scores, number};

/// Over what a choice is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tune {
    /// One variant for all problems
    Global,
    /// A variant for each setting: the problems that differ in their seed alone
    PerSetting,
}

/// The variants of one agent and the choice among them.
pub(crate) struct Selection<'a> {
    pub(crate) agent: &'a str,
    /// Those with a score on every problem, best first.
    pub(crate) variants: Vec<Variant<'a>>,
    /// Labels of those without.
    pub(crate) incomplete: Vec<&'a str>,
    /// What each group of problems chose: a single group where one variant serves all.
    pub(crate) choices: Vec<Choice<'a>>,
    /// Mean over problems of the chosen variants' scores. It is on the problems that chose them, so it flatters.
    pub(crate) tuned: Summary,
    /// The same where each seed's problems are scored by what the other seeds' problems choose; none with one seed.
    pub(crate) held_out: Option<Summary>,
}

/// A variant with a score on every problem.
pub(crate) struct Variant<'a> {
    pub(crate) scores: &'a AgentScores<'a>,
    pub(crate) summary: Summary,
    /// Less the best variant's, paired by problem.
    pub(crate) behind: Summary,
    values: Vec<f64>,
}

/// The variant that a group of problems chose.
pub(crate) struct Choice<'a> {
    /// What the names of the group's problems have in common.
    pub(crate) setting: String,
    pub(crate) label: &'a str,
    pub(crate) summary: Summary,
}

impl<'a> Selection<'a> {
    /// Chooses by the mean of the named score; of equals, the first in the plan's order. None where no variant has it on
    /// every problem.
    pub(crate) fn new(agent: &'a str, variants: &[&'a AgentScores<'a>], score: &str, tune: Tune) -> Option<Self> {
        let first = variants.iter().find(|variant| variant.complete())?;
        let (problems, clusters): (Vec<&str>, Vec<&str>) =
            first.by_problem(score).map(|(problem, _)| (problem.problem, problem.cluster.as_str())).unzip();
        let (mut complete, mut incomplete) = (Vec::new(), Vec::new());
        for scores in variants {
            let values: Vec<f64> = scores.by_problem(score).map(|(_, scored)| scored.value).collect();
            if scores.complete() && values.len() == problems.len() && !values.iter().any(|value| value.is_nan()) {
                let summary = summarize_clusters(&values, &clusters);
                complete.push(Variant { scores, summary, behind: summary, values });
            } else {
                incomplete.push(scores.planned.label.as_str());
            }
        }
        let values: Vec<&[f64]> = complete.iter().map(|variant| &*variant.values).collect();
        let groups = groups(&problems, tune);
        let mut tuned = vec![f64::NAN; problems.len()];
        let mut choices = Vec::new();
        for (setting, group) in &groups {
            let best = best(&values, group)?;
            for problem in group {
                tuned[*problem] = values[best][*problem];
            }
            let own: Vec<f64> = group.iter().map(|problem| values[best][*problem]).collect();
            let own = summarize_clusters(&own, &group.iter().map(|problem| clusters[*problem]).collect::<Vec<_>>());
            let label = complete[best].scores.planned.label.as_str();
            choices.push(Choice { setting: setting.clone(), label, summary: own });
        }
        let held_out = held_out(&values, &problems, &groups).map(|values| summarize_clusters(&values, &clusters));
        let all: Vec<usize> = (0..problems.len()).collect();
        let first = complete[best(&values, &all)?].values.clone();
        for variant in &mut complete {
            variant.behind = paired_difference(&variant.values, &first, &clusters);
        }
        complete.sort_by(|a, b| a.summary.mean.total_cmp(&b.summary.mean));
        Some(Self {
            agent,
            variants: complete,
            incomplete,
            choices,
            tuned: summarize_clusters(&tuned, &clusters),
            held_out,
        })
    }

    /// Every agent of a run, its variants together.
    pub(crate) fn all(scores: &'a Scores<'a>, score: &str, tune: Tune) -> Vec<Self> {
        let mut families: Vec<(&str, Vec<&AgentScores>)> = Vec::new();
        for agent in &scores.agents {
            match families.iter_mut().find(|(name, _)| *name == agent.planned.agent) {
                Some((_, variants)) => variants.push(agent),
                None => families.push((&agent.planned.agent, vec![agent])),
            }
        }
        families.iter().filter_map(|(name, variants)| Self::new(name, variants, score, tune)).collect()
    }

    /// For `sweep.json`.
    pub(crate) fn to_json(&self) -> Value {
        let variants: Vec<Value> = self
            .variants
            .iter()
            .map(|variant| {
                let planned = variant.scores.planned;
                let mut value = json!({ "label": planned.label, "settings": planned.settings });
                insert(&mut value, variant.summary);
                value["behind_best"] = summary_json(variant.behind);
                value
            })
            .collect();
        let choices: Vec<Value> = self
            .choices
            .iter()
            .map(|choice| {
                let mut value = json!({ "setting": choice.setting, "best": choice.label });
                insert(&mut value, choice.summary);
                value
            })
            .collect();
        json!({
            "agent": self.agent,
            "choices": choices,
            "tuned": summary_json(self.tuned),
            "held_out": self.held_out.map(summary_json),
            "variants": variants,
            "incomplete": self.incomplete,
        })
    }
}

fn insert(value: &mut Value, summary: Summary) {
    value["mean"] = json!(number(summary.mean));
    value["stderr"] = json!(number(summary.stderr));
}

fn summary_json(summary: Summary) -> Value {
    json!({ "mean": number(summary.mean), "stderr": number(summary.stderr), "problems": summary.problems })
}

/// The groups of problems that choose together, by what their names have in common.
fn groups(problems: &[&str], tune: Tune) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, problem) in problems.iter().enumerate() {
        let key = match tune {
            Tune::Global => "all problems",
            Tune::PerSetting => split(problem).0,
        };
        groups.entry(key.to_owned()).or_default().push(at);
    }
    groups
}

/// A problem's setting and its seed, the last part of its name.
fn split(problem: &str) -> (&str, &str) {
    match problem.rsplit_once('/') {
        Some((setting, seed)) if seed.starts_with("seed") => (setting, seed),
        _ => (problem, ""),
    }
}

/// The variant with the lowest mean over these problems, where there is one.
fn best(values: &[&[f64]], problems: &[usize]) -> Option<usize> {
    let mean = |variant: &&[f64]| problems.iter().map(|problem| variant[*problem]).sum::<f64>();
    let means: Vec<f64> = values.iter().map(mean).collect();
    (0..means.len()).min_by(|a, b| means[*a].total_cmp(&means[*b]))
}

/// The score of each problem under the variant that its group would choose without the problems of its seed; none
/// where a group has no other seed.
fn held_out(values: &[&[f64]], problems: &[&str], groups: &BTreeMap<String, Vec<usize>>) -> Option<Vec<f64>> {
    let mut scores = vec![f64::NAN; problems.len()];
    for group in groups.values() {
        for problem in group {
            let seed = |at: &usize| split(problems[*at]).1;
            let others: Vec<usize> = group.iter().copied().filter(|other| seed(other) != seed(problem)).collect();
            if others.is_empty() {
                return None;
            }
            scores[*problem] = values[best(values, &others)?][*problem];
        }
    }
    Some(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEMS: [&str; 4] = ["s/a/seed0", "s/a/seed1", "s/b/seed0", "s/b/seed1"];

    #[test]
    fn one_choice_or_one_a_setting() {
        let values: [&[f64]; 2] = [&[1.0, 1.0, 4.0, 4.0], &[2.0, 2.0, 2.0, 2.0]];
        let chosen = |tune| groups(&PROBLEMS, tune).values().map(|group| best(&values, group)).collect::<Vec<_>>();
        assert_eq!(chosen(Tune::Global), [Some(1)]);
        assert_eq!(chosen(Tune::PerSetting), [Some(0), Some(1)]);
    }

    #[test]
    fn of_equals_the_first_is_chosen() {
        assert_eq!(best(&[&[1.0], &[1.0]], &[0]), Some(0));
        assert_eq!(best(&[], &[0]), None);
    }

    #[test]
    fn held_out_scores_are_those_of_what_the_other_seeds_choose() {
        // Each variant is lucky on one seed: chosen on that seed, it scores badly on the other.
        let values: [&[f64]; 2] = [&[0.0, 9.0, 0.0, 9.0], &[9.0, 0.0, 9.0, 0.0]];
        let groups = groups(&PROBLEMS, Tune::PerSetting);
        assert_eq!(held_out(&values, &PROBLEMS, &groups), Some(vec![9.0; 4]));
        let single = self::groups(&PROBLEMS[..1], Tune::PerSetting);
        assert_eq!(held_out(&[&[1.0]], &PROBLEMS[..1], &single), None);
    }

    #[test]
    fn a_problem_without_a_seed_is_a_setting_of_its_own() {
        assert_eq!(split("imported/mine"), ("imported/mine", ""));
        assert_eq!(split("testbed/t10/temp0.1/seed3"), ("testbed/t10/temp0.1", "seed3"));
    }
}

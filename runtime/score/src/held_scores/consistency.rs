//! Whether scores without a journal follow from one another.

use std::collections::BTreeSet;

use jointly_core::{Real, Summary, summarize_clusters};
use jointly_record::directory::SCORES;
use jointly_record::plan::{Plan, PlannedProblem};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::{Agent, CROSS, HeldScores, Total};

/// The difference between numbers that are taken for the same, by the largest value that they are computed from: `scores.json` has
/// twelve digits.
const PRECISION: f64 = 1e-9;
/// The fields of a problem that are not scores.
const NO_SCORES: [&str; 3] = ["problem", "conditions", "diagnosis"];
/// The beginnings of the names of scores that all simulations have together, and no single problem.
const TOGETHER: [&str; 2] = ["picf_brier_", "cicf_brier_"];

impl HeldScores {
    /// Returns the first place in which the scores do not follow from one another: each score of a problem has a mean, means, standard
    /// errors and the number of problems follow from the problems, and agents that are scored against each other are so on the same
    /// problems. Scores of all simulations together are not compared.
    pub fn defect(&self) -> Option<String> {
        let means = self.agents.iter().zip(&self.plan.agents).find_map(|(agent, planned)| {
            let label = &planned.label;
            let defect = |(name, total): (&String, &Total)| {
                let defect = agent.defect(name, total, &self.plan)?;
                Some(format!("{SCORES}: {defect} of {name} of {label} does not follow from its problems"))
            };
            let has_mean = |key: &&String| agent.totals.contains_key(*key) || NO_SCORES.contains(&key.as_str());
            let lacks = agent.scores.values().flat_map(Map::keys).find(|key| !has_mean(key));
            let lacks = lacks.map(|name| format!("{SCORES} has no mean of {name} of {label}"));
            lacks.or_else(|| agent.totals.iter().find_map(defect))
        });
        means.or_else(|| self.one_sided_comparison())
    }

    /// Returns the first agent without a comparison that others have, unless the file has a failure or an absence of it.
    fn one_sided_comparison(&self) -> Option<String> {
        for (score, problem) in CROSS.iter().flat_map(|score| self.plan.problems.iter().map(move |own| (score, own))) {
            let name = &problem.problem;
            let has = |agent: &usize| self.agents[*agent].scores.get(name).is_some_and(|own| own.contains_key(*score));
            let having: BTreeSet<usize> = self.compared.iter().copied().filter(has).collect();
            if !having.is_empty()
                && let Some(lacks) = self.compared.difference(&having).next()
            {
                let label = &self.plan.agents[*lacks].label;
                return Some(format!("{SCORES} has no {score} of {label} on {name}, which other agents have"));
            }
        }
        let left_out = |agent: &usize| !self.compared.contains(agent);
        let explained = |agent: &usize| {
            let agent = &self.agents[*agent];
            !agent.failures.is_empty() || agent.absences.iter().any(|absence| CROSS.contains(&absence.score.as_str()))
        };
        let lacks = (0..self.agents.len()).filter(left_out).find(|agent| !explained(agent));
        let lacks = lacks.filter(|_| !self.compared.is_empty())?;
        Some(format!(
            "{SCORES} does not compare {} with the others, and does not say why",
            self.plan.agents[lacks].label
        ))
    }
}

impl Agent {
    /// Returns which part of a score's mean does not follow from the problems, or `None` if all do.
    fn defect(&self, name: &str, total: &Total, plan: &Plan) -> Option<&'static str> {
        let of = |planned: &PlannedProblem| self.scores.get(&planned.problem)?.get(name);
        let having = plan.problems.iter().filter_map(|planned| Some((of(planned)?, planned.cluster())));
        let (held, clusters): (Vec<&Value>, Vec<&str>) = having.unzip();
        if held.is_empty() {
            let is_number = number(&total.mean).is_some() && number(&total.stderr).is_some();
            return (!is_number || TOGETHER.iter().all(|stem| !name.starts_with(stem))).then_some("the mean");
        }
        let Some(values) =
            held.iter().map(|value| number(value.get("mean").unwrap_or(value))).collect::<Option<Vec<_>>>()
        else {
            return Some("what is no number");
        };
        let Summary { mean, stderr, non_finite, .. } = summarize_clusters(&values, &clusters);
        // The error of a single problem is over its samples, if it has one.
        let stderr =
            held.first().filter(|_| held.len() == 1).and_then(|only| number(only.get("stderr")?)).unwrap_or(stderr);
        let finite = values.iter().filter(|value| value.is_finite());
        let most = PRECISION * finite.fold(0.0, |most: f64, value| most.max(value.abs()));
        let same = |held: &Value, own: f64| number(held).is_some_and(|held| is_same(held, own, most));
        let parts = [
            (total.problems == values.len(), "the number of problems"),
            (total.non_finite == non_finite, "the number of values that are not finite"),
            (same(&total.mean, mean), "the mean"),
            (same(&total.stderr, stderr), "the standard error"),
        ];
        parts.into_iter().find(|(holds, _)| !holds).map(|(_, what)| what)
    }
}

/// Returns whether two numbers are the same but for rounding.
fn is_same(held: f64, own: f64, most: f64) -> bool {
    let close = held.is_finite() && own.is_finite() && (held - own).abs() <= most;
    close || held == own || held.is_nan() && own.is_nan()
}

/// Reads a number of `scores.json`.
fn number(value: &Value) -> Option<f64> {
    Real::deserialize(value).ok().map(|Real(number)| number)
}

#[cfg(test)]
mod tests {
    use jointly_record::checksum;
    use jointly_record::directory::{PLAN, SCORES, to_json};
    use jointly_record::invented::InventedRun;
    use jointly_record::unit::Unit;
    use serde_json::{Value, json};

    use crate::held_scores::HeldScores;
    use crate::invented::InventedScores as _;

    const PROBLEMS: [&str; 3] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t10/temp0.1/seed2"];

    fn run() -> InventedRun {
        InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0, 2.0, 6.0]), ("prior", &[2.0, 3.0, 4.0])])
    }

    /// Opens the scores of a run after an edit.
    fn opened(edit: impl FnOnce(&mut Value)) -> anyhow::Result<HeldScores> {
        let (run, folder) = (run(), tempfile::tempdir().unwrap());
        let mut scores = serde_json::to_value(run.scores()).unwrap();
        edit(&mut scores);
        std::fs::write(folder.path().join(PLAN), checksum::document(&to_json(&run.plan).unwrap())).unwrap();
        std::fs::write(folder.path().join(SCORES), scores.to_string()).unwrap();
        HeldScores::open(folder.path())
    }

    /// Returns the first defect of the scores after values are put in places of the first agent.
    fn defect(edits: &[(&str, Value)]) -> Option<String> {
        let edit = |scores: &mut Value| {
            for (place, value) in edits {
                *scores.pointer_mut(&format!("/agents/0/{place}")).unwrap() = value.clone();
            }
        };
        opened(edit).unwrap().defect()
    }

    /// Returns what a run of all units says of the scores after an edit.
    fn again(edit: impl FnOnce(&mut Value)) -> Option<String> {
        let (held, run) = (opened(edit).unwrap(), run());
        run.results.into_iter().find_map(|result| {
            let agent = held.plan.agents.iter().position(|own| own.label == result.agent).unwrap();
            let problem = held.plan.problems.iter().position(|own| own.problem == result.problem).unwrap();
            held.other_score(Unit { agent, problem }, result, None).unwrap()
        })
    }

    #[test]
    fn honest_scores_follow_from_one_another_and_from_their_units() {
        assert_eq!(defect(&[]), None);
        assert_eq!(again(|_| ()), None);
    }

    #[test]
    fn means_errors_and_counts_follow_from_the_problems() {
        // The losses are 1, 2 and 6: their mean is 3, and its error sqrt(((-2)^2 + (-1)^2 + 3^2) / 2 / 3).
        let total = &serde_json::to_value(run().scores()).unwrap()["agents"][0]["scores"]["kl_tau1"];
        assert_eq!(total["mean"], json!(3.0));
        assert!((total["stderr"].as_f64().unwrap() - (14.0_f64 / 6.0).sqrt()).abs() < 1e-9);
        let wrong = [
            ("scores/kl_tau1/mean", json!(2.999_999), "the mean of kl_tau1 of mlp"),
            ("scores/kl_tau1/mean", json!("-inf"), "the mean"),
            ("scores/kl_tau1/mean", json!("three"), "the mean"),
            ("scores/kl_tau1/stderr", json!(0.0), "the standard error"),
            ("scores/kl_tau1/problems", json!(2), "the number of problems"),
            ("scores/kl_tau1/non_finite", json!(1), "values that are not finite"),
            ("problems/2/kl_tau1/mean", json!(5.0), "the mean"),
            ("problems/2/kl_tau1/mean", json!("six"), "what is no number"),
        ];
        for (place, value, said) in wrong {
            let found = defect(&[(place, value)]).unwrap();
            assert!(found.contains(said) && found.ends_with("does not follow from its problems"), "{place}: {found}");
        }
        // A value that is infinite makes the mean infinite, and of the same sign.
        let infinite = |mean: Value| {
            let (problem, mean) = (("problems/2/kl_tau1/mean", json!("inf")), ("scores/kl_tau1/mean", mean));
            defect(&[problem, mean, ("scores/kl_tau1/stderr", json!("nan")), ("scores/kl_tau1/non_finite", json!(1))])
        };
        assert!(infinite(json!(0.01)).is_some() && infinite(json!("-inf")).is_some());
        assert_eq!(infinite(json!("inf")), None);
    }

    #[test]
    fn every_problem_is_there_once() {
        let refused = |edit: fn(&mut Vec<Value>)| {
            let edit = |scores: &mut Value| edit(scores["agents"][0]["problems"].as_array_mut().unwrap());
            let refusal = opened(edit).err().unwrap().to_string();
            assert!(refusal.contains("does not have every problem of plan.json once for mlp"), "{refusal}");
        };
        refused(|problems| drop(problems.pop()));
        refused(|problems| problems.push(problems[0].clone()));
        refused(|problems| problems.push(json!({ "kl_tau1": 1.0 })));
        refused(|problems| problems[1]["problem"] = "quick/t10/temp0.1/seed0".into());
    }

    #[test]
    fn a_score_that_is_removed_is_missed_when_its_unit_is_run_again() {
        let found = again(|scores| {
            let agent = &mut scores["agents"][0];
            agent["problems"][2].as_object_mut().unwrap().remove("kl_tau1");
            agent["scores"]["kl_tau1"]["mean"] = 1.5.into();
        });
        assert_eq!(found.unwrap(), "mlp on quick/t10/temp0.1/seed2: scores.json.kl_tau1 is missing");
        let found = again(|scores| scores["agents"][0]["problems"][0]["better"] = 1.0.into());
        assert_eq!(found.unwrap(), "mlp on quick/t10/temp0.1/seed0: scores.json.better does not belong there");
        let no_mean = opened(|scores| {
            scores["agents"][0]["scores"].as_object_mut().unwrap().remove("kl_tau1");
        });
        assert_eq!(no_mean.unwrap().defect().unwrap(), "scores.json has no mean of kl_tau1 of mlp");
        // Of a score that no problem has, no mean is accepted.
        let none = opened(|scores| {
            for problem in scores["agents"][0]["problems"].as_array_mut().unwrap() {
                problem.as_object_mut().unwrap().remove("kl_tau1");
            }
        });
        assert!(none.unwrap().defect().unwrap().contains("the mean of kl_tau1"));
    }

    #[test]
    fn agents_are_compared_on_the_same_problems() {
        let found = |lacking: &'static [(usize, usize)]| {
            let held = opened(|scores| {
                for (agent, score) in [(0, "xll"), (0, "xllr"), (1, "xll"), (1, "xllr")] {
                    let agent_scores = &mut scores["agents"][agent];
                    let having: Vec<usize> = (0..3).filter(|problem| !lacking.contains(&(agent, *problem))).collect();
                    for problem in &having {
                        agent_scores["problems"][problem][score] = json!(0.5);
                    }
                    if !having.is_empty() {
                        agent_scores["scores"][score] = json!({ "mean": 0.5, "stderr": 0.0, "problems": having.len() });
                    }
                }
            });
            held.unwrap().defect()
        };
        assert_eq!(found(&[]), None);
        assert!(found(&[(1, 2)]).unwrap().contains("no xllr of prior on quick/t10/temp0.1/seed2"));
        assert!(found(&[(1, 0), (1, 1), (1, 2)]).unwrap().contains("does not compare prior with the others"));
    }
}

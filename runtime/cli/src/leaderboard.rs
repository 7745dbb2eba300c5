//! The leaderboard: agents ranked by their aggregate score, as a table and as a file.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;

use jointly_core::{Summary, paired_difference};

use crate::scores::{ACCURACY, AgentScores, ECE, FUEL, Scored, Scores};
use crate::table;

/// Agents in order, and what orders them.
pub(crate) struct Leaderboard<'a> {
    scores: &'a Scores<'a>,
    names: Vec<String>,
    /// The score that ranks.
    by: Option<String>,
    order: Vec<Placed<'a>>,
}

/// An agent in its place.
struct Placed<'a> {
    agent: &'a AgentScores<'a>,
    /// Of the score that ranks.
    mean: f64,
    rank: Option<usize>,
}

impl<'a> Placed<'a> {
    fn new(agent: &'a AgentScores<'a>, by: Option<&str>) -> Self {
        let summary = by.and_then(|by| agent.summary(by));
        Self { agent, mean: summary.map_or(f64::NAN, |summary| summary.mean), rank: None }
    }

    /// Whether the mean can be compared: over every problem, and a number.
    fn ranks(&self) -> bool {
        self.agent.complete() && !self.mean.is_nan()
    }

    /// Agents without a rank come last, those whose mean is no number behind all.
    fn key(&self) -> (bool, bool, f64) {
        let mean = if self.mean.is_nan() { f64::INFINITY } else { self.mean };
        (!self.ranks(), self.mean.is_nan(), mean)
    }

    fn rank_text(&self) -> String {
        self.rank.map_or_else(|| "-".into(), |rank| rank.to_string())
    }
}

impl<'a> Leaderboard<'a> {
    /// Ranks by the aggregate where the suite has one, else by the joint score of the largest tau. Equal means share a
    /// rank. An agent without a score on every problem comes last and has none: its mean is over other problems.
    pub(crate) fn new(scores: &'a Scores<'a>) -> Self {
        let names = scores.names();
        let joint = |name: &&String| name.contains("_tau") || name.ends_with("_aggregate");
        let by = names.iter().rfind(joint).cloned();
        let mut order: Vec<Placed> = scores.agents.iter().map(|agent| Placed::new(agent, by.as_deref())).collect();
        // Equals keep the plan's order.
        order.sort_by(|a, b| a.key().partial_cmp(&b.key()).unwrap_or(Ordering::Equal));
        for place in 0..order.len() {
            order[place].rank = match place.checked_sub(1).map(|above| &order[above]) {
                _ if !order[place].ranks() => None,
                Some(above) if above.mean == order[place].mean => above.rank,
                _ => Some(place + 1),
            };
        }
        Self { scores, names, by, order }
    }

    /// The name of the score that ranks, where any agent has one.
    pub(crate) fn ranked_by(&self) -> Option<&str> {
        self.by.as_deref()
    }

    /// Tables that fit in 80 columns with names of ordinary length.
    pub(crate) fn to_text(&self, baseline: Option<&str>) -> String {
        let plan = self.scores.plan;
        let (problems, over) = match plan.problems.len() {
            1 => ("1 problem".into(), "the tau-samples of the problem"),
            n => (format!("{n} problems"), "problems"),
        };
        let mut text = format!("{}, {problems}, seed {}{}", plan.suite, plan.seed, plan.departures());
        if let Some(by) = &self.by {
            let _ = write!(text, "; ranked by {by}, lower is better");
        }
        let compared = match self.baseline(baseline).zip(self.by.as_ref()) {
            Some((_, by)) => format!("; vs is the difference in {by}, paired by problem"),
            None => String::new(),
        };
        let _ = writeln!(text, "\n± is the standard error over {over}{compared}\n");
        let joint: Vec<&String> =
            self.names.iter().filter(|name| ![ACCURACY, ECE, FUEL].contains(&name.as_str())).collect();
        text += &self.joint_table(&joint);
        text.push('\n');
        text += &self.other_table(baseline);
        text += &self.notes();
        text
    }

    fn joint_table(&self, joint: &[&String]) -> String {
        let mut rows = vec![vec!["#".to_owned(), "agent".to_owned()]];
        rows[0].extend(joint.iter().map(|name| (*name).clone()));
        for placed in &self.order {
            let agent = placed.agent;
            let mut row = vec![placed.rank_text(), agent.planned.label.clone()];
            row.extend(joint.iter().map(|name| summary_text(agent.summary(name))));
            rows.push(row);
        }
        table::render(2, &rows)
    }

    fn other_table(&self, baseline: Option<&str>) -> String {
        let baseline = self.baseline(baseline).zip(self.by.as_deref());
        let mut rows = vec![["agent", ACCURACY, ECE, FUEL].map(String::from).to_vec()];
        if let Some((baseline, _)) = baseline {
            rows[0].push(format!("vs {}", baseline.planned.label));
        }
        for Placed { agent, .. } in &self.order {
            let fuel = agent.summary(FUEL).map_or("-".into(), |summary| table::count(summary.mean));
            let mut row = vec![agent.planned.label.clone()];
            row.extend([summary_text(agent.summary(ACCURACY)), summary_text(agent.summary(ECE)), fuel]);
            if let Some((baseline, by)) = baseline {
                row.push(if std::ptr::eq(*agent, baseline) {
                    "-".into()
                } else {
                    summary_text(paired(agent, baseline, by))
                });
            }
            rows.push(row);
        }
        table::render(1, &rows)
    }

    /// The agent to compare with: the named one, else `mlp`, the baseline of the paper.
    fn baseline(&self, name: Option<&str>) -> Option<&'a AgentScores<'a>> {
        let name = name.unwrap_or("mlp");
        self.scores.agents.iter().find(|agent| agent.planned.label == name)
    }

    /// The labels that `--baseline` may name.
    pub(crate) fn labels(&self) -> Vec<&str> {
        self.order.iter().map(|placed| placed.agent.planned.label.as_str()).collect()
    }

    fn notes(&self) -> String {
        let mut notes = String::new();
        for Placed { agent, .. } in &self.order {
            let label = &agent.planned.label;
            if let Some((problem, failure)) = agent.failures.first() {
                let (failed, all) = (agent.failures.len(), self.scores.plan.problems.len());
                let means = if agent.problems.is_empty() { "" } else { "; its means are over the others" };
                let _ = writeln!(
                    notes,
                    "{label} failed on {failed} of {all} problems and has no rank{means}; first, {problem}: {failure}"
                );
            }
            if agent.missing > 0 {
                let _ = writeln!(notes, "{label} has no result yet on {} problems", agent.missing);
            }
            for name in &self.names {
                if let Some(summary) = agent.summary(name).filter(|summary| summary.non_finite > 0) {
                    let _ = writeln!(notes, "{label} has {name} not finite on {} problems", summary.non_finite);
                }
                if let Some(draws) = agent.draws(name).filter(|draws| draws.few > 0) {
                    let (effective, all) = (table::number(draws.effective), self.scores.plan.evaluation.draws);
                    let (few, of) = (draws.few, agent.problems.len());
                    let _ = writeln!(
                        notes,
                        "{label}: {name} leans on {effective} effective draws of {all}, too few on {few} of {of} problems, \
                         and is likely too high; more --draws tell it better"
                    );
                }
            }
        }
        if notes.is_empty() { notes } else { format!("\n{notes}") }
    }

    /// One row an agent, numbers with 12 significant digits.
    pub(crate) fn to_csv(&self) -> String {
        let mut header: Vec<String> =
            ["rank", "agent", "settings", "digest", "problems", "failures"].map(String::from).to_vec();
        header.extend(self.names.iter().flat_map(|name| [format!("{name}_mean"), format!("{name}_stderr")]));
        let mut text = header.join(",") + "\n";
        for placed in &self.order {
            let agent = placed.agent;
            let planned = agent.planned;
            let settings = planned.settings.label("");
            let mut row = vec![
                placed.rank.map(|rank| rank.to_string()).unwrap_or_default(),
                quoted(&planned.agent),
                quoted(settings.trim_start_matches(':')),
                planned.digest.clone(),
                agent.problems.len().to_string(),
                agent.failures.len().to_string(),
            ];
            for name in &self.names {
                let digits = |x: f64| jointly_core::round_significant(x).to_string().to_lowercase();
                let summary = agent.summary(name);
                row.extend(summary.map_or([String::new(), String::new()], |s| [digits(s.mean), digits(s.stderr)]));
            }
            text += &(row.join(",") + "\n");
        }
        text
    }
}

fn summary_text(summary: Option<Summary>) -> String {
    summary.map_or("-".into(), |summary| table::with_error(summary.mean, summary.stderr))
}

/// The difference on the problems that both have scored.
fn paired(agent: &AgentScores, baseline: &AgentScores, by: &str) -> Option<Summary> {
    let theirs: HashMap<&str, f64> = baseline.by_problem(by).map(|(problem, theirs)| (problem, theirs.value)).collect();
    let pair = |(problem, mine): (&str, Scored)| Some((mine.value, *theirs.get(problem)?));
    let (mine, theirs): (Vec<f64>, Vec<f64>) = agent.by_problem(by).filter_map(pair).unzip();
    (!mine.is_empty()).then(|| paired_difference(&mine, &theirs))
}

/// A field of a comma-separated file: quoted where it holds a comma or a quote.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

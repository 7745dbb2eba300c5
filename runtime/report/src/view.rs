//! A run prepared for figures: families of variants, a baseline, and the coordinates of each problem.

use std::collections::HashMap;

use jointly_core::{At, Coordinates, ScoreName};
use jointly_score::leaderboard::{Baseline, Leaderboard};
use jointly_score::scores::{AgentScores, Scores};

use crate::drawing::{Palette, Style};
use crate::ratio::{Ratio, ratio_of_means};

/// The number of colours of the palette.
const COLOURS: usize = 7;

/// A run, its agents sorted into families.
pub(crate) struct View<'a> {
    pub(crate) scores: &'a Scores<'a>,
    /// The agents, in the order of the leaderboard.
    pub(crate) agents: Vec<&'a AgentScores<'a>>,
    /// The families, in the order of their best variants on the leaderboard.
    pub(crate) families: Vec<Family<'a>>,
    pub(crate) baseline: Option<&'a AgentScores<'a>>,
    /// Whether the baseline was chosen among variants.
    best_variant: bool,
    /// The joint scores, by ascending tau.
    pub(crate) joint: Vec<JointScore>,
    /// The score that ranks.
    pub(crate) ranked_by: Option<String>,
    places: HashMap<&'a str, &'a Coordinates>,
    clusters: HashMap<&'a str, &'a str>,
    palette: Palette<'a>,
}

/// Returns the number T of training examples.
pub(crate) fn train_size(place: &Coordinates) -> Option<f64> {
    place.train_size.map(f64::from)
}

/// An agent's variants.
pub(crate) struct Family<'a> {
    /// The agent's name.
    pub(crate) name: &'a str,
    /// The variants, the best first; it has a rank unless none has.
    pub(crate) variants: Vec<&'a AgentScores<'a>>,
}

/// A joint score at one tau.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JointScore {
    pub(crate) name: String,
    /// The metric in capitals, as in papers.
    pub(crate) metric: String,
    pub(crate) tau: u32,
}

/// A mean over some of an agent's problems.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Not finite if a value is not.
    pub(crate) mean: f64,
    pub(crate) stderr: f64,
    pub(crate) problems: usize,
    /// The number of problems on which the agent failed; the mean is over the others.
    pub(crate) failed: usize,
}

impl<'a> Family<'a> {
    pub(crate) fn best(&self) -> &'a AgentScores<'a> {
        self.variants[0]
    }
}

impl JointScore {
    fn new(name: ScoreName) -> Option<Self> {
        match name.at() {
            At::Tau(tau) if !name.is_shifted() => {
                Some(Self { name: name.to_string(), metric: name.stem().to_uppercase(), tau })
            }
            _ => None,
        }
    }

    /// Returns the title, such as `KL, tau = 100`.
    pub(crate) fn title(&self) -> String {
        format!("{}, tau = {}", self.metric, self.tau)
    }
}

impl<'a> View<'a> {
    /// Prepares a run in the order of its leaderboard, compared with the leaderboard's baseline for that label.
    pub(crate) fn new(scores: &'a Scores<'a>, leaderboard: &Leaderboard<'a>, baseline: Option<&str>) -> Self {
        let agents: Vec<&AgentScores> = leaderboard.agents().collect();
        let mut families: Vec<Family> = Vec::new();
        for &agent in &agents {
            let name = agent.planned.agent.as_str();
            match families.iter_mut().find(|family| family.name == name) {
                Some(family) => family.variants.push(agent),
                None => families.push(Family { name, variants: vec![agent] }),
            }
        }
        let baseline = leaderboard.baseline(baseline);
        let plan = scores.plan;
        Self {
            scores,
            joint: scores.names().into_iter().filter_map(JointScore::new).collect(),
            ranked_by: leaderboard.ranked_by().map(|name| name.to_string()),
            clusters: scores.clusters(),
            places: plan.problems.iter().map(|problem| (problem.problem.as_str(), &problem.coordinates)).collect(),
            palette: Palette::new(plan.agents.iter().map(|agent| agent.agent.as_str())),
            agents,
            families,
            baseline: baseline.map(|baseline| baseline.agent),
            best_variant: baseline.is_some_and(|Baseline { best_variant, .. }| best_variant),
        }
    }

    /// Says how the baseline was chosen, if it was chosen by its score.
    pub(crate) fn baseline_choice(&self) -> Option<String> {
        let planned = self.baseline.filter(|_| self.best_variant)?.planned;
        Some(format!("{} is the best variant of {}, chosen on these same problems.", planned.label, planned.agent))
    }

    pub(crate) fn style(&self, agent: &str) -> Style {
        self.palette.style(agent)
    }

    /// Returns an agent's style, which differs from those of its other variants in marker and dashes, and also in
    /// colour if all agents are variants of one.
    pub(crate) fn style_of(&self, agent: &AgentScores) -> Style {
        let (label, name) = (agent.planned.label.as_str(), agent.planned.agent.as_str());
        let mut variants = self.scores.plan.agents.iter().filter(|planned| planned.agent == name);
        if self.families.len() == 1 && self.has_variants() {
            let style = Palette::new(variants.map(|planned| planned.label.as_str())).style(label);
            // Colours suffice to tell them apart while there are enough.
            return if self.agents.len() <= COLOURS { Style { dashes: "", ..style } } else { style };
        }
        let number = variants.position(|planned| planned.label == label).unwrap_or(0);
        if number == 0 {
            return self.style(name);
        }
        let others = self.families.iter().filter(|family| family.name != name).map(|family| self.style(family.name));
        self.style(name).variant_unlike(number, &others.collect::<Vec<_>>())
    }

    /// Returns all agents in the order of the leaderboard, by label and [style](Self::style_of).
    pub(crate) fn legend(&self) -> Vec<(&'a str, Style)> {
        self.agents.iter().map(|agent| (agent.planned.label.as_str(), self.style_of(agent))).collect()
    }

    /// Returns whether any agent has more than one variant.
    pub(crate) fn has_variants(&self) -> bool {
        self.families.iter().any(|family| family.variants.len() > 1)
    }

    /// Returns the agent with that label, or the best variant of the agent with that name.
    pub(crate) fn find(&self, name: &str) -> Option<&'a AgentScores<'a>> {
        let family = self.families.iter().find(|family| family.name == name).map(Family::best);
        self.agents.iter().find(|agent| agent.planned.label == name).copied().or(family)
    }

    /// Returns the coordinates of the problem of that name.
    pub(crate) fn place(&self, problem: &str) -> Option<&'a Coordinates> {
        self.places.get(problem).copied()
    }

    /// Returns the coordinates of all problems, in the plan's order.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Coordinates> {
        self.scores.plan.problems.iter().map(|problem| &problem.coordinates)
    }

    /// Returns the keys of the groups of problems that are drawn together, in the plan's order.
    pub(crate) fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = Vec::new();
        for place in self.places() {
            if !groups.contains(&place.group) {
                groups.push(place.group.clone());
            }
        }
        groups
    }

    /// Returns the distinct values of a coordinate, in ascending order.
    pub(crate) fn distinct(&self, value: impl Fn(&Coordinates) -> Option<f64>) -> Vec<f64> {
        let mut values: Vec<f64> = self.places().filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// Returns an agent's mean of a score over the problems that `at` accepts, or `None` if it has no result there.
    pub(crate) fn cell(&self, agent: &AgentScores, score: &str, at: impl Fn(&Coordinates) -> bool) -> Option<Cell> {
        let wanted = |problem: &str| self.places.get(problem).is_some_and(|place| at(place));
        let failed = self.failures(agent, &at);
        match agent.summary_where(score, wanted) {
            Some(summary) => {
                Some(Cell { mean: summary.mean, stderr: summary.stderr, problems: summary.problems, failed })
            }
            None if failed > 0 => Some(Cell { mean: f64::NAN, stderr: f64::NAN, problems: 0, failed }),
            None => None,
        }
    }

    /// Returns the number of problems, among those that `at` accepts, on which an agent failed.
    pub(crate) fn failures(&self, agent: &AgentScores, at: impl Fn(&Coordinates) -> bool) -> usize {
        agent.failures.iter().filter(|(problem, _)| self.places.get(problem).is_some_and(|place| at(place))).count()
    }

    /// Returns an agent's scores on the problems that `at` accepts, as far as it has them.
    pub(crate) fn values(
        &self,
        agent: &AgentScores<'a>,
        score: &str,
        at: impl Fn(&Coordinates) -> bool,
    ) -> Vec<(&'a str, f64)> {
        let here = |problem: &str| self.places.get(problem).is_some_and(|place| at(place));
        let values = agent.problems.iter().filter(|problem| here(problem.problem));
        values.filter_map(|problem| Some((problem.problem, problem.value(score)?.value))).collect()
    }

    /// Returns two agents' scores on the problems that `at` accepts and both have.
    pub(crate) fn pairs(
        &self,
        agent: &AgentScores<'a>,
        baseline: &AgentScores<'a>,
        score: &str,
        at: impl Fn(&Coordinates) -> bool,
    ) -> Pairs<'a> {
        Pairs::of(&self.values(agent, score, &at), &self.values(baseline, score, &at))
    }

    /// Returns the ratio of the means of paired scores.
    pub(crate) fn ratio_of(&self, pairs: &Pairs<'a>) -> Ratio {
        let cluster = |problem: &&'a str| self.clusters.get(*problem).copied().unwrap_or(*problem);
        let clusters: Vec<&str> = pairs.problems.iter().map(cluster).collect();
        ratio_of_means(&pairs.mine, &pairs.theirs, &clusters)
    }

    /// Returns the ratio of an agent's score to a baseline's, on the problems that both have.
    pub(crate) fn ratio(&self, agent: &AgentScores<'a>, baseline: &AgentScores<'a>, score: &str) -> Ratio {
        self.ratio_of(&self.pairs(agent, baseline, score, |_| true))
    }
}

/// Two scores on each of the same problems.
pub(crate) struct Pairs<'a> {
    pub(crate) problems: Vec<&'a str>,
    pub(crate) mine: Vec<f64>,
    pub(crate) theirs: Vec<f64>,
}

impl<'a> Pairs<'a> {
    /// Pairs scores by problem, where both have one.
    pub(crate) fn of(mine: &[(&'a str, f64)], theirs: &[(&'a str, f64)]) -> Self {
        let theirs: HashMap<&str, f64> = theirs.iter().copied().collect();
        let mut pairs = Self { problems: Vec::new(), mine: Vec::new(), theirs: Vec::new() };
        for (problem, mine) in mine {
            if let Some(theirs) = theirs.get(problem) {
                pairs.problems.push(problem);
                pairs.mine.push(*mine);
                pairs.theirs.push(*theirs);
            }
        }
        pairs
    }
}

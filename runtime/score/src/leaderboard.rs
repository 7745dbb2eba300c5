//! The leaderboard: agents ranked by their aggregate score, as a table and as a file.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use jointly_core::{FUEL, Layout, ScoreName, Summary, paired_difference};
use jointly_record::plan::PlannedAgent;
use jointly_record::quantity;
use jointly_record::quantity::counted;
use jointly_regression::scores::NLL;

use crate::comparison::{Comparison, LEVEL};
use crate::leaderboard_columns::{AGENT, COMPARED, ENTRIES, FLOOR, MARKS, RANKS, TIER, names, of_score};
use crate::mark::Mark;
use crate::scores::{AgentScores, Scores};

/// The baseline of the papers.
const BASELINE: &str = "mlp";

/// The agent with which others are compared.
#[derive(Clone, Copy)]
pub struct Baseline<'a> {
    /// The baseline's scores.
    pub agent: &'a AgentScores<'a>,
    /// Whether it was chosen among variants by its score on the problems of the comparison.
    pub best_variant: bool,
}

/// The agents in order, and the scores that order them.
pub struct Leaderboard<'a> {
    pub(crate) scores: &'a Scores<'a>,
    pub(crate) names: Vec<ScoreName>,
    pub(crate) columns: Columns,
    pub(crate) order: Vec<Placed<'a>>,
    pub(crate) marks: OnceLock<Vec<Vec<Mark>>>,
}

/// The scores that the two tables show, and the one that ranks.
#[derive(Default)]
pub(crate) struct Columns {
    /// The score that ranks, if there is one.
    pub(crate) by: Option<ScoreName>,
    /// The columns of the first table.
    pub(crate) first: Vec<ScoreName>,
    /// The columns of the second table.
    pub(crate) second: Vec<ScoreName>,
}

impl Columns {
    fn new(layouts: &[Layout], names: &[ScoreName]) -> Self {
        let columns = |layout: &Layout| Self {
            by: layout.ranks(names),
            first: layout.first(names),
            second: layout.second(names),
        };
        Layout::of(layouts, names).map(columns).unwrap_or_default()
    }
}

/// An agent in its place on the leaderboard.
pub(crate) struct Placed<'a> {
    pub(crate) agent: &'a AgentScores<'a>,
    /// The mean of the score that ranks.
    mean: f64,
    /// Whether a problem has no value of that score.
    lacks: bool,
    pub(crate) rank: Option<usize>,
}

impl<'a> Placed<'a> {
    /// `most` is the largest number of problems on which an agent has the score that ranks.
    fn new(agent: &'a AgentScores<'a>, by: Option<ScoreName>, most: usize) -> Self {
        let summary = by.and_then(|by| agent.summary(&by));
        let fewer = summary.is_some_and(|summary| summary.problems < most);
        let lacks = fewer || by.is_some_and(|by| agent.lacks(by));
        Self { agent, mean: summary.map_or(f64::NAN, |summary| summary.mean), lacks, rank: None }
    }

    fn is_reference(&self) -> bool {
        self.agent.planned.is_reference()
    }

    /// Returns whether the mean is over every problem and a number, and the agent is no reference.
    pub(crate) fn ranks(&self) -> bool {
        self.agent.complete() && !self.lacks && !self.mean.is_nan() && !self.is_reference()
    }

    /// Returns the sorting key: references first, then ranked agents; agents without a rank are last, with NaN means
    /// behind all.
    fn key(&self) -> (bool, bool, bool, f64) {
        let mean = if self.mean.is_nan() { f64::INFINITY } else { self.mean };
        (!self.is_reference(), !self.ranks(), self.mean.is_nan(), mean)
    }

    /// Returns the rank, or the word that stands in its place for a reference.
    fn rank_text(&self, reference: &'static str) -> String {
        let without = if self.is_reference() { reference } else { "-" };
        self.rank.map_or_else(|| without.into(), |rank| rank.to_string())
    }
}

impl<'a> Leaderboard<'a> {
    /// Ranks by the score that the [layout](jointly_core::Layout) of the plan's kind names. Agents with equal means
    /// share a rank. References come first, without a rank. An agent without a score on every problem comes last,
    /// without a rank, because its mean is over other problems.
    pub fn new(scores: &'a Scores<'a>) -> Self {
        let names = scores.names();
        let columns = Columns::new((scores.plan.kind().layouts)(), &names);
        let by = columns.by;
        let problems = |agent: &AgentScores| Some(agent.summary(&by?)?.problems);
        let most = scores.agents.iter().filter_map(problems).max().unwrap_or(0);
        let mut order: Vec<Placed> = scores.agents.iter().map(|agent| Placed::new(agent, by, most)).collect();
        // Agents with equal means keep the plan's order.
        order.sort_by(|a, b| a.key().partial_cmp(&b.key()).unwrap_or(Ordering::Equal));
        let references = order.iter().filter(|placed| placed.is_reference()).count();
        for place in references..order.len() {
            order[place].rank = match order[references..place].last() {
                _ if !order[place].ranks() => None,
                Some(above) if above.mean == order[place].mean => above.rank,
                _ => Some(place - references + 1),
            };
        }
        Self { scores, names, columns, order, marks: OnceLock::new() }
    }

    /// Returns the name of the score that ranks, if any agent has one.
    pub fn ranked_by(&self) -> Option<ScoreName> {
        self.columns.by
    }

    /// Returns the name of the score that is compared problem by problem: the one that ranks, or the log-likelihood if
    /// the ranking score is over all simulations of a process and no single problem has it.
    pub fn compared_by(&self) -> Option<ScoreName> {
        let by = self.ranked_by()?;
        let has = |name: &ScoreName| self.scores.agents.iter().any(|agent| agent.totals().get(name).is_some());
        let likelihood = self.names.iter().find(|name| **name == *NLL);
        Some(likelihood.filter(|name| !has(&by) && has(name)).copied().unwrap_or(by))
    }

    /// Returns one table with all columns: a row of headings, then a row for each agent.
    pub fn to_rows(&self, baseline: Option<&str>) -> Vec<Vec<String>> {
        let rows = self.joint_table().into_iter().zip(self.other_table(baseline));
        rows.map(|(joint, other)| joint.into_iter().chain(other.into_iter().skip(1)).collect()).collect()
    }

    /// Describes the suite, the score that ranks, and the meaning of errors, in two lines.
    pub fn heading(&self, baseline: Option<&str>) -> String {
        let plan = self.scores.plan;
        let problems = counted(plan.problems.len(), "problem");
        let mut text = format!("{}, {problems}, seed {}{}", plan.suite, plan.seed, plan.overrides());
        if let Some(by) = &self.columns.by {
            let _ = write!(text, "; ranked by {by}, {} is better", by.better());
        }
        let compared = match self.baseline(baseline).zip(self.compared_by()) {
            Some((Baseline { agent, best_variant: true }, by)) => {
                let PlannedAgent { label, agent, .. } = agent.planned;
                format!("; vs is the difference in {by} to {label}, the best variant of {agent}, paired by problem")
            }
            Some((_, by)) => format!("; vs is the difference in {by}, paired by problem{}", self.stars(baseline)),
            None => String::new(),
        };
        let above = match self.floor().zip(self.compared_by()) {
            Some((floor, by)) => {
                let label = &floor.planned.label;
                let below = if self.scores.plan.kind().reference_is_bound { ", below 0 by chance or bias" } else { "" };
                let heading = self.above();
                format!("\n{heading} is the difference in {by} from {label}{below}")
            }
            None => String::new(),
        };
        let _ = write!(text, "\n{}{}{compared}{above}", self.scores.units().clause(), self.of_simulations());
        text += &self.of_acquisitions();
        text
    }

    /// Explains the mark of a significant difference, if any can be marked.
    fn stars(&self, baseline: Option<&str>) -> String {
        let tests = self.comparisons(baseline).iter().flatten().filter(|it| it.adjusted.is_some()).count();
        let (percent, unit) = (100.0 * LEVEL, self.scores.units().unit());
        match tests {
            0 => String::new(),
            1 => format!(", and * marks one that differs from 0 at the {percent} % level, by a t-test over {unit}s"),
            _ => format!(
                ", and * marks those that differ from 0 at the {percent} % level, by t-tests over {unit}s with Holm's \
                 correction for {tests}"
            ),
        }
    }

    /// Compares each agent, in order, with the baseline, if they differ and share a problem with scores.
    ///
    /// Tests exclude references, which have no rank, and agents that failed somewhere, whose failures select the
    /// problems of the comparison. Nothing is tested against a baseline that was chosen for its score on the same
    /// problems.
    pub fn comparisons(&self, baseline: Option<&str>) -> Vec<Option<Comparison>> {
        let compared = self.baseline(baseline).zip(self.compared_by());
        let difference = |placed: &Placed| {
            let (Baseline { agent: base, best_variant }, by) = compared?;
            let other = Some(placed.agent).filter(|agent| !std::ptr::eq(*agent, base))?;
            let tested = !best_variant && placed.ranks() && base.complete();
            Some((paired(other, base, &by)?, tested))
        };
        let differences: Vec<Option<(Summary, bool)>> = self.order.iter().map(difference).collect();
        let mut tested = Comparison::all(&differences.iter().flatten().copied().collect::<Vec<_>>()).into_iter();
        differences.iter().map(|difference| difference.and_then(|_| tested.next())).collect()
    }

    /// Explains the errors of scores that are over all simulations instead of means over problems.
    fn of_simulations(&self) -> &'static str {
        let any = self.scores.agents.iter().any(|agent| !agent.across.is_empty());
        if any { ", of Brier scores the jackknife's over simulations" } else { "" }
    }

    /// Says that means are over several acquisitions, if they are.
    fn of_acquisitions(&self) -> String {
        let mut used: Vec<&str> = Vec::new();
        for own in self.scores.plan.problems.iter().filter_map(|planned| planned.coordinates.acquisition.as_deref()) {
            if !used.contains(&own) {
                used.push(own);
            }
        }
        if used.len() < 2 {
            return String::new();
        }
        format!("\nmeans are over acquisitions too ({}); the page has each by itself", used.join(", "))
    }

    /// Returns the first table: rank, agent, and the suite's main scores; a row of headings, then a row for each agent.
    pub fn joint_table(&self) -> Vec<Vec<String>> {
        let joint = &self.columns.first;
        let mut rows = vec![vec!["#".to_owned(), "agent".to_owned()]];
        rows[0].extend(self.tiers().map(|_| "tier".to_owned()));
        rows[0].extend(joint.iter().map(ScoreName::to_string));
        rows[0].extend(self.floor().map(|_| self.above()));
        for (placed, marks) in self.order.iter().zip(self.marks()) {
            let agent = placed.agent;
            let mark = if marks.is_empty() { "" } else { "!" };
            let mut row = vec![placed.rank_text(self.reference()) + mark, agent.planned.label.clone()];
            row.extend(self.tiers().map(|tier| tier(agent.planned)));
            row.extend(joint.iter().map(|name| summary_text(agent.summary(name))));
            row.extend(self.floor().map(|_| summary_text(self.above_floor(agent))));
            rows.push(row);
        }
        rows
    }

    /// Returns the second table: the other scores, and the difference to the baseline; a row of headings, then a row
    /// for each agent.
    pub fn other_table(&self, baseline: Option<&str>) -> Vec<Vec<String>> {
        let compared = self.baseline(baseline).map(|baseline| baseline.agent).filter(|_| self.compared_by().is_some());
        let comparisons = self.comparisons(baseline);
        let marked = comparisons.iter().flatten().any(Comparison::is_significant);
        let mark = |significant: bool| match (marked, significant) {
            (true, true) => " *",
            // The padding keeps numbers aligned.
            (true, false) => "  ",
            (false, _) => "",
        };
        let mut rows = vec![vec!["agent".to_owned()]];
        rows[0].extend(self.columns.second.iter().map(ScoreName::to_string));
        if let Some(baseline) = compared {
            rows[0].push(format!("vs {}{}", baseline.planned.label, mark(false)));
        }
        for (Placed { agent, .. }, comparison) in self.order.iter().zip(comparisons) {
            let cell = |name: &ScoreName| if *name == *FUEL { cost(agent) } else { summary_text(agent.summary(name)) };
            let mut row = vec![agent.planned.label.clone()];
            row.extend(self.columns.second.iter().map(cell));
            if compared.is_some() {
                let significant = comparison.is_some_and(|comparison| comparison.is_significant());
                row.push(summary_text(comparison.map(|comparison| comparison.difference)) + mark(significant));
            }
            rows.push(row);
        }
        rows
    }

    /// Returns the agent to compare with: the one with that label, else `mlp`, the baseline of the papers, at its
    /// defaults or, if it took part only with other settings, its best variant. Agents choose their own names, so if
    /// several have that name, none of them becomes the baseline without a label.
    pub fn baseline(&self, label: Option<&str>) -> Option<Baseline<'a>> {
        let labelled = |label: &str| self.agents().find(|agent| agent.planned.label == label);
        if let Some(label) = label {
            return labelled(label).map(|agent| Baseline { agent, best_variant: false });
        }
        let variants: Vec<_> = self.agents().filter(|agent| agent.planned.agent == BASELINE).collect();
        let best = *variants.first()?;
        if variants.iter().any(|agent| agent.planned.digest != best.planned.digest) {
            return None;
        }
        match labelled(BASELINE) {
            Some(agent) => Some(Baseline { agent, best_variant: false }),
            None => Some(Baseline { agent: best, best_variant: variants.len() > 1 }),
        }
    }

    /// Returns the scores that the tables show, the main ones first.
    pub fn shown(&self) -> impl Iterator<Item = ScoreName> {
        self.columns.first.iter().chain(&self.columns.second).copied()
    }

    /// Returns the name of the units over which standard errors are taken.
    pub fn unit(&self) -> &'static str {
        self.scores.units().unit()
    }

    /// Returns the ranks as the tables show them, in the order of the leaderboard.
    pub fn ranks(&self) -> Vec<String> {
        self.order.iter().map(|placed| placed.rank_text(self.reference())).collect()
    }

    /// Returns the first reference, if one took part.
    fn floor(&self) -> Option<&'a AgentScores<'a>> {
        self.scores.agents.iter().find(|agent| agent.planned.is_reference())
    }

    /// Returns the word for the reference.
    fn reference(&self) -> &'static str {
        if self.scores.plan.kind().reference_is_bound { "floor" } else { "oracle" }
    }

    /// Returns the heading of the difference to the reference.
    fn above(&self) -> String {
        format!("above {}", self.reference())
    }

    /// Returns an agent's distance from the floor in the compared score, or `None` for the floor itself.
    fn above_floor(&self, agent: &AgentScores) -> Option<Summary> {
        let floor = self.floor().filter(|floor| !std::ptr::eq(*floor, agent))?;
        paired(agent, floor, &self.compared_by()?)
    }

    /// Returns the labels that `--baseline` may name.
    pub fn labels(&self) -> Vec<&str> {
        self.order.iter().map(|placed| placed.agent.planned.label.as_str()).collect()
    }

    /// Returns the agents in their order, the best first.
    pub fn agents(&self) -> impl Iterator<Item = &'a AgentScores<'a>> {
        self.order.iter().map(|placed| placed.agent)
    }

    /// Writes `leaderboard.csv`: a header, then one row for each agent. Numbers have 12 significant digits.
    pub fn to_csv(&self) -> String {
        csv(&self.header(), self.order.iter().map(|placed| self.row(placed)))
    }

    /// Writes `leaderboard.csv` with further columns: each agent's label, entries and entrants and, if there is a baseline,
    /// the paired difference to it with the p value of its test.
    pub fn to_csv_of_entries(&self, baseline: Option<&str>, entries: impl Fn(&str) -> [String; 2]) -> String {
        let mut header = self.header();
        header.extend(names(&ENTRIES));
        let compared = self.baseline(baseline).is_some() && self.compared_by().is_some();
        if compared {
            header.extend(names(&COMPARED));
        }
        header.extend(names(&RANKS).chain(names(&MARKS)));
        let intervals = self.rank_intervals();
        let compared_rows = self.order.iter().zip(self.comparisons(baseline)).enumerate();
        let rows = compared_rows.map(|(place, (placed, comparison))| {
            let mut row = self.row(placed);
            let label = &placed.agent.planned.label;
            let [entries, entrants] = entries(label);
            let of_entries: [String; ENTRIES.len()] = [label.clone(), entries, entrants];
            row.extend(of_entries);
            if compared {
                let [mean, stderr] = cells(comparison.map(|comparison| comparison.difference));
                let p = comparison.and_then(|comparison| comparison.adjusted).map(digits).unwrap_or_default();
                let of_comparison: [String; COMPARED.len()] = [mean, stderr, p];
                row.extend(of_comparison);
            }
            let interval = intervals.as_ref().and_then(|intervals| intervals.agents[place]);
            let of_ranks: [String; RANKS.len()] = interval.map_or_else(Default::default, |interval| {
                [interval.low.to_string(), interval.high.to_string(), digits(interval.first)]
            });
            row.extend(of_ranks);
            let marked: Vec<String> = self.marks()[place].iter().map(|mark| mark.score.to_string()).collect();
            let of_marks: [String; MARKS.len()] = [marked.join("; ")];
            row.extend(of_marks);
            row
        });
        csv(&header, rows)
    }

    /// Returns the text of an agent's tier, if agents of both tiers or only native agents took part: where all are
    /// components, the tier says nothing.
    fn tiers(&self) -> Option<impl Fn(&PlannedAgent) -> String> {
        let plan = self.scores.plan;
        let tier =
            |agent: &PlannedAgent| if agent.is_reference() { "-".to_owned() } else { plan.tier(agent).to_owned() };
        plan.native_agents().next().is_some().then_some(tier)
    }

    fn header(&self) -> Vec<String> {
        let mut header: Vec<String> = names(&AGENT).collect();
        header.extend(self.tiers().iter().flat_map(|_| names(&TIER)));
        header.extend(self.names.iter().flat_map(|name| of_score(*name)));
        header.extend(self.floor().iter().flat_map(|_| names(&FLOOR)));
        header
    }

    fn row(&self, placed: &Placed) -> Vec<String> {
        let agent = placed.agent;
        let planned = agent.planned;
        let settings = planned.settings.label("");
        let of_agent: [String; AGENT.len()] = [
            placed.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            planned.agent.clone(),
            settings.trim_start_matches(':').to_owned(),
            planned.digest.clone(),
            agent.totals().scored.to_string(),
            agent.totals().failed.to_string(),
        ];
        let mut row = of_agent.to_vec();
        row.extend(self.tiers().map(|tier| tier(planned)));
        row.extend(self.names.iter().flat_map(|name| cells(agent.summary(name))));
        row.extend(self.floor().iter().flat_map(|_| cells(self.above_floor(agent))));
        row
    }
}

/// Formats rows as comma-separated values, quoted where necessary.
fn csv(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(header).expect("memory takes all that is written");
    for row in rows {
        writer.write_record(row).expect("as many fields as the header has");
    }
    let bytes = writer.into_inner().expect("memory takes all that is written");
    String::from_utf8(bytes).expect("fields are text")
}

/// Formats a mean and its standard error as two fields, empty if there is none.
fn cells(summary: Option<Summary>) -> [String; 2] {
    summary.map_or([String::new(), String::new()], |summary| [digits(summary.mean), digits(summary.stderr)])
}

fn digits(x: f64) -> String {
    jointly_core::round_significant(x).to_string().to_lowercase()
}

/// Returns an agent's mean fuel, or the seconds of a native agent.
pub fn cost(agent: &AgentScores) -> String {
    match (agent.summary(FUEL), agent.seconds) {
        (Some(fuel), _) => quantity::count(fuel.mean),
        (None, Some(seconds)) => format!("{} s", quantity::number(seconds)),
        (None, None) => "-".to_owned(),
    }
}

fn summary_text(summary: Option<Summary>) -> String {
    summary.map_or("-".into(), |summary| quantity::with_error(summary.mean, summary.stderr))
}

/// Returns the difference over the problems on which both have scores.
pub(crate) fn paired<N: ?Sized>(agent: &AgentScores, baseline: &AgentScores, by: &N) -> Option<Summary>
where
    ScoreName: PartialEq<N>,
{
    let theirs: HashMap<&str, f64> =
        baseline.compared(by).map(|(problem, theirs)| (problem.problem.as_str(), theirs)).collect();
    let (mut clusters, mut values) = (Vec::new(), (Vec::new(), Vec::new()));
    for (problem, mine) in agent.compared(by) {
        if let Some(theirs) = theirs.get(problem.problem.as_str()) {
            clusters.push(problem.cluster());
            values.0.push(mine);
            values.1.push(*theirs);
        }
    }
    (!clusters.is_empty()).then(|| paired_difference(&values.0, &values.1, &clusters))
}

#[cfg(test)]
mod tests {
    use super::{Leaderboard, paired};
    use crate::invented::InventedScores as _;
    use jointly_record::invented::Got::Scored;
    use jointly_record::invented::{Got, InventedRun};
    use jointly_record::unit::Outcome;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];
    const FINE: [Got; 2] = [Scored(1.0), Scored(2.0)];

    fn run(agents: &[(&str, &[Got])]) -> InventedRun {
        InventedRun::new("quick", &PROBLEMS, agents)
    }

    #[test]
    fn a_native_agent_has_seconds_where_others_have_fuel() {
        let mut run = run(&[("mlp", &FINE), ("votes", &FINE)]);
        run.plan.agents[1].reported = Some("votes.py".into());
        for result in &mut run.results {
            if let ("votes", Outcome::Scored { fuel, .. }) = (&*result.agent, &mut result.outcome) {
                *fuel = None;
                result.seconds = Some(2.5);
            }
        }
        let costs = |run: &InventedRun| {
            let scores = run.scores();
            let table = Leaderboard::new(&scores).other_table(None);
            let column = table[0].iter().position(|name| name == "fuel").unwrap();
            table.iter().map(|row| row[column].clone()).collect::<Vec<_>>()
        };
        assert_eq!(costs(&run), ["fuel", "1.000", "2.500 s"]);
        run.results.iter_mut().for_each(|result| result.seconds = None);
        assert_eq!(costs(&run), ["fuel", "1.000", "-"]);
    }

    /// The mean of `votes` is the lower one, but over one problem of two.
    #[test]
    fn an_agent_with_the_ranking_score_on_fewer_problems_has_no_rank() {
        let mut run = run(&[("mlp", &FINE), ("votes", &FINE)]);
        let second = run.results.iter_mut().rfind(|result| result.agent == "votes").unwrap();
        let Outcome::Scored { scores, .. } = &mut second.outcome else { panic!("a scored unit") };
        scores.joint.clear();
        let scores = run.scores();
        let ranks: Vec<Option<usize>> = Leaderboard::new(&scores).order.iter().map(|placed| placed.rank).collect();
        assert_eq!(ranks, [Some(1), None]);
    }

    /// Returns the label of the agent that the others are compared with, and whether it is the best of several
    /// variants.
    fn baseline(agents: &[(&str, &[Got])], label: Option<&str>) -> Option<(String, bool)> {
        let run = run(agents);
        let scores = run.scores();
        let baseline = Leaderboard::new(&scores).baseline(label)?;
        Some((baseline.agent.planned.label.clone(), baseline.best_variant))
    }

    #[test]
    fn the_baseline_is_what_was_asked_for_else_mlp_else_its_best_variant() {
        let variants: [(&str, &[Got]); 3] = [("mlp:x=1", &FINE), ("mlp:x=2", &[Scored(0.5); 2]), ("prior", &FINE)];
        assert_eq!(baseline(&variants, Some("prior")), Some(("prior".into(), false)));
        assert_eq!(baseline(&variants, None), Some(("mlp:x=2".into(), true)));
        assert_eq!(baseline(&variants, Some("mlp:x=1")), Some(("mlp:x=1".into(), false)));
        assert_eq!(baseline(&variants[1..], None), Some(("mlp:x=2".into(), false)));
        assert_eq!(baseline(&variants[2..], None), None);
        assert_eq!(baseline(&[variants[0], variants[1], ("mlp", &FINE)], None), Some(("mlp".into(), false)));
        // Different bytes under the same name make the baseline ambiguous.
        let mut stranger = run(&[variants[0], variants[1], ("mlp", &FINE)]);
        stranger.plan.agents[1].digest = jointly_core::digest(b"other bytes");
        let scores = stranger.scores();
        let board = Leaderboard::new(&scores);
        assert!(board.baseline(None).is_none() && board.baseline(Some("mlp")).is_some());
        let run = run(&variants);
        let scores = run.scores();
        let board = Leaderboard::new(&scores);
        let (heading, table) = (board.heading(None), board.other_table(None));
        assert_eq!(table[0].last().unwrap(), "vs mlp:x=2");
        assert!(heading.contains("mlp:x=2, the best variant of mlp,"), "{heading}");
    }

    #[test]
    fn a_paired_difference_is_clustered_by_dataset() {
        let problems = ["iris/t1/seed0", "iris/t10/seed0", "mnist-t10k/t1/seed0", "mnist-t10k/t10/seed0"];
        let names = problems.map(|problem| format!("quick/real/{problem}"));
        let agents: [(&str, &[f64]); 2] = [("mlp", &[1.0; 4]), ("prior", &[2.5, 4.5, 6.5, 8.5])];
        let run = InventedRun::scored("quick/real", &names.each_ref().map(String::as_str), &agents);
        let scores = run.scores();
        let difference = paired(&scores.agents[1], &scores.agents[0], "nll_tau1").unwrap();
        // Differences 1.5, 3.5, 5.5 and 7.5: residuals sum to -4 and 4 by dataset.
        assert_eq!((difference.mean, difference.stderr, difference.clusters), (4.5, 2.0, 2));
    }
}

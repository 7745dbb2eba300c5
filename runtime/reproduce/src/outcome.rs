//! Outcomes of experiments: our numbers beside the published ones, with a verdict on each.

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use jointly_record::quantity;
use jointly_report::published_bars::{self, Compared, Number};
use jointly_report::scatter::Scatter;

use crate::asked;
use crate::association::{self, Associated, Interval, Scores};
use crate::experiments::Experiment;
use crate::kept::KeptRun;
use crate::manifest::{Association, Comparison, Manifest, Predictors, Published, Run, Side, Table};
use crate::statistic::{self, Statistic};
use crate::values::{Estimate, Units};
use crate::verdict::{Counts, Verdict};

/// How the cause of a difference begins that is not known.
pub(crate) const NOT_EXPLAINED: &str = "not explained";

/// A published number beside ours.
#[derive(Clone, Debug)]
pub struct Row {
    /// The agent's label, or the agent whose variants are correlated.
    pub agent: String,
    /// The published number.
    pub published: Published,
    /// Ours.
    pub ours: f64,
    /// The standard error of ours, NaN if it is not known.
    pub stderr: f64,
    /// The number of units that the standard error is over.
    pub units: usize,
    /// Whether they agree.
    pub verdict: Verdict,
    /// The cause of a difference, or why agreement says nothing.
    pub cause: Option<String>,
}

impl Row {
    fn number(&self) -> Number<'_> {
        let Self { agent, published, ours, stderr, .. } = self;
        let published = if let Published::Number(published, _) = published { Some(*published) } else { None };
        Number { agent, ours: *ours, stderr: *stderr, published }
    }
}

/// The title of a table, and its rows.
pub type Titled<'a> = (&'a str, Vec<Vec<String>>);

/// The outcome of an experiment.
pub struct Outcome<'e> {
    /// The experiment.
    pub experiment: &'e Experiment,
    /// Its runs, in the order of the manifest.
    pub runs: Vec<KeptRun>,
    /// The rows of each comparison, in the order of the manifest; none of one that failed.
    pub rows: Vec<Vec<Row>>,
    /// Why some comparisons failed.
    pub failures: Vec<String>,
}

impl<'e> Outcome<'e> {
    /// Compares the runs of an experiment with what was published, or returns `None` if some have no scores. Each run is
    /// read from its folder. A comparison whose agent, score or problems a run lacks is among the failures.
    ///
    /// # Errors
    /// When a run is another than the manifest's, or cannot be read.
    pub fn read<'f>(experiment: &'e Experiment, folder: impl Fn(&Run) -> &'f Path) -> Result<Option<Self>> {
        let manifest = &experiment.manifest;
        let mut runs = Vec::with_capacity(manifest.runs.len());
        for run in &manifest.runs {
            let found = asked::find(run, folder(run)).with_context(|| experiment.id.clone())?;
            let Some(kept) = found else { return Ok(None) };
            runs.push(kept);
        }
        for (place, run) in manifest.runs.iter().enumerate() {
            let Some(chosen) = &run.chosen else { continue };
            let (kept, sweep) = (&runs[place], self::run(manifest, &runs, Some(&chosen.by))?);
            let within = || format!("{}: {}", experiment.id, run.name);
            if chosen.per_setting {
                runs[place].chosen = asked::chosen_for_each_setting(kept, sweep, &chosen.score).with_context(within)?;
            } else {
                asked::check_chosen(kept, sweep, &chosen.score).with_context(within)?;
            }
        }
        let mut failures = Vec::new();
        let rows = manifest.comparisons.iter().map(|comparison| {
            let found = rows(manifest, comparison, &runs);
            let found = found.with_context(|| format!("{}: {}", experiment.id, comparison.title));
            found.unwrap_or_else(|error| {
                failures.push(format!("{error:#}"));
                Vec::new()
            })
        });
        let rows = rows.collect();
        Ok(Some(Self { experiment, runs, rows, failures }))
    }

    /// Counts the verdicts.
    pub fn counts(&self) -> Counts {
        let verdicts = self.rows.iter().flatten().map(|row| row.verdict);
        let mut counts = Counts::default();
        for verdict in verdicts {
            match verdict {
                Verdict::Reproduced => counts.reproduced += 1,
                Verdict::Uncertain => counts.uncertain += 1,
                Verdict::Fitted => counts.fitted += 1,
                Verdict::Differs => counts.differ += 1,
            }
        }
        counts
    }

    /// Returns why comparisons failed, and what the manifest says of a number that came out otherwise: a difference without a
    /// cause, or a cause without a difference.
    pub fn defects(&self) -> Vec<String> {
        let comparisons = self.experiment.manifest.comparisons.iter().zip(&self.rows);
        let each = comparisons.flat_map(|(comparison, rows)| rows.iter().map(move |row| (comparison, row)));
        let defects = each.filter_map(|(comparison, row)| {
            let what = match (row.verdict, &row.cause) {
                (Verdict::Differs, None) => "differs, and its manifest gives no cause",
                (Verdict::Reproduced, Some(_)) => "is reproduced, and its manifest gives a cause for a difference",
                _ => return None,
            };
            let (id, title, agent) = (&self.experiment.id, &comparison.title, &row.agent);
            Some(format!("{id}: {title}: {agent} ({}, published {}) {what}", row.shown(), row.published.shown()))
        });
        let mut defects: Vec<String> = self.failures.iter().cloned().chain(defects).collect();
        for (comparison, rows) in self.experiment.manifest.comparisons.iter().zip(&self.rows) {
            let shared = comparison.cause.get("*");
            if shared.is_some_and(|shared| !rows.iter().any(|row| row.cause.as_ref() == Some(shared))) {
                let (id, title) = (&self.experiment.id, &comparison.title);
                defects.push(format!(
                    "{id}: {title}: its manifest gives a cause for `*`, and every number that differs has its own"
                ));
            }
        }
        defects
    }

    /// Returns the titles and the rows of tables of ours alone, then of rank correlations, the headings as the first row, each
    /// an error if a run lacks an agent, score or problem of it.
    pub fn tables(&self) -> impl Iterator<Item = Result<Titled<'_>>> {
        let Manifest { tables, associations, .. } = &self.experiment.manifest;
        let id = &self.experiment.id;
        let tables = tables.iter().map(|table| (table.title.as_str(), self.table(table)));
        let associated = associations.iter().map(|own| (own.title.as_str(), self.associated(own)));
        let all = tables.chain(associated);
        all.map(move |(title, rows)| Ok((title, rows.with_context(|| format!("{id}: {title}"))?)))
    }

    fn associated(&self, association: &Association) -> Result<Vec<Vec<String>>> {
        let Predictors { scores, given, .. } = &association.with;
        let mut headings = vec!["problems".to_owned()];
        for own in scores {
            headings.push(own.clone());
            headings.extend(given.iter().filter(|given| *given != own).map(|given| format!("{own} given {given}")));
        }
        let mut rows = vec![headings];
        for pattern in patterns(&association.problems) {
            let mut cells = vec![pattern.map_or("all", bare).to_owned()];
            for score in scores {
                let found = self.correlated(association, pattern, score)?;
                cells.extend([Some(found.plain), found.given].into_iter().flatten().map(Interval::shown));
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    /// Computes the rank correlation with one of the other scores, on the problems of a row.
    fn correlated(&self, association: &Association, pattern: Option<&str>, score: &str) -> Result<Associated> {
        let (run, other) = self.runs_of(association)?;
        let labels = run.labels(&association.agents)?;
        let read = |score: &str| Scores::read(other, &labels, score, association.predictor_pattern(pattern));
        let given = association.with.given.as_deref().filter(|given| *given != score).map(read).transpose()?;
        let target = Scores::read(run, &labels, &association.score, pattern)?;
        association::associate(&target, &read(score)?, given.as_ref(), &format!("{}/{score}", association.title))
    }

    /// Draws the comparisons that ask for it as bars, then each rank correlation that asks for it as points, each picture as the
    /// contents of an SVG file.
    ///
    /// # Errors
    /// When a run lacks an agent, score or problem.
    pub fn pictures(&self) -> Result<Vec<String>> {
        let drawn = |association: &Association| self.picture(association).with_context(|| association.title.clone());
        self.bars().map(Ok).into_iter().chain(self.experiment.manifest.pictured().map(drawn)).collect()
    }

    fn bars(&self) -> Option<String> {
        let comparisons = self.experiment.manifest.comparisons.iter().zip(&self.rows);
        let panels = comparisons.filter(|(comparison, _)| comparison.picture).map(|(comparison, rows)| Compared {
            title: &comparison.title,
            axis: format!("{0} / {0} of {1}", comparison.score, comparison.over.as_deref().unwrap_or_default()),
            numbers: rows.iter().map(Row::number).collect(),
        });
        let panels: Vec<Compared> = panels.collect();
        (!panels.is_empty()).then(|| published_bars::to_svg(&panels))
    }

    fn picture(&self, association: &Association) -> Result<String> {
        let (run, other) = self.runs_of(association)?;
        let labels = run.labels(&association.agents)?;
        let pattern = patterns(&association.problems).first().copied().flatten();
        let across = association.with.scores.last().context("it has no scores to go with")?;
        let x = Scores::read(other, &labels, across, association.predictor_pattern(pattern))?.agent_means();
        let y = Scores::read(run, &labels, &association.score, pattern)?.agent_means();
        let found = self.correlated(association, pattern, across)?.plain;
        let note = format!("rank correlation, with an interval of 95 %: {}", found.shown());
        let points = labels.iter().zip(x).zip(y).map(|((label, x), y)| (*label, x, y)).collect();
        Ok(Scatter { title: &association.title, note: &note, across, upwards: &association.score, points }.to_svg())
    }

    fn runs_of(&self, association: &Association) -> Result<(&KeptRun, &KeptRun)> {
        let own = association.run.as_deref();
        Ok((self.run(own)?, self.run(association.with.run.as_deref().or(own))?))
    }

    fn table(&self, table: &Table) -> Result<Vec<Vec<String>>> {
        let run = self.run(table.run.as_deref())?;
        let patterns = patterns(&table.problems);
        let scores = table.scores.iter().map(String::as_str);
        let columns: Vec<(&str, Option<&str>)> =
            scores.flat_map(|score| patterns.iter().map(move |pattern| (score, *pattern))).collect();
        let prefix = if table.statistic == Statistic::Rank { "rank by " } else { "" };
        let headings = columns.iter().map(|(score, pattern)| format!("{prefix}{}", pattern.map_or(*score, bare)));
        let mut rows = vec![iter::once("agent".to_owned()).chain(headings).collect()];
        for label in run.labels(&table.agents)? {
            let mut cells = vec![label.to_owned()];
            for (score, pattern) in &columns {
                let found = if table.statistic == Statistic::Rank {
                    rank(&[run], label, score, *pattern, table.units)?
                } else {
                    statistic::mean(run, label, score, *pattern)?
                };
                cells.push(quantity::brief(found.value, found.stderr));
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    /// Returns the run of that name, or the only one.
    ///
    /// # Errors
    /// When there is no such run.
    pub(crate) fn run(&self, name: Option<&str>) -> Result<&KeptRun> {
        run(&self.experiment.manifest, &self.runs, name)
    }
}

impl Association {
    /// Returns the pattern of the predictor's problems in the row of a pattern.
    fn predictor_pattern<'a>(&'a self, own: Option<&'a str>) -> Option<&'a str> {
        if self.with.alike { own } else { self.with.problems.as_deref() }
    }
}

impl Row {
    /// Returns the agent, or `all` for a number over the variants of all.
    pub fn who(&self) -> &str {
        if self.agent == "*" { "all" } else { &self.agent }
    }

    /// Returns ours with its error.
    pub fn shown(&self) -> String {
        quantity::with_error(self.ours, self.stderr)
    }

    /// Returns ours less the published number and the standard error of both, or `None` if the paper only says on which side
    /// it lies.
    pub fn difference(&self) -> Option<(f64, f64)> {
        match self.published {
            Published::Number(published, error) => Some((self.ours - published, self.stderr.hypot(error))),
            Published::Below(_) | Published::Above(_) => None,
        }
    }
}

/// Returns the patterns of problems of a table's rows or columns: `None`, for all problems, if there are none.
fn patterns(given: &[String]) -> Vec<Option<&str>> {
    if given.is_empty() { vec![None] } else { given.iter().map(|pattern| Some(pattern.as_str())).collect() }
}

/// Returns a pattern of problems without the stars at its ends, as a heading.
fn bare(pattern: &str) -> &str {
    let start = pattern.strip_prefix("*/").unwrap_or(pattern);
    start.strip_suffix("/*").unwrap_or(start)
}

/// Names the agents of rows.
pub fn whose(rows: &[&Row]) -> String {
    rows.iter().map(|row| row.who()).collect::<Vec<_>>().join(", ")
}

/// Groups rows by their cause, in the order of the first row of each group.
pub fn by_cause<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<(Option<&'r str>, Vec<&'r Row>)> {
    let mut groups: Vec<(Option<&str>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let cause = row.cause.as_deref();
        match groups.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((cause, vec![row])),
        }
    }
    groups
}

fn run<'r>(manifest: &Manifest, runs: &'r [KeptRun], name: Option<&str>) -> Result<&'r KeptRun> {
    let name = &manifest.run(name)?.name;
    runs.iter().find(|run| run.name == *name).with_context(|| format!("there is no run {name}"))
}

/// Computes the rows of a comparison.
fn rows(manifest: &Manifest, comparison: &Comparison, runs: &[KeptRun]) -> Result<Vec<Row>> {
    let each = comparison.published.iter().map(|(agent, published)| {
        let Estimate { value, stderr, units } = ours(manifest, comparison, runs, agent)?;
        let ours = if comparison.negated { -value } else { value };
        ensure!(ours.is_finite(), "{agent} has {ours}");
        let judged = published.judge(comparison, Estimate { value: ours, stderr, units });
        let fitted = comparison.fitted.get(agent).filter(|_| judged == Verdict::Reproduced);
        let verdict = if fitted.is_some() { Verdict::Fitted } else { judged };
        let shared = || comparison.cause.get("*").filter(|_| verdict != Verdict::Reproduced);
        let cause = fitted.or_else(|| comparison.cause.get(agent)).or_else(shared).cloned();
        Ok(Row { agent: agent.clone(), published: *published, ours, stderr, units, verdict, cause })
    });
    each.collect()
}

fn ours(manifest: &Manifest, comparison: &Comparison, runs: &[KeptRun], agent: &str) -> Result<Estimate> {
    let of = run(manifest, runs, comparison.run.as_deref())?;
    let (score, problems) = (&comparison.score, comparison.problems.as_deref());
    let units = comparison.units.unwrap_or_default();
    let values = |agent: &str| of.values_over(units, agent, score, problems);
    match (&comparison.over, &comparison.with) {
        (Some(over), None) => statistic::compare(comparison.statistic, &values(agent)?, &values(over)?),
        (None, Some(side)) => {
            if comparison.statistic != Statistic::Difference {
                return correlated(comparison, &sides(manifest, comparison, runs, side)?, side, agent);
            }
            let other = run(manifest, runs, side.run.as_deref().or(comparison.run.as_deref()))?;
            let others = other.values(agent, &side.score, side.problems.as_deref())?;
            statistic::between(&values(agent)?, &others)
        }
        (None, None) if comparison.statistic == Statistic::Rank => {
            let others = comparison.also_runs.iter().map(|other| run(manifest, runs, Some(&other.run)));
            let all = iter::once(Ok(of)).chain(others).collect::<Result<Vec<_>>>()?;
            rank(&all, agent, score, problems, units)
        }
        (None, None) if comparison.statistic == Statistic::Mean && units != Units::Clusters => {
            Ok(values(agent)?.mean())
        }
        (None, None) if comparison.statistic == Statistic::Mean => {
            let Some(also) = &comparison.also else { return statistic::mean(of, agent, score, problems) };
            let others = run(manifest, runs, Some(&also.run))?.values(also.label(agent), score, None)?;
            Ok(values(agent)?.joined(others)?.stratified_mean())
        }
        _ => bail!("{} does not say what it compares", comparison.title),
    }
}

/// Returns the runs of a correlation's two sides, a pair for the first run and one for each further run.
///
/// # Errors
/// When a further run has other problems than the first.
fn sides<'r>(
    manifest: &Manifest,
    comparison: &Comparison,
    runs: &'r [KeptRun],
    side: &Side,
) -> Result<Vec<(&'r KeptRun, &'r KeptRun)>> {
    let of = |name: Option<&str>| run(manifest, runs, name);
    let own = comparison.run.as_deref();
    let first = (of(own)?, of(side.run.as_deref().or(own))?);
    let mut pairs = vec![first];
    for further in &comparison.also_runs {
        let own = Some(further.run.as_str());
        let pair = (of(own)?, of(further.with.as_deref().or(own))?);
        for (further, first, pattern) in
            [(pair.0, first.0, comparison.problems.as_deref()), (pair.1, first.1, side.problems.as_deref())]
        {
            let problems = |run: &KeptRun| run.problems(pattern);
            asked::check_same_problems((&further.name, &problems(further)?), (&first.name, &problems(first)?))?;
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Computes the correlation of a score with that of the other side over the variants of an agent, or over all agents (`*`), of all pairs
/// of runs.
fn correlated(comparison: &Comparison, sides: &[(&KeptRun, &KeptRun)], side: &Side, agent: &str) -> Result<Estimate> {
    let (mut labels, mut groups) = (Vec::new(), Vec::new());
    for (run, _) in sides {
        let own = statistic::variants(run, agent)?;
        if agent == "*" && !comparison.over_variants {
            groups.extend(run.agents().map(|(name, _)| name.to_owned()));
        } else {
            groups.extend(own.iter().map(|label| format!("{label} of {}", run.name)));
        }
        labels.push(own);
    }
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let each = || sides.iter().zip(&labels).map(|((run, other), labels)| (*run, *other, labels));
    let (score, problems) = (&comparison.score, comparison.problems.as_deref());
    let (other_score, other_problems) = (&side.score, side.problems.as_deref());
    if let Some(units) = comparison.units {
        let x = each().map(|(run, _, labels)| Scores::read_over(units, run, labels, score, problems));
        let y = each().map(|(_, other, labels)| Scores::read_over(units, other, labels, other_score, other_problems));
        let [x, y] = [Scores::joined(x.collect::<Result<_>>()?), Scores::joined(y.collect::<Result<_>>()?)];
        return association::correlation_over_problems(&x, &y, &groups);
    }
    let means = |run: &KeptRun, labels: &[&str], score: &str, problems: Option<&str>| -> Result<Vec<f64>> {
        labels.iter().map(|label| Ok(statistic::mean(run, label, score, problems)?.value)).collect()
    };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (run, other, labels) in each() {
        x.extend(means(run, labels, score, problems)?);
        if side.over_medians {
            let all = statistic::over_medians(other, other_score, other_problems)?;
            let of = |label: &&str| all.get(*label).copied().with_context(|| format!("{} has no {label}", other.name));
            y.extend(labels.iter().map(of).collect::<Result<Vec<f64>>>()?);
        } else {
            y.extend(means(other, labels, other_score, other_problems)?);
        }
    }
    statistic::correlation(&x, &y, &groups)
}

/// Computes an agent's mean rank among the agents of each run, averaged over the runs.
///
/// # Errors
/// When the runs have other agents or units than one another.
fn rank(runs: &[&KeptRun], agent: &str, score: &str, problems: Option<&str>, units: Units) -> Result<Estimate> {
    let labels = |run: &KeptRun| run.agents().map(|(_, label)| label.to_owned()).collect::<BTreeSet<_>>();
    let each = runs.iter().map(|run| {
        ensure!(labels(run) == labels(runs[0]), "{}", asked::other_agents(&runs[0].name, &run.name));
        let place = run.place(agent)?;
        let of = |label: &str| run.values_over(units, label, score, problems);
        let all = run.agents().map(|(_, label)| of(label)).collect::<Result<Vec<_>>>()?;
        Ok((run.name.as_str(), statistic::ranks(&all, place).with_context(|| run.name.clone())?))
    });
    statistic::mean_over_runs(&each.collect::<Result<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::Outcome;
    use crate::experiments::Experiment;
    use crate::kept::KeptRun;
    use crate::statistic::pearson;

    fn experiment(id: &str) -> Experiment {
        crate::find(id).unwrap().unwrap()
    }

    fn outcome(experiment: &Experiment) -> Outcome<'_> {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
        Outcome::read(experiment, |_| &results).unwrap().unwrap()
    }

    fn run<'o>(outcome: &'o Outcome, name: &str) -> &'o KeptRun {
        outcome.runs.iter().find(|run| run.name == name).unwrap()
    }

    /// Only this test finds a wrong pair, because the runs with draws have agents of the same labels.
    #[test]
    fn a_correlation_over_several_runs_pairs_each_with_its_own_other_side() {
        let experiment = experiment("correlations-figure-4-code");
        let outcome = outcome(&experiment);
        let (mut likelihoods, mut correlations) = (Vec::new(), Vec::new());
        for kind in ["exact", "draws-3", "draws-20", "draws-200"] {
            let selected = run(&outcome, &format!("regression/active-code-variants-{kind}"));
            let predicted = run(&outcome, &format!("regression/code-variants-{kind}"));
            for (_, label) in selected.agents() {
                let nll = selected.values(label, "oracle_nll_round1", Some("*/batch-mig")).unwrap().each;
                likelihoods.push(-nll.iter().sum::<f64>());
                correlations.push(predicted.values(label, "metacorrelation", None).unwrap().each.iter().sum::<f64>());
            }
        }
        assert_eq!(likelihoods.len(), 62);
        let (ours, expected) = (outcome.rows[0][0].ours, pearson(&likelihoods, &correlations));
        assert!((ours - expected).abs() < 1e-9, "{ours} {expected}");
    }

    #[test]
    fn an_average_rank_is_that_counted_table_by_table_and_run_by_run() {
        let experiment = experiment("correlations-table-4");
        let outcome = outcome(&experiment);
        let mut tables: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for own in &outcome.runs {
            let all: Vec<_> =
                own.agents().map(|(name, label)| (name, own.values(label, "nll_round10", None).unwrap())).collect();
            let (_, hmc) = all.iter().find(|(name, _)| *name == "hmc").unwrap();
            let mut ranks: BTreeMap<String, Vec<f64>> = BTreeMap::new();
            for (place, problem) in hmc.problems.iter().enumerate() {
                let own = hmc.each[place];
                assert_eq!(all.iter().filter(|(_, values)| values.each[place] == own).count(), 1, "no ties");
                let below = all.iter().filter(|(_, values)| values.each[place] < own).count();
                let table = problem.split('/').nth(2).unwrap().to_owned();
                ranks.entry(table).or_default().push(below as f64);
            }
            for (table, ranks) in ranks {
                tables.entry(table).or_default().push(ranks.iter().sum::<f64>() / ranks.len() as f64);
            }
        }
        let expected: f64 =
            tables.values().map(|ranks| ranks.iter().sum::<f64>() / outcome.runs.len() as f64).sum::<f64>()
                / tables.len() as f64;
        let average = experiment.manifest.comparisons.iter().position(|own| !own.also_runs.is_empty()).unwrap();
        let ours = outcome.rows[average].iter().find(|row| row.agent == "hmc").unwrap();
        assert_eq!((tables.len(), ours.units), (3, 3));
        assert!((ours.ours - expected).abs() < 1e-9, "{} {expected}", ours.ours);
    }

    #[test]
    fn a_picture_says_what_its_table_says() {
        let mut experiment = experiment("decisions-answer");
        let associations = &mut experiment.manifest.associations;
        associations.truncate(1);
        associations[0].problems.truncate(1);
        let outcome = outcome(&experiment);
        let pictures = outcome.pictures().unwrap();
        let cell = outcome.tables().last().unwrap().unwrap().1[1][2].clone();
        assert!(cell.contains(" to ") && pictures[0].contains(&cell), "{cell}: {}", pictures[0]);
    }
}

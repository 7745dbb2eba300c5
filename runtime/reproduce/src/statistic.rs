//! Statistics of scores, with their standard errors: what a paper's number is a mean, ratio or difference of.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use jointly_core::{Score, paired_difference, ratio_of_means, summarize_clusters};
use serde::{Deserialize, Serialize};

use crate::kept::KeptRun;
use crate::values::{Estimate, Values, different};

/// A statistic of a score over problems or agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The mean over problems.
    #[default]
    Mean,
    /// The mean over problems divided by another agent's.
    Ratio,
    /// The mean over problems of the difference to another agent, or to the same agent's score on other problems.
    Difference,
    /// The share of problems on which the score is below another agent's.
    Wins,
    /// The mean over clusters of the agent's rank among all agents of the run on each problem, 0 for the lowest score.
    Rank,
    /// Pearson's correlation between two scores over agents, each score being a mean over problems.
    Correlation,
}

impl Statistic {
    /// Returns whether it compares an agent with another, named by `over`.
    pub(crate) fn takes_over(self) -> bool {
        matches!(self, Self::Ratio | Self::Difference | Self::Wins)
    }

    /// Returns whether it has another side, described by `with`.
    pub(crate) fn takes_with(self) -> bool {
        matches!(self, Self::Correlation | Self::Difference)
    }
}

/// Computes a statistic of two agents' values on the same problems.
///
/// # Errors
/// When the two have other problems.
pub(crate) fn compare(statistic: Statistic, mine: &Values, theirs: &Values) -> Result<Estimate> {
    ensure!(mine.problems == theirs.problems, "the two agents have values on other problems");
    let (a, b, clusters) = (&mine.each, &theirs.each, &mine.clusters);
    let summary = match statistic {
        Statistic::Ratio => {
            let (value, stderr) = ratio_of_means(a, b, clusters);
            return Ok(Estimate { value, stderr, units: different(clusters.iter().map(String::as_str)) });
        }
        Statistic::Wins => {
            let wins: Vec<f64> = a.iter().zip(b).map(|(a, b)| f64::from(u8::from(a < b))).collect();
            summarize_clusters(&wins, clusters)
        }
        Statistic::Mean | Statistic::Difference | Statistic::Rank | Statistic::Correlation => {
            paired_difference(a, b, clusters)
        }
    };
    Ok(Estimate { value: summary.mean, stderr: summary.stderr, units: summary.clusters })
}

/// Computes the mean difference of an agent's values to those on other problems, which are of the same data: names differ
/// in their last part alone, as those of two acquisitions do.
///
/// # Errors
/// When the problems are of other data.
pub(crate) fn between(mine: &Values, others: &Values) -> Result<Estimate> {
    let data = |values: &Values| -> Vec<String> {
        let without_last = |name: &String| name.rsplit_once('/').map_or(name.as_str(), |(data, _)| data).to_owned();
        values.problems.iter().map(without_last).collect()
    };
    ensure!(data(mine) == data(others), "the two sides have problems of other data: names may differ in the last part");
    let summary = paired_difference(&mine.each, &others.each, &mine.clusters);
    Ok(Estimate { value: summary.mean, stderr: summary.stderr, units: summary.clusters })
}

/// Replaces the values of the agent at `place` by its ranks among all agents' values.
///
/// # Formula
/// The rank is the number of agents with a lower value, and half of the number of others with the same.
///
/// # Errors
/// When an agent has values on other problems, or one that is NaN.
pub(crate) fn ranks(all: &[Values], place: usize) -> Result<Values> {
    let mine = &all[place];
    ensure!(all.iter().all(|values| values.problems == mine.problems), "agents have values on other problems");
    ensure!(all.iter().flat_map(|values| &values.each).all(|value| !value.is_nan()), "an agent's value is no number");
    let rank = |problem: usize| {
        let own = mine.each[problem];
        let others = all.iter().map(|values| values.each[problem]);
        let (below, same) = others.fold((0.0, 0.0), |(below, same), other| {
            (below + f64::from(u8::from(other < own)), same + f64::from(u8::from(other == own)))
        });
        below + (same - 1.0) / 2.0
    };
    let each = (0..mine.each.len()).map(rank).collect();
    Ok(Values { problems: mine.problems.clone(), clusters: mine.clusters.clone(), each })
}

/// Computes the mean over clusters, each of which counts alike, of the mean over runs.
///
/// # Formula
/// m = (1 / C) sum `m_c`, with `m_c` the mean over runs of a run's mean on the cluster c, and the standard error
/// sqrt(sum (`m_c` - m)^2 / (C (C - 1))): runs of the same data are not independent, so that clusters alone are units.
///
/// # Errors
/// When a run, which is given with its name, lacks a cluster that another has.
pub(crate) fn mean_over_runs(runs: &[(&str, Values)]) -> Result<Estimate> {
    let mut clusters: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (cluster, mean) in runs.iter().flat_map(|(_, values)| values.cluster_means()) {
        clusters.entry(cluster).or_default().push(mean);
    }
    for (run, values) in runs {
        let own = values.by_cluster();
        if let Some(lacking) = clusters.keys().find(|cluster| !own.contains_key(*cluster)) {
            bail!("{run} lacks {lacking}, which another run has: narrow `problems` until all have the same");
        }
    }
    let means: Vec<f64> = clusters.values().map(|means| Score::of(means).mean).collect();
    let Score { mean, stderr, .. } = Score::of(&means);
    Ok(Estimate { value: mean, stderr, units: means.len() })
}

/// Computes the mean of an agent's score, over all problems or those that match a pattern.
///
/// # Errors
/// When the run has no such agent, score or problem.
pub(crate) fn mean(run: &KeptRun, agent: &str, score: &str, problems: Option<&str>) -> Result<Estimate> {
    let Some(pattern) = problems else { return run.total(agent, score) };
    Ok(run.values(agent, score, Some(pattern))?.mean())
}

/// Computes Pearson's correlation of two lists.
///
/// # Formula
/// r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2) over all pairs. Its standard error is the
/// jackknife's over n groups, sqrt((n - 1) / n sum (r_i - mean r_i)^2) with r_i that without the pairs of group i: it tells
/// where r rests on one group.
///
/// # Errors
/// With fewer than four groups.
pub(crate) fn correlation(x: &[f64], y: &[f64], groups: &[&str]) -> Result<Estimate> {
    let names: BTreeSet<&str> = groups.iter().copied().collect();
    let same = x.len() == y.len() && x.len() == groups.len();
    ensure!(same && names.len() > 3, "a correlation needs four agents or more, and {} match", names.len());
    let without = |values: &[f64], name: &str| -> Vec<f64> {
        let others = values.iter().zip(groups).filter(|(_, group)| **group != name);
        others.map(|(value, _)| *value).collect()
    };
    let others: Vec<f64> = names.iter().map(|name| pearson(&without(x, name), &without(y, name))).collect();
    Ok(Estimate { value: pearson(x, y), stderr: jackknife_variance(&others).sqrt(), units: names.len() })
}

/// Computes the jackknife's variance of a statistic from its values without one unit each: (n - 1) / n sum (r_i - mean r_i)^2.
pub(crate) fn jackknife_variance(without: &[f64]) -> f64 {
    let n = without.len() as f64;
    let mean = without.iter().sum::<f64>() / n;
    (n - 1.0) / n * without.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>()
}

/// Returns Pearson's correlation; NaN if all numbers of a list are equal.
pub(crate) fn pearson(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let centred = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n;
        values.iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let (x, y) = (centred(x), centred(y));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(&x, &y) / (product(&x, &x) * product(&y, &y)).sqrt()
}

/// Computes, for each agent, the mean over clusters of problems of its mean on the cluster, divided by the median of the
/// agents' means there.
///
/// # Errors
/// When an agent has no value on some problem.
pub(crate) fn over_medians<'r>(
    run: &'r KeptRun,
    score: &str,
    problems: Option<&str>,
) -> Result<BTreeMap<&'r str, f64>> {
    let values = run.agents().map(|(_, label)| Ok((label, run.values(label, score, problems)?)));
    Ok(of_medians(values.collect::<Result<_>>()?))
}

/// Computes [`over_medians`] of the values of each agent.
fn of_medians(agents: Vec<(&str, Values)>) -> BTreeMap<&str, f64> {
    let mut clusters: BTreeMap<String, Vec<(&str, f64)>> = BTreeMap::new();
    for (label, values) in agents {
        for (cluster, mean) in values.cluster_means() {
            clusters.entry(cluster.to_owned()).or_default().push((label, mean));
        }
    }
    let mut means: BTreeMap<&str, f64> = BTreeMap::new();
    let count = clusters.len() as f64;
    for agents in clusters.into_values() {
        let middle = median(agents.iter().map(|(_, mean)| *mean).collect());
        for (label, mean) in agents {
            *means.entry(label).or_default() += mean / middle / count;
        }
    }
    means
}

/// Returns the median, the mean of the two in the middle of an even number.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// Returns the labels of the agents that a correlation's key stands for: `*` for all, else the variants of an agent.
///
/// # Errors
/// When there are none.
pub(crate) fn variants<'r>(run: &'r KeptRun, key: &str) -> Result<Vec<&'r str>> {
    let agents = run.agents().filter(|(agent, _)| key == "*" || *agent == key);
    let labels: Vec<&str> = agents.map(|(_, label)| label).collect();
    (!labels.is_empty()).then_some(labels).with_context(|| format!("{} has no agent {key}", run.name))
}

#[cfg(test)]
mod tests {
    use super::{Statistic, between, compare, correlation, mean_over_runs, of_medians, ranks};
    use crate::values::Values;

    fn values(values: &[f64]) -> Values {
        let names: Vec<String> = (0..values.len()).map(|place| format!("p{place}")).collect();
        Values { problems: names.clone(), clusters: names, each: values.to_vec() }
    }

    #[test]
    fn statistics_of_two_agents_are_those_on_paper() {
        let (a, b) = (values(&[1.0, 5.0]), values(&[1.0, 3.0]));
        // R = 3 / 2, residuals -1/4 and 1/4; differences 0 and 2; below on none of two.
        let of = |statistic| compare(statistic, &a, &b).unwrap();
        assert_eq!((of(Statistic::Ratio).value, of(Statistic::Ratio).stderr), (1.5, 0.25));
        assert_eq!((of(Statistic::Difference).value, of(Statistic::Difference).stderr), (1.0, 1.0));
        assert_eq!(of(Statistic::Wins).value, 0.0);
        assert_eq!(compare(Statistic::Wins, &b, &a).unwrap().value, 0.5);
        assert!(compare(Statistic::Ratio, &a, &values(&[1.0])).is_err());
    }

    #[test]
    fn a_difference_between_problems_pairs_those_of_the_same_data() {
        let named = |last: &str, each: &[f64]| {
            let problems = (0..each.len()).map(|place| format!("set{place}/{last}")).collect();
            Values { problems, ..values(each) }
        };
        // Differences -1 and -3: mean -2, standard error 1.
        let found = between(&named("mig", &[1.0, 2.0]), &named("random", &[2.0, 5.0])).unwrap();
        assert_eq!((found.value, found.stderr), (-2.0, 1.0));
        assert!(between(&named("mig", &[1.0, 2.0]), &named("random", &[2.0])).is_err());
    }

    #[test]
    fn ranks_count_the_agents_below_and_share_ties() {
        let all = [values(&[1.0, 5.0]), values(&[3.0, 5.0]), values(&[2.0, 0.0])];
        assert_eq!(ranks(&all, 0).unwrap().each, [0.0, 1.5]);
        assert_eq!(ranks(&all, 1).unwrap().each, [2.0, 1.5]);
        assert_eq!(ranks(&all, 2).unwrap().each, [1.0, 0.0]);
        assert!(ranks(&[values(&[1.0]), values(&[1.0, 2.0])], 0).is_err());
        assert!(ranks(&[values(&[1.0]), values(&[f64::NAN])], 0).is_err());
    }

    /// In the first run x has the mean 2 (of 1 and 3) and y 4, in the second x 4 and y 6: 3 and 5, whose mean is 4 with the error 1.
    #[test]
    fn runs_and_clusters_count_alike() {
        let of = |each: &[f64], clusters: &[&str]| {
            let clusters = clusters.iter().map(|name| (*name).to_owned()).collect();
            Values { clusters, ..values(each) }
        };
        let first = || of(&[1.0, 4.0, 3.0], &["x", "y", "x"]);
        let found = mean_over_runs(&[("a", first()), ("b", of(&[4.0, 6.0], &["x", "y"]))]).unwrap();
        assert_eq!((found.value, found.stderr, found.units), (4.0, 1.0, 2));
        let alone = mean_over_runs(&[("a", first())]).unwrap();
        assert_eq!((alone.value, alone.stderr, alone.units), (3.0, 1.0, 2));
        let lacks = mean_over_runs(&[("a", first()), ("b", of(&[4.0], &["x"]))]).unwrap_err().to_string();
        assert!(lacks.contains("b lacks y"), "{lacks}");
    }

    /// The means on the first cluster are 1, 2 and 4, whose median is 2, and on the second 3, 6 and 9, whose median is 6.
    #[test]
    fn clusters_count_alike_over_their_medians() {
        let of = |label, each: [f64; 3]| {
            let clusters = ["x", "y", "y"].map(str::to_owned).to_vec();
            (label, Values { clusters, ..values(&each) })
        };
        let found = of_medians(vec![of("a", [1.0, 2.0, 4.0]), of("b", [2.0, 6.0, 6.0]), of("c", [4.0, 9.0, 9.0])]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [("a", 0.5), ("b", 1.0), ("c", 1.75)]);
    }

    /// The clusters x (1 and 3) and y (4 and 6), and the other run's z (8 and 9), have the means 2, 5 and 8.5 with the standard errors
    /// 1, 1 and .5.
    #[test]
    fn a_mean_over_two_runs_weighs_clusters_alike() {
        let of = |each: &[f64], clusters: &[&str]| {
            let clusters = clusters.iter().map(|name| (*name).to_owned()).collect();
            Values { clusters, ..values(each) }
        };
        let own = || of(&[1.0, 4.0, 3.0, 6.0], &["x", "y", "x", "y"]);
        let found = own().joined(of(&[8.0, 9.0], &["z", "z"])).unwrap().stratified_mean();
        assert!((found.value - 15.5 / 3.0).abs() < 1e-12 && (found.stderr - 0.5).abs() < 1e-12, "{found:?}");
        assert_eq!(found.units, 4, "three degrees of freedom");
        assert!(own().joined(of(&[8.0], &["z"])).unwrap().stratified_mean().stderr.is_nan());
        assert!(own().joined(of(&[7.0], &["y"])).is_err());
    }

    #[test]
    fn a_correlation_is_that_on_paper() {
        // x - mean = (-1.5, -.5, .5, 1.5), y - mean = (-1, -1, -1, 3): r = 6 / sqrt(5 * 12). Without the last pair y does not
        // vary, and there is no correlation.
        let each = ["a", "b", "c", "d"];
        let found = correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 1.0, 5.0], &each).unwrap();
        assert!((found.value - 6.0 / 60.0_f64.sqrt()).abs() < 1e-15 && found.stderr.is_nan(), "{found:?}");
        // Corners of a square: r = 0, and without one of them the other three give -.5, .5, .5 and -.5.
        let found = correlation(&[0.0, 0.0, 1.0, 1.0], &[0.0, 1.0, 0.0, 1.0], &each).unwrap();
        assert!(found.value == 0.0 && (found.stderr - (0.75_f64).sqrt()).abs() < 1e-15, "{found:?}");
        // The same corners twice, as variants of four agents, have the same r and error.
        let twice = |values: [f64; 4]| [values, values].concat();
        let found = correlation(&twice([0.0, 0.0, 1.0, 1.0]), &twice([0.0, 1.0, 0.0, 1.0]), &[each, each].concat());
        let found = found.unwrap();
        assert!(found.value == 0.0 && (found.stderr - (0.75_f64).sqrt()).abs() < 1e-15, "{found:?}");
        assert!(found.units == 4 && correlation(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], &each[..3]).is_err());
    }
}

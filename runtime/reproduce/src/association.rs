//! Rank correlations over agents between one score and others, with intervals by the bootstrap over agents and problems.

use anyhow::{Result, ensure};
use jointly_core::correlations::mean_ranks;
use jointly_core::pick::below;
use jointly_core::stream::{Stream, stream};

use crate::kept::KeptRun;
use crate::statistic::pearson;
use crate::values::Values;

/// The number of bootstrap samples.
const SAMPLES: usize = 2000;
/// The shares of bootstrap samples below the two ends of an interval.
const ENDS: [f64; 2] = [0.025, 0.975];
/// The fewest agents.
pub(crate) const FEWEST: usize = 4;

/// A score of several agents: the sum and the number of each agent's values by cluster of problems.
pub(crate) struct Scores {
    /// The names of the clusters.
    clusters: Vec<String>,
    /// One row an agent, one pair a cluster.
    agents: Vec<Vec<(f64, f64)>>,
}

/// A number with an interval that the bootstrap gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The rank correlation of two scores of agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Associated {
    /// Spearman's rank correlation.
    pub(crate) plain: Interval,
    /// The partial rank correlation, given a third score.
    pub(crate) given: Option<Interval>,
}

impl Interval {
    /// Returns the text in tables. There is no partial correlation given a score that ranks agents as the predictor does.
    pub(crate) fn shown(self) -> String {
        if self.value.is_nan() {
            return "none".to_owned();
        }
        format!("{:.2} ({:.2} to {:.2})", self.value, self.low, self.high)
    }
}

impl Scores {
    /// Reads a score of agents on the problems that match a pattern.
    ///
    /// # Errors
    /// When an agent lacks it on a problem, or has it on other problems than the first agent, or it is NaN.
    pub(crate) fn read(run: &KeptRun, labels: &[&str], score: &str, problems: Option<&str>) -> Result<Self> {
        let values = labels.iter().map(|label| run.values(label, score, problems));
        Self::of(&values.collect::<Result<Vec<Values>>>()?)
    }

    fn of(values: &[Values]) -> Result<Self> {
        let same = values.windows(2).all(|pair| pair[0].problems == pair[1].problems);
        ensure!(same, "agents have values on other problems than one another");
        ensure!(values.iter().flat_map(|own| &own.each).all(|value| !value.is_nan()), "an agent's value is no number");
        let names = |own: &Values| own.by_cluster().into_keys().map(str::to_owned).collect();
        let sums = |own: &Values| {
            own.by_cluster().values().map(|each| (each.iter().sum::<f64>(), each.len() as f64)).collect()
        };
        Ok(Self { clusters: values.first().map(names).unwrap_or_default(), agents: values.iter().map(sums).collect() })
    }

    /// Returns the mean of each agent.
    pub(crate) fn agent_means(&self) -> Vec<f64> {
        let all = |count: usize| (0..count).collect::<Vec<usize>>();
        self.means(&all(self.agents.len()), &all(self.clusters.len()))
    }

    /// Returns the mean of some agents over some clusters, each as often as it is named.
    fn means(&self, agents: &[usize], clusters: &[usize]) -> Vec<f64> {
        let mean = |agent: &usize| {
            let own = &self.agents[*agent];
            let add = |(sum, count): (f64, f64), cluster: &usize| (sum + own[*cluster].0, count + own[*cluster].1);
            let (sum, count) = clusters.iter().fold((0.0, 0.0), add);
            sum / count
        };
        agents.iter().map(mean).collect()
    }
}

/// Computes the rank correlation over agents of a target with a predictor, and that given a third score of the predictor's
/// problems.
///
/// # Formula
/// Spearman's r is Pearson's correlation of ranks, ties having their mean rank, of the agents' mean scores. The partial
/// correlation given z is (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)). The interval is from the 2.5th to the 97.5th
/// percentile of 2000 bootstrap samples. A sample has as many agents, clusters of the target's problems and clusters of the
/// predictor's problems, each drawn with replacement, together if they are the same clusters; samples without a correlation, in
/// which all agents are equal, are left out.
///
/// # Errors
/// With fewer than four agents.
pub(crate) fn associate(target: &Scores, predictor: &Scores, given: Option<&Scores>, name: &str) -> Result<Associated> {
    let agents = target.agents.len();
    ensure!(agents >= FEWEST, "a rank correlation needs {FEWEST} agents or more, and there are {agents}");
    let mut source = stream(0, "association", name, 0);
    let correlations = |agents: &[usize], of_target: &[usize], of_predictor: &[usize]| {
        let (x, y) = (mean_ranks(&target.means(agents, of_target)), mean_ranks(&predictor.means(agents, of_predictor)));
        let plain = pearson(&x, &y);
        let partial = given.map(|given| {
            let z = mean_ranks(&given.means(agents, of_predictor));
            let (xz, yz) = (pearson(&x, &z), pearson(&y, &z));
            (plain - xz * yz) / ((1.0 - xz * xz) * (1.0 - yz * yz)).sqrt()
        });
        (plain, partial)
    };
    let all = |count: usize| (0..count).collect::<Vec<usize>>();
    let (of_target, of_predictor) = (target.clusters.len(), predictor.clusters.len());
    let own = correlations(&all(agents), &all(of_target), &all(of_predictor));
    let (mut plain, mut partial) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let [agents, ours, theirs] = [agents, of_target, of_predictor].map(|count| resampled(count, &mut source));
        let theirs = if target.clusters == predictor.clusters { &ours } else { &theirs };
        let (one, other) = correlations(&agents, &ours, theirs);
        plain.extend(Some(one).filter(|r| r.is_finite()));
        partial.extend(other.filter(|r| r.is_finite()));
    }
    Ok(Associated { plain: interval(own.0, plain), given: own.1.map(|value| interval(value, partial)) })
}

fn resampled(count: usize, source: &mut Stream) -> Vec<usize> {
    (0..count).map(|_| below(count, source)).collect()
}

fn interval(value: f64, mut samples: Vec<f64>) -> Interval {
    samples.sort_by(f64::total_cmp);
    let end = |share: f64| match samples.len() {
        0 => f64::NAN,
        count => samples[((share * count as f64) as usize).min(count - 1)],
    };
    Interval { value, low: end(ENDS[0]), high: end(ENDS[1]) }
}

#[cfg(test)]
mod tests {
    use super::{Scores, associate};
    use crate::values::Values;
    use jointly_core::stream::stream;

    /// Scores of agents on three problems that differ by cluster alone.
    fn scores(of_agents: &[f64]) -> Scores {
        let each = |own: &f64| Values {
            problems: ["a", "b", "c"].map(str::to_owned).to_vec(),
            clusters: ["x", "x", "y"].map(str::to_owned).to_vec(),
            each: vec![*own, own + 1.0, own + 5.0],
        };
        Scores::of(&of_agents.iter().map(each).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_correlation_is_that_on_paper() {
        // Ranks 0 1 2 3 4 against 1 0 3 2 4: 1 - 6 x 4 / (5 x 24) = .8.
        let (x, y) = (scores(&[1.0, 2.0, 3.0, 4.0, 50.0]), scores(&[0.2, 0.1, 0.4, 0.3, 0.5]));
        let found = associate(&x, &y, None, "test").unwrap();
        assert!((found.plain.value - 0.8).abs() < 1e-12 && found.given.is_none(), "{found:?}");
        assert!(found.plain.low < 0.8 && found.plain.high <= 1.0 + 1e-12, "{found:?}");
        // Given z with ranks 0 1 2 4 3: r_xz = .9, r_yz = 1 - 6 x 8 / 120 = .6.
        let z = scores(&[1.0, 2.0, 3.0, 5.0, 4.0]);
        let partial = associate(&x, &y, Some(&z), "test").unwrap().given.unwrap().value;
        let expected = (0.8 - 0.9 * 0.6) / ((1.0 - 0.81_f64) * (1.0 - 0.36)).sqrt();
        assert!((partial - expected).abs() < 1e-12, "{partial} {expected}");
        assert!(associate(&scores(&[1.0, 2.0, 3.0]), &scores(&[1.0, 2.0, 3.0]), None, "test").is_err());
    }

    /// The scores of twenty agents are drawn independently, so their rank correlation is 0. The interval contains 0 about as
    /// often as it claims.
    #[test]
    fn an_interval_covers_no_correlation_about_as_often_as_it_says() {
        let mut covered = 0;
        for trial in 0..60 {
            let mut source = stream(3, "test", "association", trial);
            let mut drawn = || scores(&(0..20).map(|_| source.normal()).collect::<Vec<f64>>());
            let found = associate(&drawn(), &drawn(), None, "test").unwrap().plain;
            covered += usize::from(found.low <= 0.0 && 0.0 <= found.high);
        }
        assert!((52..=60).contains(&covered), "{covered} of 60");
    }
}

//! Correlations over agents between one score and others, with errors over agents and problems: rank correlations with
//! intervals by the bootstrap, and Pearson's with a standard error by the jackknife.

use anyhow::{Result, ensure};
use jointly_core::correlations::mean_ranks;
use jointly_core::pick::below;
use jointly_core::stream::{Stream, stream};

use crate::kept::KeptRun;
use crate::statistic::{correlation, jackknife_variance, pearson};
use crate::values::{Estimate, Units, Values};

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
        Self::read_over(Units::Clusters, run, labels, score, problems)
    }

    /// Reads a score as [`Scores::read`], its clusters being the units of a standard error.
    ///
    /// # Errors
    /// As [`Scores::read`] and [`KeptRun::values_over`].
    pub(crate) fn read_over(
        units: Units,
        run: &KeptRun,
        labels: &[&str],
        score: &str,
        problems: Option<&str>,
    ) -> Result<Self> {
        let values = labels.iter().map(|label| run.values_over(units, label, score, problems));
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

    /// Joins the agents of several runs on the same problems.
    pub(crate) fn joined(runs: Vec<Self>) -> Self {
        let clusters = runs.first().map(|first| first.clusters.clone()).unwrap_or_default();
        Self { clusters, agents: runs.into_iter().flat_map(|run| run.agents).collect() }
    }

    /// Returns the mean of each agent.
    pub(crate) fn agent_means(&self) -> Vec<f64> {
        self.agent_means_without(None)
    }

    /// Returns the mean of each agent, without one cluster if there is one to leave out.
    fn agent_means_without(&self, left_out: Option<usize>) -> Vec<f64> {
        let agents: Vec<usize> = (0..self.agents.len()).collect();
        let clusters: Vec<usize> = (0..self.clusters.len()).filter(|cluster| Some(*cluster) != left_out).collect();
        self.means(&agents, &clusters)
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

/// Computes Pearson's correlation of two scores over agents, with a standard error over agents and problems.
///
/// # Formula
/// s^2 = s_a^2 + s_x^2 + s_y^2, where s_a is the error over agents of [`correlation`] and s_x^2 = (n - 1) / n sum (r_i - mean r_i)^2 over the
/// n clusters of x, r_i being the correlation without cluster i; s_y likewise. If both sides have the same clusters, each is left
/// out on both sides, and there is one such term. The interaction of agents and problems counts in each term, so that s is rather
/// too large. There are as many units as agents or clusters of a side, whichever are fewest: no term has fewer degrees of freedom.
///
/// # Errors
/// With fewer than four agents or two clusters on a side, or when the sides share some of their clusters and not all.
pub(crate) fn correlation_over_problems(x: &Scores, y: &Scores, agents: &[&str]) -> Result<Estimate> {
    let of_agents = correlation(&x.agent_means(), &y.agent_means(), agents)?;
    let fewest = x.clusters.len().min(y.clusters.len());
    ensure!(
        fewest > 1,
        "an error over problems needs two units or more on each side, and one has {fewest}: leave out `units` for an error over \
         agents alone"
    );
    let shared = x.clusters.iter().filter(|cluster| y.clusters.contains(cluster)).count();
    let alike = x.clusters == y.clusters;
    ensure!(
        alike || shared == 0,
        "the two sides share {shared} of their {} and {} units: narrow `problems` until they share all or none",
        x.clusters.len(),
        y.clusters.len()
    );
    let without =
        |own: Option<usize>, other: Option<usize>| pearson(&x.agent_means_without(own), &y.agent_means_without(other));
    let of_problems = if alike {
        let of_both: Vec<f64> = (0..x.clusters.len()).map(|cluster| without(Some(cluster), Some(cluster))).collect();
        jackknife_variance(&of_both)
    } else {
        let of_x: Vec<f64> = (0..x.clusters.len()).map(|cluster| without(Some(cluster), None)).collect();
        let of_y: Vec<f64> = (0..y.clusters.len()).map(|cluster| without(None, Some(cluster))).collect();
        jackknife_variance(&of_x) + jackknife_variance(&of_y)
    };
    let stderr = (of_agents.stderr.powi(2) + of_problems).sqrt();
    Ok(Estimate { stderr, units: of_agents.units.min(fewest), ..of_agents })
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
    use super::{Scores, associate, correlation_over_problems};
    use crate::statistic::{correlation, pearson};
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

    const X: [[f64; 3]; 4] = [[1.0, 4.0, 2.0], [0.0, 3.0, 5.0], [7.0, 1.0, 1.0], [2.0, 8.0, 6.0]];
    const Y: [[f64; 3]; 4] = [[2.0, 1.0, 3.0], [5.0, 0.0, 1.0], [1.0, 1.0, 6.0], [3.0, 9.0, 2.0]];
    const AGENTS: [&str; 4] = ["p", "q", "r", "s"];

    /// Scores of four agents on as many problems as there are names, each a cluster.
    fn on(names: &[&str], each: &[[f64; 3]; 4]) -> Scores {
        let values = |own: &[f64; 3]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Values { problems: names.clone(), each: own[..names.len()].to_vec(), clusters: names }
        };
        Scores::of(&each.iter().map(values).collect::<Vec<_>>()).unwrap()
    }

    /// The means over the first `count` problems without some.
    fn means_of(each: &[[f64; 3]; 4], count: usize, without: Option<usize>) -> Vec<f64> {
        let kept: Vec<usize> = (0..count).filter(|problem| Some(*problem) != without).collect();
        each.iter().map(|own| kept.iter().map(|problem| own[*problem]).sum::<f64>() / kept.len() as f64).collect()
    }

    /// The jackknife's variance over three or two problems, written out.
    fn over(r: &[f64]) -> f64 {
        let mean = r.iter().sum::<f64>() / r.len() as f64;
        r.iter().map(|own| (own - mean).powi(2)).sum::<f64>() * (1.0 - 1.0 / r.len() as f64)
    }

    #[test]
    fn problems_add_their_part_to_the_error_of_a_correlation() {
        let (x, y) = (on(&["a", "b", "c"], &X), on(&["d", "e"], &Y));
        let (mean_x, mean_y) = (means_of(&X, 3, None), means_of(&Y, 2, None));
        let agents = correlation(&mean_x, &mean_y, &AGENTS).unwrap();
        let of_x: Vec<f64> = (0..3).map(|left_out| pearson(&means_of(&X, 3, Some(left_out)), &mean_y)).collect();
        let of_y: Vec<f64> = (0..2).map(|left_out| pearson(&mean_x, &means_of(&Y, 2, Some(left_out)))).collect();
        let found = correlation_over_problems(&x, &y, &AGENTS).unwrap();
        let expected = (agents.stderr.powi(2) + over(&of_x) + over(&of_y)).sqrt();
        assert!((found.stderr - expected).abs() < 1e-12, "{found:?} {expected}");
        assert_eq!((found.value, found.units), (agents.value, 2));
    }

    #[test]
    fn clusters_of_both_sides_are_left_out_together() {
        let names = ["a", "b", "c"];
        let found = correlation_over_problems(&on(&names, &X), &on(&names, &Y), &AGENTS).unwrap();
        let without = |left_out| pearson(&means_of(&X, 3, left_out), &means_of(&Y, 3, left_out));
        let agents = correlation(&means_of(&X, 3, None), &means_of(&Y, 3, None), &AGENTS).unwrap();
        let both: Vec<f64> = (0..3).map(|left_out| without(Some(left_out))).collect();
        let expected = (agents.stderr.powi(2) + over(&both)).sqrt();
        assert!((found.stderr - expected).abs() < 1e-12, "{found:?} {expected}");
        assert_eq!(found.units, 3);

        let refused = |x: &[&str], y: &[&str]| {
            correlation_over_problems(&on(x, &X), &on(y, &Y), &AGENTS).unwrap_err().to_string()
        };
        assert!(refused(&names, &["a", "d"]).contains("share 1 of their 3 and 2 units"));
        assert!(refused(&names, &["d"]).contains("one has 1: leave out `units`"));
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

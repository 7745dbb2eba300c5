//! Rank intervals: how far the order of a leaderboard depends on which problems it has, by the bootstrap.

use std::collections::HashMap;

use jointly_core::stream;

use crate::leaderboard::{Leaderboard, Placed};

/// The number of resamples.
pub const RESAMPLES: usize = 2_000;
/// The share of resamples in which a rank is within its interval, at least.
pub const COVERAGE: f64 = 0.95;
/// The share of resamples, one in `TAIL`, that an interval leaves out at either end.
const TAIL: usize = 40;
/// The seed of the resamples. It is a constant, so that the same results always have the same intervals.
const SEED: u64 = 0;
/// The most additions; with very many agents and problems there are fewer resamples.
const MOST_ADDITIONS: usize = 4_000_000_000;
/// Below so many units, percentiles of resamples are known to be too narrow to be read as 95 %.
const FEW: usize = 10;
/// The fewest resamples of which intervals are made.
const FEWEST: usize = 200;

/// The ranks of a leaderboard's agents in resamples of its problems.
#[derive(Clone, Debug, PartialEq)]
pub struct RankIntervals {
    /// The number of resamples.
    pub resamples: usize,
    /// The number of units that are resampled: problems or, where standard errors are clustered, datasets.
    pub units: usize,
    /// The interval of each agent, in the order of the leaderboard; `None` for agents without a rank.
    pub agents: Vec<Option<RankInterval>>,
}

impl RankIntervals {
    /// Returns whether there are too few units for the intervals to have their coverage.
    pub fn are_few(&self) -> bool {
        self.units < FEW
    }
}

/// The ranks of an agent in resamples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankInterval {
    /// The best rank of the interval.
    pub low: usize,
    /// The worst rank of the interval.
    pub high: usize,
    /// The share of resamples in which the agent has rank 1, alone or with others.
    pub first: f64,
}

/// An agent's scores, added up by cluster.
#[derive(Clone, Debug, Default)]
struct Sums {
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Leaderboard<'_> {
    /// Ranks the agents in resamples of the problems. Returns `None` where problems cannot be resampled: there is only
    /// one unit, or the score that ranks is over all problems together and no single problem has it.
    ///
    /// # Formula
    /// A resample draws G of the G clusters of problems (the problems themselves unless some share a dataset) with
    /// replacement, each with all its problems. An agent's mean is over the drawn problems; ranks are those of the
    /// leaderboard, where equal means share the better rank. The interval is that of the percentiles 2.5 and 97.5 of the
    /// 2,000 ranks: it leaves out the 50 best and the 50 worst. Agents see the same resamples. Goldstein and
    /// Spiegelhalter, "League Tables and Their Limitations" (1996); Hall and Miller, "Using the bootstrap to quantify the
    /// authority of an empirical ranking" (2009). With few units the intervals are too narrow.
    pub fn rank_intervals(&self) -> Option<RankIntervals> {
        let by = self.ranked_by()?;
        let mut clusters: HashMap<&str, usize> = HashMap::new();
        for planned in &self.scores.plan.problems {
            let next = clusters.len();
            clusters.entry(planned.cluster()).or_insert(next);
        }
        let units = clusters.len();
        let sums = |placed: &Placed| {
            let mut sums = Sums { sums: vec![0.0; units], counts: vec![0.0; units] };
            for (problem, value) in placed.agent.compared(&by) {
                let cluster = clusters[problem.cluster()];
                sums.sums[cluster] += value;
                sums.counts[cluster] += 1.0;
            }
            sums
        };
        let ranked: Vec<usize> = (0..self.order.len()).filter(|place| self.order[*place].ranks()).collect();
        let agents: Vec<Sums> = ranked.iter().map(|place| sums(&self.order[*place])).collect();
        let over_all = agents.iter().any(|agent| agent.counts.iter().all(|count| *count == 0.0));
        if units < 2 || agents.is_empty() || over_all {
            return None;
        }
        let additions = agents.len().saturating_mul(units);
        let resamples = (MOST_ADDITIONS / additions).clamp(FEWEST, RESAMPLES);
        let mut stream = stream(SEED, "rank-intervals", "", 0);
        let mut draw = || {
            let mut times = vec![0_u32; units];
            for _ in 0..units {
                times[(stream.uniform() * units as f64) as usize] += 1;
            }
            times
        };
        let intervals = intervals(&agents, (0..resamples).map(|_| draw()));
        let mut placed = vec![None; self.order.len()];
        for (place, interval) in ranked.into_iter().zip(intervals) {
            placed[place] = Some(interval);
        }
        Some(RankIntervals { resamples, units, agents: placed })
    }
}

/// Returns the interval of each agent. A resample says how many times each cluster was drawn.
fn intervals(agents: &[Sums], resamples: impl Iterator<Item = Vec<u32>>) -> Vec<RankInterval> {
    let mut ranks: Vec<Vec<usize>> = vec![Vec::new(); agents.len()];
    for times in resamples {
        let means: Vec<f64> = agents.iter().map(|agent| agent.mean(&times)).collect();
        let mut sorted = means.clone();
        sorted.sort_by(f64::total_cmp);
        for (ranks, mean) in ranks.iter_mut().zip(&means) {
            ranks.push(1 + sorted.partition_point(|other| other < mean));
        }
    }
    let interval = |mut ranks: Vec<usize>| {
        ranks.sort_unstable();
        let tail = ranks.len() / TAIL;
        RankInterval {
            low: ranks[tail],
            high: ranks[ranks.len() - 1 - tail],
            first: ranks.partition_point(|rank| *rank == 1) as f64 / ranks.len() as f64,
        }
    };
    ranks.into_iter().map(interval).collect()
}

impl Sums {
    /// Returns the mean over the problems of a resample, or infinity where it has none or not a number.
    fn mean(&self, times: &[u32]) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for ((own, number), times) in self.sums.iter().zip(&self.counts).zip(times) {
            // An infinite loss that was not drawn counts nothing.
            if *times > 0 {
                sum += own * f64::from(*times);
                count += number * f64::from(*times);
            }
        }
        let mean = sum / count;
        // Zeros of both signs are one number.
        if mean.is_nan() { f64::INFINITY } else { mean + 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::Got::{Failed, Scored};
    use jointly_record::invented::InventedRun;

    use super::{RankInterval, RankIntervals, Sums, intervals};
    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;

    const PROBLEMS: [&str; 3] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t10/temp0.1/seed2"];

    /// Four standard deviations of a share that 2,000 resamples estimate.
    const SHARE: f64 = 4.0 * 0.5 / 44.7;

    fn of(run: &InventedRun) -> Option<RankIntervals> {
        let scores = run.scores();
        Leaderboard::new(&scores).rank_intervals()
    }

    /// Returns the 27 resamples of three problems, each by the problems that it draws.
    fn all() -> Vec<[usize; 3]> {
        (0..27).map(|number| [number % 3, number / 3 % 3, number / 9]).collect()
    }

    /// On paper: with k draws of the third problem, of 8, 12, 6 and 1 in 27 for k from 0 to 3, the means are k, 1 and 2.
    /// The first agent is first for k 0 and, with the second, for k 1; it is second with the third for k 2, and last for
    /// k 3.
    #[test]
    fn three_agents_on_three_problems_on_paper() {
        let agents: [(&str, &[f64]); 3] = [("prior", &[1.0; 3]), ("mlp", &[0.0, 0.0, 3.0]), ("uniform", &[2.0; 3])];
        let found = of(&InventedRun::scored("quick", &PROBLEMS, &agents)).unwrap();
        assert_eq!((found.resamples, found.units), (2_000, 3));
        let shares = [19.0 / 27.0, 20.0 / 27.0, 0.0];
        // The first two share rank 1; the one in 27 times that mlp is last is more than a fortieth.
        let ranks = [(1, 2), (1, 3), (2, 3)];
        for ((found, share), (low, high)) in found.agents.iter().zip(shares).zip(ranks) {
            let found = found.unwrap();
            assert_eq!((found.low, found.high), (low, high), "{found:?}");
            assert!((found.first - share).abs() < SHARE, "{found:?} {share}");
        }
    }

    /// Compares with every resample, each ranked by counting the agents with lower means.
    #[test]
    fn all_resamples_by_brute_force() {
        let values = [[0.3, 1.0, -0.5], [0.25, 0.25, 0.25], [1.0, -1.0, 0.5]];
        let times = |draw: &[usize; 3]| [0, 1, 2].map(|place| draw.iter().filter(|at| **at == place).count() as u32);
        let sums = values.map(|own| Sums { sums: own.to_vec(), counts: vec![1.0; 3] });
        let found = intervals(&sums, all().iter().map(|draw| times(draw).to_vec()));
        for (agent, found) in found.iter().enumerate() {
            let rank = |draw: &[usize; 3]| {
                let mean = |own: &[f64; 3]| draw.iter().map(|at| own[*at]).sum::<f64>();
                1 + values.iter().filter(|other| mean(other) < mean(&values[agent]) - 1e-12).count()
            };
            let ranks: Vec<usize> = all().iter().map(rank).collect();
            let first = ranks.iter().filter(|rank| **rank == 1).count() as f64 / 27.0;
            // A fortieth of 27 is nobody, so that the interval has all ranks.
            let (low, high) = (*ranks.iter().min().unwrap(), *ranks.iter().max().unwrap());
            assert_eq!(*found, RankInterval { low, high, first });
        }
        // The resamples that are drawn estimate the same.
        let names = ["mlp", "prior", "uniform"];
        let agents: Vec<(&str, &[f64])> =
            names.iter().zip(&values).map(|(name, values)| (*name, values.as_slice())).collect();
        let run = InventedRun::scored("quick", &PROBLEMS, &agents);
        let scores = run.scores();
        let board = Leaderboard::new(&scores);
        let drawn = board.rank_intervals().unwrap();
        for (agent, drawn) in board.agents().zip(&drawn.agents) {
            let place = names.iter().position(|name| *name == agent.planned.label).unwrap();
            assert!((drawn.unwrap().first - found[place].first).abs() < SHARE, "{drawn:?} {found:?}");
        }
        assert_eq!(board.rank_intervals().unwrap(), drawn, "the same each time");
    }

    #[test]
    fn equal_agents_share_the_first_place_and_agents_without_a_rank_have_no_interval() {
        let agents = [
            ("mlp", [Scored(1.0), Scored(2.0), Scored(3.0)]),
            ("prior", [Scored(1.0), Scored(2.0), Scored(3.0)]),
            ("uniform", [Scored(1.0), Failed, Scored(3.0)]),
        ];
        let agents = agents.each_ref().map(|(name, got)| (*name, got.as_slice()));
        let found = of(&InventedRun::new("quick", &PROBLEMS, &agents)).unwrap();
        let certain = Some(RankInterval { low: 1, high: 1, first: 1.0 });
        assert_eq!(found.agents, [certain, certain, None]);
        assert_eq!(of(&InventedRun::scored("quick", &PROBLEMS[..1], &[("mlp", &[1.0]), ("prior", &[2.0])])), None);
    }

    /// An infinite loss makes an agent last wherever its problem is drawn, and only there.
    #[test]
    fn an_infinite_loss_counts_where_it_is_drawn() {
        let agents: [(&str, &[f64]); 2] = [("mlp", &[0.0, 0.0, f64::INFINITY]), ("prior", &[1.0; 3])];
        let found = of(&InventedRun::scored("quick", &PROBLEMS, &agents)).unwrap();
        let [prior, mlp] = [0, 1].map(|place: usize| found.agents[place].unwrap());
        assert_eq!((mlp.low, mlp.high), (1, 2));
        assert!((mlp.first - 8.0 / 27.0).abs() < SHARE && (prior.first + mlp.first - 1.0).abs() < 1e-12, "{found:?}");
    }

    /// Two datasets of two problems each are two units: both are drawn in half of the resamples.
    #[test]
    fn problems_of_one_dataset_are_drawn_together() {
        let problems = ["iris/t1/seed0", "iris/t10/seed0", "mnist-t10k/t1/seed0", "mnist-t10k/t10/seed0"];
        let names = problems.map(|problem| format!("quick/real/{problem}"));
        let agents: [(&str, &[f64]); 2] = [("mlp", &[0.0, 0.0, 3.0, 3.0]), ("prior", &[1.0; 4])];
        let found = of(&InventedRun::scored("quick/real", &names.each_ref().map(String::as_str), &agents)).unwrap();
        assert_eq!(found.units, 2);
        // mlp is better in the quarter of resamples that draw iris alone.
        assert!((found.agents[1].unwrap().first - 0.25).abs() < SHARE, "{found:?}");
    }
}

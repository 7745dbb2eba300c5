//! Agents on a public suite beside the same agents under a sealed seed: the difference is the effect of a known suite plus
//! that of other random problems.

use std::collections::HashMap;

use jointly_core::{ScoreName, Summary, paired_difference};

use crate::leaderboard::{Leaderboard, paired};
use crate::scores::AgentScores;

/// The scores of one agent under a public and under a sealed seed.
#[derive(Clone, Copy)]
pub struct Overfit<'a> {
    /// The agent under the sealed seed.
    pub sealed: &'a AgentScores<'a>,
    /// The agent under the public seed.
    pub public: &'a AgentScores<'a>,
    /// The score that is compared, of which lower is better.
    pub score: ScoreName,
    /// The mean of the sealed score minus the public one, over the problems that both seeds have.
    pub difference: Summary,
    /// The mean of that difference minus its mean over the other agents on the same problem; `None` where there are no
    /// others.
    pub above_others: Option<Summary>,
}

/// Compares the agents that both leaderboards have, byte for byte and with the same settings, in the order of the sealed
/// one.
///
/// # Formula
/// Problems of one name have the same setting and are drawn anew under each seed, so differences are paired by name: what
/// settings differ by cancels. With d(i, p) the difference of agent i on problem p, sealed minus public, `difference` is
/// the mean of d(i, p) over p. Random problems can be harder under one seed, which moves most agents the same way, so
/// `above_others` is the mean over p of d(i, p) minus the mean of d(j, p) over the other agents j whose d(j, p) is finite.
/// It says how much more agent i lost than the others: an overfit that all share does not show, and that of one makes the
/// others negative. Standard errors are those of these means over problems, clustered as those of scores; nothing is
/// tested.
pub fn overfit<'a>(sealed: &Leaderboard<'a>, public: &Leaderboard<'a>) -> Vec<Overfit<'a>> {
    let Some(score) = sealed.compared_by() else { return Vec::new() };
    let pairs: Vec<_> = sealed
        .agents()
        .filter_map(|mine| {
            let same = |other: &&AgentScores| other.planned.has_bytes_and_settings_of(mine.planned);
            let theirs = public.agents().find(same).filter(|_| !mine.planned.is_reference())?;
            Some((mine, theirs, paired(mine, theirs, &score)?))
        })
        .collect();
    let differences: Vec<_> = pairs.iter().map(|(mine, theirs, _)| by_problem(mine, theirs, &score)).collect();
    let mut all: HashMap<&str, (f64, usize)> = HashMap::new();
    let finite = differences.iter().flatten().filter(|(_, (_, difference))| difference.is_finite());
    for (problem, (_, difference)) in finite {
        let (sum, agents) = all.entry(problem).or_default();
        *sum += difference;
        *agents += 1;
    }
    let above_others = |own: &HashMap<&str, (&str, f64)>| {
        let (mut clusters, mut mine, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let mut problems: Vec<_> = own.iter().collect();
        problems.sort_by_key(|(problem, _)| **problem);
        for (problem, (cluster, difference)) in problems {
            let (sum, agents) = all.get(problem).copied().unwrap_or_default();
            let (own, counted) = if difference.is_finite() { (*difference, 1) } else { (0.0, 0) };
            if agents > counted {
                clusters.push(*cluster);
                mine.push(*difference);
                others.push((sum - own) / (agents - counted) as f64);
            }
        }
        (!clusters.is_empty()).then(|| paired_difference(&mine, &others, &clusters))
    };
    let both = pairs.iter().zip(&differences).map(|((sealed, public, difference), own)| Overfit {
        sealed,
        public,
        score,
        difference: *difference,
        above_others: above_others(own),
    });
    both.collect()
}

/// Returns each problem's cluster and the sealed score minus the public one, where both are there.
fn by_problem<'a>(
    sealed: &AgentScores<'a>,
    public: &AgentScores<'_>,
    score: &ScoreName,
) -> HashMap<&'a str, (&'a str, f64)> {
    let theirs: HashMap<&str, f64> =
        public.compared(score).map(|(problem, theirs)| (problem.problem.as_str(), theirs)).collect();
    let both = sealed.compared(score).filter_map(|(problem, mine)| {
        let difference = mine - theirs.get(problem.problem.as_str())?;
        Some((problem.problem.as_str(), (problem.cluster(), difference)))
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::Got::{Missing, Scored};
    use jointly_record::invented::InventedRun;

    use super::overfit;
    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;

    #[test]
    fn an_agent_that_is_worse_under_the_sealed_seed_has_a_difference_above_0() {
        let problems = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];
        let public =
            InventedRun::scored("quick", &problems, &[("mlp", &[1.0, 2.0]), ("knn", &[1.0; 2]), ("prior", &[1.0; 2])]);
        let mut sealed = InventedRun::scored("quick", &problems, &[("prior", &[1.5; 2]), ("mlp", &[1.5, 3.0])]);
        sealed.plan.agents[0].label = "prior@ann".into();
        sealed.results.iter_mut().filter(|result| result.agent == "prior").for_each(|result| {
            result.agent = "prior@ann".into();
        });
        let (sealed, public) = (sealed.scores(), public.scores());
        let both = overfit(&Leaderboard::new(&sealed), &Leaderboard::new(&public));
        // Aggregates are twice the losses: prior differs by 1 everywhere, mlp by 1 and 2.
        let found: Vec<(&str, f64, f64)> =
            both.iter().map(|it| (&*it.public.planned.label, it.difference.mean, it.difference.stderr)).collect();
        assert_eq!(found, [("prior", 1.0, 0.0), ("mlp", 1.5, 0.5)]);
        // Against one another they differ by 0 and 1, so by -0.5 and 0.5 on average, with an error of 0.5.
        let above: Vec<(f64, f64)> =
            both.iter().filter_map(|it| it.above_others).map(|it| (it.mean, it.stderr)).collect();
        assert_eq!(above, [(-0.5, 0.5), (0.5, 0.5)]);
    }

    /// Of three agents one has an infinite score and one has no result on the second problem: the others stay finite.
    #[test]
    fn an_infinite_score_is_that_of_its_agent_alone() {
        let problems = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];
        let ones = [Scored(1.0), Scored(1.0)];
        let public = InventedRun::new("quick", &problems, &[("mlp", &ones), ("knn", &ones), ("prior", &ones)]);
        let odd = [Scored(f64::INFINITY), Scored(2.0)];
        let some = [Scored(2.0), Missing];
        let sealed = InventedRun::new("quick", &problems, &[("mlp", &ones), ("knn", &odd), ("prior", &some)]);
        let (sealed, public) = (sealed.scores(), public.scores());
        let (sealed, public) = (Leaderboard::new(&sealed), Leaderboard::new(&public));
        let both = overfit(&sealed, &public);
        let above = |agent: &str| {
            let own = both.iter().find(|it| it.public.planned.label == agent).unwrap();
            own.above_others.unwrap().mean
        };
        // Aggregates are twice the losses. On the first problem mlp differs by 0, prior by 2; on the second mlp by 0, knn
        // by 2.
        assert_eq!((above("mlp"), above("prior"), above("knn")), (-2.0, 2.0, f64::INFINITY));
    }
}

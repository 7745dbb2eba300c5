//! Agents on a public suite beside the same agents under a sealed seed: the difference is what they owe to the suite
//! being known.

use jointly_core::{ScoreName, Summary};

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
}

/// Compares the agents that both leaderboards have, byte for byte and with the same settings, in the order of the sealed
/// one.
///
/// # Formula
/// Problems of one name have the same setting and are drawn anew under each seed, so differences are paired by name: what
/// settings differ by cancels. The standard error is that of the mean of the paired differences, clustered as that of a
/// score. Above 0, the agent is worse where nobody could know the problems.
pub fn overfit<'a>(sealed: &Leaderboard<'a>, public: &Leaderboard<'a>) -> Vec<Overfit<'a>> {
    let Some(score) = sealed.compared_by() else { return Vec::new() };
    let both = sealed.agents().filter_map(|mine| {
        let same = |other: &&AgentScores| other.planned.has_bytes_and_settings_of(mine.planned);
        let theirs = public.agents().find(same).filter(|_| !mine.planned.is_reference())?;
        Some(Overfit { sealed: mine, public: theirs, score, difference: paired(mine, theirs, &score)? })
    });
    both.collect()
}

#[cfg(test)]
mod tests {
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
    }
}

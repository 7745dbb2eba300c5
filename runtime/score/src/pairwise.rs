//! Every two agents of a leaderboard, compared problem by problem.

use crate::comparison::Comparison;
use crate::leaderboard::{Leaderboard, paired};
use crate::scores::AgentScores;

/// The most agents that are compared with one another: the first of the leaderboard.
pub const MOST_AGENTS: usize = 60;

/// The comparisons of every two agents with a rank.
pub struct Pairwise<'a> {
    /// The agents, the best first.
    pub agents: Vec<&'a AgentScores<'a>>,
    /// Each pair of places among them, the better first, with the difference of the first to the second.
    pub pairs: Vec<(usize, usize, Comparison)>,
}

impl<'a> Leaderboard<'a> {
    /// Compares every two of the first agents with a rank, in the score that is compared with a baseline. All p values
    /// are adjusted together, by Holm's correction for the number of pairs.
    pub fn pairwise(&self) -> Pairwise<'a> {
        let ranked = self.order.iter().filter(|placed| placed.ranks());
        let agents: Vec<&AgentScores> = ranked.take(MOST_AGENTS).map(|placed| placed.agent).collect();
        let Some(by) = self.compared_by() else { return Pairwise { agents, pairs: Vec::new() } };
        let places = (0..agents.len()).flat_map(|first| (first + 1..agents.len()).map(move |second| (first, second)));
        let (places, differences): (Vec<_>, Vec<_>) = places
            .filter_map(|(first, second)| Some(((first, second), (paired(agents[first], agents[second], &by)?, true))))
            .unzip();
        let compared = places.into_iter().zip(Comparison::all(&differences));
        let pairs = compared.map(|((first, second), comparison)| (first, second, comparison)).collect();
        Pairwise { agents, pairs }
    }
}

impl Pairwise<'_> {
    /// Returns the number of pairs that are tested.
    pub fn tests(&self) -> usize {
        self.pairs.iter().filter(|(_, _, comparison)| comparison.adjusted.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use jointly_record::invented::Got::{self, Failed, Scored};
    use jointly_record::invented::InventedRun;

    use crate::comparison::Comparison;
    use crate::invented::InventedScores as _;
    use crate::leaderboard::{Leaderboard, paired};

    #[test]
    fn every_two_agents_with_a_rank_are_tested_together() {
        let problems = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t10/temp0.1/seed2"];
        let agents: [(&str, &[Got]); 4] = [
            ("mlp", &[Scored(1.0), Scored(1.1), Scored(1.2)]),
            ("prior", &[Scored(2.0), Scored(2.3), Scored(2.1)]),
            ("uniform", &[Scored(2.1), Scored(2.2), Scored(2.4)]),
            ("knn", &[Scored(0.0), Failed, Scored(0.0)]),
        ];
        let run = InventedRun::new("quick", &problems, &agents);
        let scores = run.scores();
        let board = Leaderboard::new(&scores);
        let pairwise = board.pairwise();
        let labels: Vec<&str> = pairwise.agents.iter().map(|agent| agent.planned.label.as_str()).collect();
        assert_eq!((labels, pairwise.tests()), (vec!["mlp", "prior", "uniform"], 3));
        let by = board.compared_by().unwrap();
        let difference = |(first, second): (usize, usize)| {
            (paired(pairwise.agents[first], pairwise.agents[second], &by).unwrap(), true)
        };
        let places = [(0, 1), (0, 2), (1, 2)];
        let expected = Comparison::all(&places.map(difference));
        for ((first, second, found), (place, expected)) in pairwise.pairs.iter().zip(places.iter().zip(&expected)) {
            assert_eq!(((*first, *second), found), (*place, expected));
            assert!(found.difference.mean < 0.0);
        }
    }
}

//! Orders units and assigns them to workers: the units that are expected to take longest come first, so that no long
//! unit is begun at the end, when other workers have nothing left to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use jointly_record::plan::Plan;

use crate::size_class::expected_costs;

/// Returns the plan's problems in the order in which they are begun. All agents' units on one problem come together,
/// because the plan does not tell what agents cost.
pub fn order(plan: &Plan) -> Vec<usize> {
    let costs = expected_costs(plan);
    let mut order: Vec<usize> = (0..costs.len()).collect();
    // Problems of equal cost stay in the plan's order.
    order.sort_by_key(|problem| Reverse(costs[*problem]));
    order
}

/// Returns the total time of these units if each worker begins the next unit when it is free.
pub fn makespan(nanoseconds: impl IntoIterator<Item = u64>, workers: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..workers.max(1)).map(|_| Reverse(0)).collect();
    for time in nanoseconds {
        if let Some(Reverse(load)) = free.pop() {
            free.push(Reverse(load.saturating_add(time)));
        }
    }
    free.into_iter().map(|Reverse(load)| load).max().unwrap_or(0)
}

/// Returns the shard of each of the plan's units, counted from 0, at index problem * agents + agent.
///
/// Each agent's problems are dealt out one after another, in the order in which they are begun. So all shards have
/// about as many units of every agent and, for each agent, of every size: whatever agents and sizes cost, shards are
/// balanced to within one unit of each agent. It is a function of the plan alone, so all tasks of an array find the
/// same shares.
pub fn shares(plan: &Plan, shards: u32) -> Vec<u32> {
    let (order, agents) = (order(plan), plan.agents.len());
    let mut shares = vec![0; agents * order.len()];
    for agent in 0..agents {
        for (turn, problem) in (first(agent, shards)..shards).chain((0..shards).cycle()).zip(&order) {
            shares[problem * agents + agent] = turn;
        }
    }
    shares
}

/// Returns the shard from which an agent's units are dealt out. Multiples of the golden ratio spread successive agents
/// evenly, however many follow: shards with one extra unit of one agent are not those with an extra unit of the next.
fn first(agent: usize, shards: u32) -> u32 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let place = GOLDEN.wrapping_mul(agent as u64);
    ((u128::from(place) * u128::from(shards)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::{makespan, order, shares};
    use crate::size_class::expected_costs;
    use jointly_record::invented::{Got, InventedRun};
    use jointly_record::plan::Plan;

    #[test]
    fn who_is_free_begins_the_next() {
        assert_eq!(makespan([1, 1, 1, 3], 2), 4);
        assert_eq!(makespan([3, 1, 1, 1], 2), 3);
        assert_eq!(makespan([3, 3, 2, 2, 2], 2), 7);
        assert_eq!(makespan([5, 1], 100), 5);
        assert_eq!([makespan([], 3), makespan([4, 5], 1)], [0, 9]);
    }

    #[test]
    fn problems_that_take_long_are_begun_first() {
        let plan = plan(&["mlp"]);
        let names: Vec<&str> = order(&plan).into_iter().map(|place| plan.problems[place].problem.as_str()).collect();
        assert_eq!(names[0], "testbed/t1000/temp0.01/seed0");
        assert!(names[209].contains("/t1/"), "{}", names[209]);
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 210);
    }

    fn plan(agents: &[&str]) -> Plan {
        let names: Vec<String> = jointly_classification::suite("testbed")
            .unwrap()
            .problems
            .into_iter()
            .map(|problem| problem.name)
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let got = vec![Got::Missing; names.len()];
        let agents: Vec<(&str, &[Got])> = agents.iter().map(|agent| (*agent, &got[..])).collect();
        InventedRun::new("testbed", &names, &agents).plan
    }

    #[test]
    fn every_shard_has_alike_of_every_agent() {
        let plan = plan(&["mlp", "ensemble:size=10", "ensemble:size=100"]);
        let costs = expected_costs(&plan);
        let most = costs.iter().max().unwrap();
        for shards in [1, 2, 4, 7, 100] {
            let shares = shares(&plan, shards);
            assert_eq!(shares.len(), 630);
            for agent in 0..3 {
                let load = |shard: u32| -> u64 {
                    let of_shard = |problem: &usize| shares[problem * 3 + agent] == shard;
                    (0..costs.len()).filter(of_shard).map(|problem| costs[problem]).sum()
                };
                let loads: Vec<u64> = (0..shards).map(load).collect();
                // No shard is ahead of another by more than one unit.
                assert!(loads.iter().max().unwrap() - loads.iter().min().unwrap() <= *most, "{shards}: {loads:?}");
                if shards == 2 {
                    assert!(loads[0].abs_diff(loads[1]) * 50 < loads[0], "{loads:?}");
                }
            }
        }
    }

    /// Tests shards with a few problems of every agent, where agents cost up to a thousand times as much as others.
    #[test]
    fn shards_of_many_agents_take_as_long() {
        let labels: Vec<String> = (0..200).map(|agent| format!("knn:k={}", agent + 1)).collect();
        let plan = plan(&labels.iter().map(String::as_str).collect::<Vec<_>>());
        let mut loads = vec![0_u64; 100];
        for (unit, shard) in shares(&plan, 100).into_iter().enumerate() {
            loads[shard as usize] += if unit % 200 < 60 { 1000 } else { 1 };
        }
        let (most, all) = (loads.iter().max().unwrap(), loads.iter().sum::<u64>());
        assert!(most * 100 * 100 < all * 104, "{loads:?}");
    }

    #[test]
    fn more_shards_than_units_leave_some_empty() {
        let names = ["quick/t10/temp0.1/seed0", "quick/t100/temp0.1/seed0"];
        let run = InventedRun::scored("quick", &names, &[("mlp", &[1.0, 1.0]), ("prior", &[1.0, 1.0])]);
        let shares = shares(&run.plan, 10);
        let distinct: std::collections::BTreeSet<u32> = shares.iter().copied().collect();
        assert_eq!((shares.len(), distinct.len()), (4, 4), "{shares:?}");
    }
}

//! In what order units are begun and which worker gets which: those that are expected to take longest first, so that none that
//! takes long is begun at the end, when other workers have nothing left to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher;

use crate::plan::Plan;
use crate::size_class::expected_costs;

/// The plan's problems in the order in which they are begun. All agents' units on one come together: what agents cost, the
/// plan does not tell.
pub(crate) fn order(plan: &Plan) -> Vec<usize> {
    longest_first(&expected_costs(plan))
}

fn longest_first(costs: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    // Those that cost alike stay in the plan's order.
    order.sort_by_key(|problem| Reverse(costs[*problem]));
    order
}

/// How long workers take that each begin the next of these units when they are free.
pub(crate) fn makespan(nanoseconds: impl IntoIterator<Item = u64>, workers: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..workers.max(1)).map(|_| Reverse(0)).collect();
    for time in nanoseconds {
        if let Some(Reverse(load)) = free.pop() {
            free.push(Reverse(load.saturating_add(time)));
        }
    }
    free.into_iter().map(|Reverse(load)| load).max().unwrap_or(0)
}

/// The shard of each of the plan's units, counted from 0, problem by problem as units are run: problem * agents + agent.
///
/// What an agent costs is not known before it runs, so that every agent's problems are dealt out by themselves, the longest
/// first, each to the shard that has least of that agent; of those, to the shard that has least of all agents. So the shards
/// are alike whatever the agents cost. A function of the plan alone: all tasks of an array find the same.
pub(crate) fn shares(plan: &Plan, shards: u32) -> Vec<u32> {
    let (costs, agents) = (expected_costs(plan), plan.agents.len());
    let order = longest_first(&costs);
    let mut totals = vec![0_u64; shards as usize];
    let mut shares = vec![0; agents * costs.len()];
    for (agent, planned) in plan.agents.iter().enumerate() {
        // Equal shards are taken from another one on for each agent, or variants in a row would meet in the first.
        let first = start(&planned.label, shards);
        let place = |shard: u32| (shard + shards - first) % shards;
        let mut loads: BinaryHeap<Reverse<(u64, u64, u32, u32)>> =
            (0..shards).map(|shard| Reverse((0, totals[shard as usize], place(shard), shard))).collect();
        for &problem in &order {
            let Some(Reverse((load, total, place, shard))) = loads.pop() else { break };
            shares[problem * agents + agent] = shard;
            totals[shard as usize] = total.saturating_add(costs[problem]);
            loads.push(Reverse((load.saturating_add(costs[problem]), totals[shard as usize], place, shard)));
        }
    }
    shares
}

/// A shard that a label gives, the same everywhere and always.
fn start(label: &str, shards: u32) -> u32 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(label.as_bytes());
    (hash.finish() % u64::from(shards.max(1))) as u32
}

/// The hash FNV-1a: that of the standard library may change with its version.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::{makespan, order, shares};
    use crate::invented::{Got, InventedRun};
    use crate::plan::Plan;
    use crate::size_class::expected_costs;

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
        let names: Vec<String> =
            jointly_core::suite("testbed").unwrap().problems.into_iter().map(|problem| problem.name).collect();
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
                // The longest first leaves no shard ahead of another by more than one unit.
                assert!(loads.iter().max().unwrap() - loads.iter().min().unwrap() <= *most, "{shards}: {loads:?}");
                if shards == 2 {
                    assert!(loads[0].abs_diff(loads[1]) * 50 < loads[0], "{loads:?}");
                }
            }
        }
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

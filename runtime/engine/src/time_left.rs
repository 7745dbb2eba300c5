//! Estimates the remaining time of a run from the times of each agent's units and the expected costs of the rest.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jointly_record::plan::Plan;
use jointly_record::unit::Unit;

use crate::size_class::expected_costs;

/// Estimates the remaining time of a run on `workers` threads.
pub struct TimeLeft {
    workers: usize,
    /// The indices of agents, by label.
    agents: HashMap<String, usize>,
    /// The relative cost of a unit, by the problem's name.
    costs: HashMap<String, u64>,
    so_far: Mutex<SoFar>,
}

struct SoFar {
    /// The time and costs of each agent.
    agents: Vec<Spent>,
    /// When the last unit ended.
    last: Instant,
}

/// The time spent on an agent's units, and the cost of those that are done and those that are left.
#[derive(Clone, Copy, Default)]
struct Spent {
    seconds: f64,
    done: u64,
    left: u64,
}

impl TimeLeft {
    /// Estimates the remaining time of a run of `units` on `workers` threads, before the first of them begins.
    pub fn of(plan: &Plan, units: &[Unit], workers: usize) -> Self {
        let costs = expected_costs(plan);
        let mut agents = vec![Spent::default(); plan.agents.len()];
        for unit in units {
            agents[unit.agent].left += costs[unit.problem];
        }
        let names = plan.problems.iter().map(|problem| problem.problem.clone());
        Self {
            workers: workers.max(1),
            agents: plan.agents.iter().map(|agent| agent.label.clone()).zip(0..).collect(),
            costs: names.zip(costs).collect(),
            so_far: Mutex::new(SoFar { agents, last: Instant::now() }),
        }
    }

    /// Records that a unit has been carried out.
    pub fn finished(&self, agent: &str, problem: &str, seconds: f64) {
        let (Some(agent), Some(cost)) = (self.agents.get(agent), self.costs.get(problem)) else { return };
        let mut so_far = self.so_far();
        so_far.last = Instant::now();
        let spent = &mut so_far.agents[*agent];
        spent.seconds += seconds;
        spent.done += cost;
        spent.left = spent.left.saturating_sub(*cost);
    }

    /// Returns the estimated remaining time, or `None` if it is not yet known, nothing is left, or the estimate has
    /// already passed.
    pub fn remaining(&self) -> Option<Duration> {
        let so_far = self.so_far();
        let rest = rest(&so_far.agents)? / self.workers as f64;
        Duration::try_from_secs_f64(rest).ok()?.checked_sub(so_far.last.elapsed())
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the seconds that the rest takes at each agent's own speed, or `None` until every agent has finished a unit,
/// because one may take a thousand times as long as another.
fn rest(agents: &[Spent]) -> Option<f64> {
    let mut left = agents.iter().filter(|agent| agent.left > 0).peekable();
    left.peek()?;
    left.map(|agent| (agent.done > 0).then(|| agent.left as f64 * agent.seconds / agent.done as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::{Spent, TimeLeft, rest};
    use jointly_record::invented::InventedRun;
    use jointly_record::unit::Unit;

    #[test]
    fn the_rest_takes_as_long_for_its_cost_as_what_each_agent_has_done() {
        let spent = |seconds, done, left| Spent { seconds, done, left };
        assert_eq!(rest(&[spent(100.0, 10, 20), spent(1.0, 10, 20)]), Some(202.0));
        // Nothing is known about the last agent.
        assert_eq!(rest(&[spent(100.0, 10, 1), spent(0.0, 0, 4)]), None);
        assert_eq!(rest(&[spent(100.0, 10, 1), spent(0.0, 0, 0)]), Some(10.0));
        assert_eq!(rest(&[spent(0.0, 0, 4)]), None);
        assert_eq!(rest(&[spent(1.0, 4, 0)]), None);
    }

    #[test]
    fn nothing_is_known_before_the_first_result_and_after_the_last() {
        let names = ["quick/t100/temp0.1/seed0", "quick/t10/temp0.1/seed0"];
        let run = InventedRun::scored("quick", &names, &[("mlp", &[1.0, 1.0])]);
        let units = [0, 1].map(|problem| Unit { agent: 0, problem });
        let time_left = TimeLeft::of(&run.plan, &units, 2);
        assert_eq!(time_left.remaining(), None);
        // The other costs 110 / 201 as much, and two workers share it.
        time_left.finished("mlp", names[0], 40_000.0);
        let left = time_left.remaining().unwrap().as_secs_f64();
        assert!((10_900.0..=10_945.3).contains(&left), "{left}");
        time_left.finished("mlp", names[1], 1.0);
        assert_eq!(time_left.remaining(), None);
    }
}

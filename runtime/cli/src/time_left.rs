//! How long a run is likely to take still: by what has been done of it, and what its units are expected to cost.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use crate::execution::Unit;
use crate::plan::Plan;
use crate::size_class::expected_costs;

/// Of units that are carried out, by one worker or many.
pub(crate) struct TimeLeft {
    /// By the problems' names.
    costs: HashMap<String, u64>,
    begun: Instant,
    so_far: Mutex<SoFar>,
}

/// In the unit of [`expected_costs`].
struct SoFar {
    done: u64,
    left: u64,
    /// When the rest is likely to be done.
    end: Option<Instant>,
}

impl TimeLeft {
    /// Of units that are about to be begun.
    pub(crate) fn of(plan: &Plan, units: &[Unit]) -> Self {
        let costs = expected_costs(plan);
        let left = units.iter().map(|unit| costs[unit.problem]).fold(0, u64::saturating_add);
        let names = plan.problems.iter().map(|problem| problem.problem.clone());
        Self {
            costs: names.zip(costs).collect(),
            begun: Instant::now(),
            so_far: Mutex::new(SoFar { done: 0, left, end: None }),
        }
    }

    /// A unit on that problem has been carried out.
    pub(crate) fn finished(&self, problem: &str) {
        let cost = self.costs.get(problem).copied().unwrap_or_default();
        let passed = self.begun.elapsed();
        let mut so_far = self.so_far();
        so_far.done = so_far.done.saturating_add(cost);
        so_far.left = so_far.left.saturating_sub(cost);
        so_far.end = rest(passed, so_far.done, so_far.left).and_then(|rest| Instant::now().checked_add(rest));
    }

    /// For a person, once something is known; nothing where nothing is left.
    pub(crate) fn text(&self) -> Option<String> {
        let so_far = self.so_far();
        let end = so_far.end.filter(|_| so_far.left > 0)?;
        Some(format!("about {} left", HumanDuration(end.saturating_duration_since(Instant::now()))))
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the rest takes at the speed so far.
fn rest(passed: Duration, done: u64, left: u64) -> Option<Duration> {
    Duration::try_from_secs_f64(passed.as_secs_f64() * left as f64 / done as f64).ok()
}

#[cfg(test)]
mod tests {
    use super::{TimeLeft, rest};
    use crate::execution::Unit;
    use crate::plan::Plan;
    use jointly_host::Limits;
    use std::time::Duration;

    #[test]
    fn the_rest_takes_as_long_for_its_cost_as_what_is_done() {
        assert_eq!(rest(Duration::from_secs(10), 4, 2), Some(Duration::from_secs(5)));
        assert_eq!(rest(Duration::from_secs(10), 4, 0), Some(Duration::ZERO));
        assert_eq!(rest(Duration::ZERO, 0, 2), None);
    }

    #[test]
    fn nothing_is_said_before_the_first_result_and_after_the_last() {
        let plan = Plan::new(&jointly_core::suite("quick").unwrap(), 0, Limits::default(), Vec::new());
        let units = [17, 0].map(|problem| Unit { agent: 0, problem });
        let time_left = TimeLeft::of(&plan, &units);
        assert_eq!(time_left.text(), None);
        time_left.finished(&plan.problems[17].problem);
        assert!(time_left.text().unwrap().starts_with("about 0 seconds"), "{:?}", time_left.text());
        time_left.finished(&plan.problems[0].problem);
        assert_eq!(time_left.text(), None);
    }
}

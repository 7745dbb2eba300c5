//! The rounds of a course: how many actions are chosen between one training and the next.

/// The rounds of a course of actions: sizes of batches, each chosen by one trained agent.
///
/// # Formula
/// The first batch has `first` actions. After n actions the next batch has `max(1, floor(growth n))`, and the last ends
/// at `steps` actions. With growth 0 an agent is trained before each action; with growth .25 it is trained about forty
/// times in 10,000 actions.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    first: u32,
    growth: f64,
    steps: u32,
}

impl Schedule {
    /// Makes a schedule of `steps` actions whose first batch, before any training, has `first`.
    pub fn new(first: u32, growth: f64, steps: u32) -> Self {
        Self { first, growth, steps }
    }

    /// Returns the number of actions after `done` of them, which end the next batch; `None` after the last.
    pub fn next(&self, done: u32) -> Option<u32> {
        let batch = if done == 0 { self.first } else { ((self.growth * f64::from(done)) as u32).max(1) };
        (done < self.steps).then(|| done.saturating_add(batch).min(self.steps))
    }

    /// Returns the number of trainings: a training precedes each batch but the first.
    pub fn trainings(&self) -> usize {
        let mut done = self.next(0);
        let batches = std::iter::from_fn(|| {
            let next = self.next(done?);
            done = next;
            next
        });
        batches.count()
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    fn ends(schedule: Schedule) -> Vec<u32> {
        let mut done = 0;
        std::iter::from_fn(|| {
            done = schedule.next(done)?;
            Some(done)
        })
        .collect()
    }

    #[test]
    fn batches_grow_with_the_number_of_actions() {
        assert_eq!(ends(Schedule::new(2, 1.0, 100)), [2, 4, 8, 16, 32, 64, 100]);
        assert_eq!(ends(Schedule::new(2, 0.5, 20)), [2, 3, 4, 6, 9, 13, 19, 20]);
        assert_eq!(ends(Schedule::new(2, 0.0, 5)), [2, 3, 4, 5]);
        assert_eq!(ends(Schedule::new(10, 0.5, 7)), [7]);
        assert_eq!(Schedule::new(2, 1.0, 100).trainings(), 6);
        assert_eq!(Schedule::new(2, 0.25, 10_000).trainings(), 39);
        assert_eq!(Schedule::new(10, 0.25, 10_000).trainings(), 32);
    }
}

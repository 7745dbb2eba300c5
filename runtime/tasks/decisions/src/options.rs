//! The options of decisions, checked before they are used.

use jointly_core::estimate::MAX_DRAWS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::schedule::Schedule;

/// The most actions of a problem.
pub(crate) const MOST_STEPS: u32 = 100_000;
/// The number of examples with which training is twice the work of training with none.
const EXAMPLES: f64 = 1000.0;
/// The largest growth of batches: the next is as large as ten times all before it.
const MOST_GROWTH: f64 = 10.0;

/// The options of decisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DecisionOptions {
    /// The number M of functions sampled from an agent after each training, from 1 to [`MAX_DRAWS`]. A batch of more
    /// actions uses each of them several times.
    pub draws: u32,
    /// The number of actions, from 1 to 100,000.
    pub steps: u32,
    /// The size of the next batch of actions, as a part of the number of all before it, from 0 to 10. With 0, an agent is
    /// trained before each action.
    pub growth: f64,
}

/// Reasons why options are refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{field} is {value}, expected {expected}")]
pub struct DecisionOptionsError {
    /// The field of [`DecisionOptions`].
    pub field: &'static str,
    /// The given value.
    pub value: String,
    /// The allowed values.
    pub expected: String,
}

impl DecisionOptions {
    /// Returns an upper bound on the work of all trainings on a problem, in trainings with a thousand examples or none: the
    /// sum over trainings of 1 + n / 1000.
    pub fn work(&self) -> f64 {
        // A larger first batch means fewer trainings.
        let schedule = Schedule::new(1, self.growth, self.steps);
        let (mut work, mut done) = (0.0, 1);
        while let Some(next) = schedule.next(done) {
            work += 1.0 + f64::from(done) / EXAMPLES;
            done = next;
        }
        work
    }

    /// Describes how large batches are, for the user.
    pub fn batches(&self) -> String {
        match self.growth {
            0.0 => "trained before each action".to_owned(),
            1.0 => "each batch as large as all before it".to_owned(),
            growth => format!("each batch {growth} times as large as all before it"),
        }
    }

    /// Checks each option.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), DecisionOptionsError> {
        let refuse = |field, value: &dyn ToString, expected| {
            Err(DecisionOptionsError { field, value: value.to_string(), expected })
        };
        if self.draws == 0 || u64::from(self.draws) > MAX_DRAWS {
            return refuse("draws", &self.draws, format!("1 to {MAX_DRAWS}"));
        }
        if self.steps == 0 || self.steps > MOST_STEPS {
            return refuse("steps", &self.steps, format!("1 to {MOST_STEPS}"));
        }
        if !(0.0..=MOST_GROWTH).contains(&self.growth) {
            return refuse("growth", &self.growth, format!("0 to {MOST_GROWTH}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::DecisionOptions;

    #[test]
    fn work_grows_with_trainings_and_their_examples() {
        let work = |steps, growth| DecisionOptions { draws: 1, steps, growth }.work();
        assert_eq!(work(1, 1.0), 0.0);
        // Trainings with 1, 2 and 4 examples.
        assert!((work(8, 1.0) - 3.007).abs() < 1e-9);
        assert!((10.0..100.0).contains(&work(10_000, 0.25)), "{}", work(10_000, 0.25));
        assert!(work(100_000, 0.0) > 1e6);
    }

    #[test]
    fn batches_are_described_by_all_actions_before_them() {
        let said = |growth| DecisionOptions { draws: 1, steps: 1, growth }.batches();
        assert_eq!(said(0.0), "trained before each action");
        assert_eq!(said(1.0), "each batch as large as all before it");
        assert_eq!(said(0.25), "each batch 0.25 times as large as all before it");
    }

    #[test]
    fn a_number_out_of_range_is_named_with_its_range() {
        let refusal = |draws, steps, growth| {
            DecisionOptions { draws, steps, growth }.check().map_err(|error| error.to_string()).unwrap_err()
        };
        assert_eq!(DecisionOptions { draws: 1, steps: 100_000, growth: 0.0 }.check(), Ok(()));
        assert_eq!(refusal(0, 10, 0.5), "draws is 0, expected 1 to 262144");
        assert_eq!(refusal(10, 0, 0.5), "steps is 0, expected 1 to 100000");
        assert_eq!(refusal(10, 100_001, 0.5), "steps is 100001, expected 1 to 100000");
        assert_eq!(refusal(10, 10, -0.5), "growth is -0.5, expected 0 to 10");
        assert_eq!(refusal(10, 10, f64::NAN), "growth is NaN, expected 0 to 10");
    }
}

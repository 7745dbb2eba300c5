//! The evaluation options of dataset shift, checked before they are used.

use crate::Evaluation;
use jointly_core::estimate::{MAX_DRAWS, MAX_SAMPLE_BYTES, MAX_TAUS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::level::ShiftLevel;
use crate::rule::Rule;

/// The largest allowed order of predictive distributions.
const MOST_TAU: u32 = 1 << 16;
/// The most levels of shift.
const MOST_LEVELS: usize = 1_000;

/// The evaluation options of dataset shift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ShiftOptions {
    /// Number M of functions sampled from an agent, from 1 to [`MAX_DRAWS`].
    pub draws: u32,
    /// Orders of the predictive distributions whose negative log-likelihood is scored.
    pub taus: Vec<u32>,
    /// The shifts of the test inputs; the unshifted test inputs are always scored too.
    pub levels: Vec<ShiftLevel>,
}

/// Reasons why options are refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShiftOptionsError {
    /// A number is out of range.
    #[error("{field} is {value}, expected {expected}")]
    Range {
        /// The field of [`ShiftOptions`].
        field: &'static str,
        /// The given value.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// A level leaves inputs unshifted, which are always scored.
    #[error("level {level} leaves inputs as they are, which is always scored: leave it out")]
    Idle {
        /// The level.
        level: ShiftLevel,
    },
}

impl ShiftOptions {
    /// Returns the estimation options of joint scores: Monte Carlo up to tau 10 and random planes above, as in the
    /// testbed but without clipped probits, which would bound the cost of a confident mistake and make shifts look
    /// milder at a large tau.
    pub(super) fn rule(&self) -> Rule<'static> {
        Rule::of(&Evaluation { draws: self.draws, clip: false, ..Evaluation::testbed() })
    }

    /// Checks that the probabilities of all draws for `num_classes` classes, at one group of the largest order, fit in
    /// memory.
    ///
    /// # Errors
    /// When they would take more than [`MAX_SAMPLE_BYTES`].
    pub fn fits(&self, num_classes: u32) -> Result<(), ShiftOptionsError> {
        let tau = self.taus.iter().copied().max().unwrap_or(1);
        let function = u64::from(tau) * u64::from(num_classes) * size_of::<f32>() as u64;
        let most = MAX_SAMPLE_BYTES / function.max(1);
        if u64::from(self.draws) <= most {
            return Ok(());
        }
        let expected = format!("at most {most} at tau {tau} and {num_classes} classes");
        Err(ShiftOptionsError::Range { field: "draws", value: self.draws.to_string(), expected })
    }

    /// Checks the options.
    ///
    /// # Errors
    /// When a number is out of its range, a tau or a level occurs twice, a tau does not divide the largest, or a level
    /// has severity 0.
    pub fn check(&self) -> Result<(), ShiftOptionsError> {
        let range = |field, value: &dyn ToString, expected: &str| {
            Err(ShiftOptionsError::Range { field, value: value.to_string(), expected: expected.to_owned() })
        };
        if self.draws == 0 || u64::from(self.draws) > MAX_DRAWS {
            return range("draws", &self.draws, &format!("1 to {MAX_DRAWS}"));
        }
        if self.taus.is_empty() {
            return range("taus", &"empty", "at least one tau");
        }
        // Checked first, because taus and levels are compared with one another.
        let counts = [
            ("the number of taus", self.taus.len(), MAX_TAUS),
            ("the number of levels", self.levels.len(), MOST_LEVELS),
        ];
        if let Some((field, count, most)) = counts.into_iter().find(|(_, count, most)| count > most) {
            return range(field, &count, &format!("{most} at most"));
        }
        for (i, tau) in self.taus.iter().enumerate() {
            if !(1..=MOST_TAU).contains(tau) {
                return range("tau", tau, &format!("1 to {MOST_TAU}"));
            }
            if self.taus[..i].contains(tau) {
                return range("taus", &format!("{:?}", self.taus), "each tau once");
            }
        }
        // A call of whole groups of the largest tau then has whole groups of every tau.
        let most = self.taus.iter().copied().max().unwrap_or(1);
        if let Some(tau) = self.taus.iter().find(|tau| most % *tau != 0) {
            return range("tau", tau, &format!("a divisor of the largest, {most}"));
        }
        for (i, level) in self.levels.iter().enumerate() {
            if level.severity() == 0.0 {
                return Err(ShiftOptionsError::Idle { level: *level });
            }
            if self.levels[..i].contains(level) {
                return range("levels", level, "each level once");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> ShiftOptions {
        let levels = ["rotation/45", "fog/3"].map(|level| level.parse().unwrap()).to_vec();
        ShiftOptions { draws: 300, taus: vec![1, 10, 100], levels }
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let with = |change: fn(&mut ShiftOptions)| {
            let mut options = options();
            change(&mut options);
            options.check().map_err(|error| error.to_string())
        };
        assert_eq!(with(|_| ()), Ok(()));
        assert_eq!(with(|o| o.levels.clear()), Ok(()));
        let refused = |message: &str| Err(message.to_owned());
        assert_eq!(with(|o| o.draws = 0), refused("draws is 0, expected 1 to 262144"));
        assert_eq!(with(|o| o.draws = u32::MAX), refused("draws is 4294967295, expected 1 to 262144"));
        assert_eq!(with(|o| o.taus.clear()), refused("taus is empty, expected at least one tau"));
        assert_eq!(with(|o| o.taus[1] = 0), refused("tau is 0, expected 1 to 65536"));
        assert_eq!(with(|o| o.taus[1] = 100), refused("taus is [1, 100, 100], expected each tau once"));
        assert_eq!(with(|o| o.taus[1] = 7), refused("tau is 7, expected a divisor of the largest, 100"));
        assert_eq!(with(|o| o.levels[0] = o.levels[1]), refused("levels is fog/3, expected each level once"));
        assert_eq!(
            with(|o| o.levels[0] = "rotation/0".parse().unwrap()),
            refused("level rotation/0 leaves inputs as they are, which is always scored: leave it out")
        );
    }

    #[test]
    fn draws_must_fit_in_memory() {
        assert_eq!(options().fits(1000), Ok(()));
        let many = ShiftOptions { draws: 262_144, ..options() };
        let error = many.fits(10).unwrap_err().to_string();
        assert_eq!(error, "draws is 262144, expected at most 134217 at tau 100 and 10 classes");
    }

    #[test]
    fn options_survive_json() {
        let text = r#"{"draws":300,"taus":[1,10,100],"levels":["rotation/45","fog/3"]}"#;
        assert_eq!(serde_json::to_string(&options()).unwrap(), text);
        assert_eq!(serde_json::from_str::<ShiftOptions>(text).unwrap(), options());
        assert!(serde_json::from_str::<ShiftOptions>(&text.replace("fog/3", "fog/6")).is_err());
        assert!(serde_json::from_str::<ShiftOptions>(&text.replace("taus", "tau")).is_err());
    }
}

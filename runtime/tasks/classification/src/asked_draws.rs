//! How many draws a user asks for: a number, or as many as a precision takes.

use std::fmt;
use std::str::FromStr;

use jointly_core::estimate::MAX_DRAWS;
use jointly_core::{Partitioning, Real};
use thiserror::Error;

use crate::Evaluation;

/// The usual precision, in nats a tau-sample.
const PRECISION: f64 = 0.05;
/// The usual most draws.
const MOST: u32 = 16_384;

/// The draws that a user asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AskedDraws {
    /// This many.
    Count(u32),
    /// The draws that give each joint score a precision.
    Until {
        /// The largest error over draws and the largest bias, in nats a tau-sample.
        precision: f64,
        /// The most draws.
        most: u32,
    },
}

/// A text that does not say how many draws.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expected 1 to {MAX_DRAWS}, or auto, auto:NATS or auto:NATS:MOST, such as auto:{PRECISION}:{MOST}")]
pub struct AskedDrawsError;

impl AskedDraws {
    /// Returns the draws that an evaluation has.
    pub fn of(evaluation: &Evaluation) -> Self {
        match evaluation.precision {
            Some(Real(precision)) => Self::Until { precision, most: evaluation.draws },
            None => Self::Count(evaluation.draws),
        }
    }

    /// Makes an evaluation ask for these draws. A precision needs Monte Carlo at every tau, corrected by the jackknife.
    pub fn apply(self, evaluation: &mut Evaluation) {
        match self {
            Self::Count(draws) => (evaluation.draws, evaluation.precision) = (draws, None),
            Self::Until { precision, most } => {
                (evaluation.draws, evaluation.precision) = (most, Some(Real(precision)));
                evaluation.partition = Partitioning::Jackknife;
            }
        }
    }
}

impl fmt::Display for AskedDraws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(draws) => write!(f, "{draws}"),
            Self::Until { precision, most: MOST } if *precision == PRECISION => write!(f, "auto"),
            Self::Until { precision, most: MOST } => write!(f, "auto:{precision}"),
            Self::Until { precision, most } => write!(f, "auto:{precision}:{most}"),
        }
    }
}

impl FromStr for AskedDraws {
    type Err = AskedDrawsError;

    fn from_str(text: &str) -> Result<Self, AskedDrawsError> {
        let count = |text: &str| text.parse().ok().filter(|draws| (1..=MAX_DRAWS).contains(&u64::from(*draws)));
        let nats = |text: &str| text.parse().ok().filter(|nats: &f64| *nats > 0.0 && nats.is_finite());
        let asked = match text.split(':').collect::<Vec<_>>()[..] {
            ["auto"] => Some(Self::Until { precision: PRECISION, most: MOST }),
            ["auto", precision] => nats(precision).map(|precision| Self::Until { precision, most: MOST }),
            ["auto", precision, most] => {
                nats(precision).zip(count(most)).map(|(precision, most)| Self::Until { precision, most })
            }
            [draws] => count(draws).map(Self::Count),
            _ => None,
        };
        asked.ok_or(AskedDrawsError)
    }
}

#[cfg(test)]
mod tests {
    use super::AskedDraws;
    use crate::Evaluation;

    #[test]
    fn a_text_says_how_many_draws_and_is_written_again() {
        for text in ["1", "262144", "auto", "auto:0.02", "auto:0.05:512"] {
            let asked: AskedDraws = text.parse().unwrap();
            assert_eq!(asked.to_string(), text);
            let mut evaluation = Evaluation::testbed();
            asked.apply(&mut evaluation);
            assert_eq!((AskedDraws::of(&evaluation), evaluation.check()), (asked, Ok(())), "{text}");
        }
        assert_eq!("auto:0.05:16384".parse::<AskedDraws>().unwrap().to_string(), "auto");
        for text in
            ["", "0", "262145", "-1", "auto:", "auto:0", "auto:nan", "auto:inf", "auto:0.1:0", "auto:1:2:3", "many"]
        {
            let error = text.parse::<AskedDraws>().unwrap_err().to_string();
            assert!(
                error.contains("expected 1 to 262144, or auto, auto:NATS or auto:NATS:MOST, such as auto:0.05:16384")
            );
        }
    }
}

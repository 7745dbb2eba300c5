//! One score of one problem: its value, its errors, and its name.

use jointly_core::{JointScore, Real, Score, round_significant};

/// The share of single test inputs whose most probable class is the true one.
pub const ACCURACY: &str = "accuracy";
/// The expected calibration error over the classes of single inputs.
pub const ECE: &str = "ece";
/// The fuel that a unit used.
pub const FUEL: &str = "fuel";

/// A value, with its standard error over the problem's tau-samples where it is a mean over them.
#[derive(Clone, Copy)]
pub struct Scored {
    /// The score.
    pub value: f64,
    /// Its standard error over tau-samples.
    pub stderr: Option<f64>,
    /// The effect of the number of draws, where it is a joint score.
    pub(super) draws: Option<Draws>,
}

/// The effect of the number of draws on a joint score.
#[derive(Clone, Copy)]
pub struct Draws {
    /// The standard error over draws.
    pub(super) error: f64,
    /// NaN where several functions allow the labels of no tau-sample.
    pub effective: f64,
    /// The number of problems for which there are too few.
    pub few: usize,
}

impl From<Score> for Scored {
    fn from(score: Score) -> Self {
        Self { value: score.mean, stderr: Some(score.stderr), draws: None }
    }
}

impl Scored {
    pub(super) fn joint(score: &JointScore, draws: u32) -> Self {
        let few = usize::from(score.needs_more_draws(draws));
        let draws = Draws { error: score.draw_error, effective: score.effective_draws, few };
        Self { value: score.mean, stderr: Some(score.stderr), draws: Some(draws) }
    }
}

impl Draws {
    /// Combines problems, whose draws are independent: the error is the root of the sum of squares over their
    /// number, and the harmonic mean of the effective numbers that there are, as within a problem.
    pub(super) fn combined(problems: &[Self]) -> Option<Self> {
        let count = problems.len() as f64;
        let squares: f64 = problems.iter().map(|draws| draws.error * draws.error).sum();
        let known: Vec<f64> = problems.iter().map(|draws| draws.effective).filter(|number| !number.is_nan()).collect();
        let inverses: f64 = known.iter().map(|number| 1.0 / number).sum();
        let effective = if known.is_empty() { f64::NAN } else { known.len() as f64 / inverses };
        let few = problems.iter().map(|draws| draws.few).sum();
        (!problems.is_empty()).then(|| Self { error: squares.sqrt() / count, effective, few })
    }
}

/// Twelve significant digits; what is not finite as text, since JSON has no number for it.
pub fn number(x: f64) -> Real {
    Real(round_significant(x))
}

#[cfg(test)]
mod tests {
    use super::{Draws, Scored};
    use jointly_core::JointScore;

    fn draws(effective_draws: f64) -> Draws {
        let score = JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.5, effective_draws };
        Scored::joint(&score, 1000).draws.unwrap()
    }

    #[test]
    fn problems_that_no_draw_allows_do_not_raise_the_effective_number() {
        let combined = |numbers: &[f64]| {
            let problems: Vec<Draws> = numbers.iter().copied().map(draws).collect();
            Draws::combined(&problems).unwrap()
        };
        assert_eq!(combined(&[10.0, 30.0]).effective, 15.0);
        let with_infinite = combined(&[10.0, f64::NAN, 30.0, f64::NAN]);
        assert_eq!((with_infinite.effective, with_infinite.few), (15.0, 3));
        assert!(combined(&[f64::NAN]).effective.is_nan());
        assert_eq!(combined(&[f64::NAN]).few, 1);
    }
}

//! One value of a score with its errors and, for a joint score, the effect of the number of draws.

use crate::score::{JointScore, Score};

/// The value of a score on one problem, with its standard error over the problem's tau-samples or inputs if it is a
/// mean over them.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    /// The value.
    pub value: f64,
    /// Its standard error within the problem; None if the score is not a mean.
    pub stderr: Option<f64>,
    /// The effect of the number of draws; None if it is not a joint score.
    pub draws: Option<DrawsOfScore>,
}

/// The effect of the number of draws on a joint score.
#[derive(Clone, Copy, Debug)]
pub struct DrawsOfScore {
    /// The standard error over draws.
    pub error: f64,
    /// The effective number of draws; NaN if there are several functions and none gives the labels of any tau-sample a
    /// positive probability.
    pub effective: f64,
    /// The number of problems for which there are too few draws.
    pub few: usize,
}

impl From<Score> for Scored {
    fn from(score: Score) -> Self {
        Self { value: score.mean, stderr: Some(score.stderr), draws: None }
    }
}

impl Scored {
    /// Makes a value without errors.
    pub fn plain(value: f64) -> Self {
        Self { value, stderr: None, draws: None }
    }

    /// Makes the value of a joint score, of which there may be too few draws.
    pub fn joint(score: &JointScore, few: bool) -> Self {
        let few = usize::from(few);
        let draws = DrawsOfScore { error: score.draw_error, effective: score.effective_draws, few };
        Self { value: score.mean, stderr: Some(score.stderr), draws: Some(draws) }
    }
}

impl DrawsOfScore {
    /// Combines the effects on the problems of a mean; returns `None` if there are no problems.
    ///
    /// # Formula
    /// Draws are independent between problems: the error of the mean over P problems is `sqrt(sum error^2) / P`. The
    /// effective number is the harmonic mean of the problems' effective numbers that are not NaN, as within a problem.
    pub fn combined(problems: &[Self]) -> Option<Self> {
        let count = problems.len() as f64;
        let squares: f64 = problems.iter().map(|draws| draws.error * draws.error).sum();
        let known: Vec<f64> = problems.iter().map(|draws| draws.effective).filter(|number| !number.is_nan()).collect();
        let inverses: f64 = known.iter().map(|number| 1.0 / number).sum();
        let effective = if known.is_empty() { f64::NAN } else { known.len() as f64 / inverses };
        let few = problems.iter().map(|draws| draws.few).sum();
        (!problems.is_empty()).then(|| Self { error: squares.sqrt() / count, effective, few })
    }
}

#[cfg(test)]
mod tests {
    use super::{DrawsOfScore, Scored};
    use crate::estimate::Partitioning;
    use crate::score::JointScore;

    fn draws(effective_draws: f64) -> DrawsOfScore {
        let score = JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.5, effective_draws };
        Scored::joint(&score, score.needs_more_draws(1000, Partitioning::Planes)).draws.unwrap()
    }

    #[test]
    fn problems_that_no_draw_allows_do_not_raise_the_effective_number() {
        let combined = |numbers: &[f64]| {
            let problems: Vec<DrawsOfScore> = numbers.iter().copied().map(draws).collect();
            DrawsOfScore::combined(&problems).unwrap()
        };
        assert_eq!(combined(&[10.0, 30.0]).effective, 15.0);
        let with_infinite = combined(&[10.0, f64::NAN, 30.0, f64::NAN]);
        assert_eq!((with_infinite.effective, with_infinite.few), (15.0, 3));
        assert!(combined(&[f64::NAN]).effective.is_nan());
        assert_eq!(combined(&[f64::NAN]).few, 1);
    }
}

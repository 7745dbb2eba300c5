//! User-supplied options for predictions, checked before use.

use jointly_core::Seed;
use thiserror::Error;

use jointly_core::estimate::MAX_DRAWS;

/// Interval levels of step 3 in section 4 of Sluijterman et al.
const LEVELS: [f64; 4] = [0.7, 0.8, 0.9, 0.95];
/// Number of passes through a network in section 5.2 of Sluijterman et al.
const DRAWS: u32 = 100;

/// Options for predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionOptions {
    /// Number M of functions sampled from an agent that gives no moments.
    pub draws: u32,
    /// Levels of the intervals, between 0 and 1.
    pub levels: Vec<f64>,
    /// The seed of the random streams that choose which answers the audit asks for again.
    pub seed: Seed,
    /// The problem's name, which also names these streams.
    pub problem: String,
}

/// Why options cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OptionsError {
    /// The number of draws is out of range.
    #[error("draws is {0}, expected 1 to {MAX_DRAWS}")]
    Draws(u32),
    /// A level is not between 0 and 1.
    #[error("a level is {0}, expected a number between 0 and 1")]
    Level(f64),
    /// A level is given twice.
    #[error("the level {0} is given twice")]
    Twice(f64),
}

impl PredictionOptions {
    /// Returns the paper's options: 100 draws; levels 70, 80, 90 and 95 %.
    pub fn paper(seed: Seed, problem: &str) -> Self {
        Self { draws: DRAWS, levels: LEVELS.to_vec(), seed, problem: problem.to_owned() }
    }

    /// Checks that the options can be used.
    ///
    /// # Errors
    /// When the number of draws is 0 or too large, or a level is not between 0 and 1 or is given twice.
    pub fn check(&self) -> Result<(), OptionsError> {
        if self.draws == 0 || u64::from(self.draws) > MAX_DRAWS {
            return Err(OptionsError::Draws(self.draws));
        }
        if let Some(&level) = self.levels.iter().find(|level| !(**level > 0.0 && **level < 1.0)) {
            return Err(OptionsError::Level(level));
        }
        let twice = |i: &usize| self.levels[..*i].contains(&self.levels[*i]);
        match (0..self.levels.len()).find(twice) {
            Some(i) => Err(OptionsError::Twice(self.levels[i])),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused() {
        let paper = PredictionOptions::paper(0.into(), "line");
        assert_eq!(paper.check(), Ok(()));
        assert_eq!(PredictionOptions { draws: 0, ..paper.clone() }.check(), Err(OptionsError::Draws(0)));
        let levels = |levels: &[f64]| PredictionOptions { levels: levels.to_vec(), ..paper.clone() }.check();
        assert_eq!(levels(&[0.5, 1.0]), Err(OptionsError::Level(1.0)));
        assert_eq!(levels(&[0.5, 0.8, 0.5]), Err(OptionsError::Twice(0.5)));
        assert!(levels(&[f64::NAN]).is_err() && levels(&[0.0]).is_err() && levels(&[]).is_ok());
    }
}

//! How predictions are made: numbers that a person may choose, checked before they are used.

use thiserror::Error;

use jointly_core::estimate::MAX_DRAWS;

/// The levels of section 4 of Sluijterman et al., step 3.
const LEVELS: [f64; 4] = [0.7, 0.8, 0.9, 0.95];
/// Passes through a network in their section 5.2.
const DRAWS: u32 = 100;

/// How predictions are made.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionOptions {
    /// Number M of functions sampled from an agent that gives no moments.
    pub draws: u32,
    /// Levels of the intervals, between 0 and 1.
    pub levels: Vec<f64>,
    /// The seed and problem that name the streams by which answers are chosen to be asked for again.
    pub seed: u64,
    /// The problem's name.
    pub problem: String,
}

/// Why options cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OptionsError {
    /// The number of draws is out of range.
    #[error("draws is {0}, expected 1 to {MAX_DRAWS}")]
    Draws(u32),
    /// A level is no level.
    #[error("a level is {0}, expected a number between 0 and 1")]
    Level(f64),
    /// A level comes twice.
    #[error("the level {0} is given twice")]
    Twice(f64),
}

impl PredictionOptions {
    /// The paper's: 100 draws; levels 70, 80, 90 and 95 %.
    pub fn paper(seed: u64, problem: &str) -> Self {
        Self { draws: DRAWS, levels: LEVELS.to_vec(), seed, problem: problem.to_owned() }
    }

    /// Whether they can be used.
    ///
    /// # Errors
    /// When there are no draws or too many, or a level is not between 0 and 1 or comes twice.
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
        let paper = PredictionOptions::paper(0, "line");
        assert_eq!(paper.check(), Ok(()));
        assert_eq!(PredictionOptions { draws: 0, ..paper.clone() }.check(), Err(OptionsError::Draws(0)));
        let levels = |levels: &[f64]| PredictionOptions { levels: levels.to_vec(), ..paper.clone() }.check();
        assert_eq!(levels(&[0.5, 1.0]), Err(OptionsError::Level(1.0)));
        assert_eq!(levels(&[0.5, 0.8, 0.5]), Err(OptionsError::Twice(0.5)));
        assert!(levels(&[f64::NAN]).is_err() && levels(&[0.0]).is_err() && levels(&[]).is_ok());
    }
}

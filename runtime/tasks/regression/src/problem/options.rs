//! User-supplied options for running regression problems, checked before use.

use jointly_core::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cross::{MOST_BATCH, MOST_ROWS};
use crate::noise::Noise;
use crate::predictive::{OptionsError, PredictionOptions};
use crate::process::Residuals;
use crate::standardize::AgentUnits;

/// Maximum number of random groups, rounds or exact rows: far beyond practical use, and the product of any two does not
/// overflow.
const MOST: u32 = 1 << 20;
/// Maximum number of pool points, and of test points, of a synthetic dataset. The kernel matrix covers all pairs; with
/// both at the limit it takes half a GiB.
const MOST_POINTS: u32 = 1 << 12;
/// Maximum number of interval levels: whole percents give 99.
const MOST_LEVELS: usize = 100;
/// The most rounds of active learning.
const MOST_ROUNDS: u32 = 200;
/// Default number of functions from which covariances are estimated.
const MOMENT_DRAWS: u32 = 1000;

/// Options for running regression problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegressionOptions {
    /// Number M of functions sampled from an agent that gives no moments, for predictions row by row.
    pub draws: u32,
    /// Number of functions sampled for covariances, and for the rounds of active learning.
    pub moment_draws: u32,
    /// Levels of the intervals, between 0 and 1.
    pub levels: Vec<f64>,
    /// The noise distribution of simulations.
    pub noise: Noise,
    /// The residuals from which the noise of simulations that resemble a table is estimated.
    pub residuals: Residuals,
    /// The units in which agents see a simulation; `None` is each simulation's own: standardised, except for the line and
    /// the constant. Plans without the field are of before there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_units: Option<AgentUnits>,
    /// Number of pool points in synthetic datasets.
    pub pool: u32,
    /// Number of test points in synthetic datasets, at least one whole group.
    pub test: u32,
    /// Whether synthetic datasets are standardised for agents, as tables are. In the paper and its code they are not:
    /// agents' priors are chosen to match the function's.
    pub standardize_synthetic: bool,
    /// Number b of points in the groups of joint likelihoods.
    pub batch: u32,
    /// Number of random groups for joint likelihoods.
    pub random_batches: u32,
    /// Maximum number of test points for joint likelihoods and stored predictive distributions. Of more, this many are
    /// chosen at random, the same for all agents.
    pub belief_rows: u32,
    /// Maximum number of rows for which an agent is asked for its own joint moments, a covariance of all pairs. For
    /// more rows the moments are estimated from draws.
    pub exact_rows: u32,
    /// Number of rounds of active learning.
    pub rounds: u32,
    /// Share of a table's rows in the training set of correlations, and in the initial training set of active learning.
    pub train_share: f64,
    /// Share of a table's rows in the test set; the remaining rows are the pool.
    pub test_share: f64,
    /// Share of all rows queried in a round; at least one row is queried.
    pub query_share: f64,
}

/// Why options cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RegressionOptionsError {
    /// The prediction options cannot be used.
    #[error(transparent)]
    Prediction(#[from] OptionsError),
    /// A number is out of range.
    #[error("{field} is {value}, expected {expected}")]
    Range {
        /// The field of [`RegressionOptions`].
        field: &'static str,
        /// Its value.
        value: String,
        /// The values that it may have.
        expected: String,
    },
}

impl Default for RegressionOptions {
    /// Returns the papers' values: 100 draws for intervals at 70, 80, 90 and 95 %; groups of 5; 20 % to train, 20 % to
    /// test, 1 % a round, 10 rounds. There are three exceptions: 500 pool and 200 test points are the values of the
    /// paper's code, which its text swaps; covariances are estimated from 1000 draws, a fifth of the paper's; and agents
    /// are compared at 500 test points at most, where `correlations/uci` has all, as the paper does.
    fn default() -> Self {
        let PredictionOptions { draws, levels, .. } = PredictionOptions::paper(Seed::Public(0), "");
        Self {
            draws,
            moment_draws: MOMENT_DRAWS,
            levels,
            noise: Noise::Normal,
            residuals: Residuals::default(),
            agent_units: None,
            pool: 500,
            test: 200,
            standardize_synthetic: false,
            batch: 5,
            random_batches: 1000,
            belief_rows: 500,
            exact_rows: 2048,
            rounds: 10,
            train_share: 0.2,
            test_share: 0.2,
            query_share: 0.01,
        }
    }
}

impl RegressionOptions {
    /// Returns the options for predictions on a problem.
    pub(super) fn prediction(&self, seed: Seed, name: &str) -> PredictionOptions {
        PredictionOptions { draws: self.draws, levels: self.levels.clone(), seed, problem: name.to_owned() }
    }

    /// Returns the options for moments on a problem, without intervals.
    pub(super) fn moments(&self, seed: Seed, name: &str) -> PredictionOptions {
        PredictionOptions { draws: self.moment_draws, levels: Vec::new(), ..self.prediction(seed, name) }
    }

    /// Checks that all options are in range.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), RegressionOptionsError> {
        // Checked first, because the check of levels compares them with one another.
        if self.levels.len() > MOST_LEVELS {
            let (value, expected) = (self.levels.len().to_string(), format!("{MOST_LEVELS} at most"));
            return Err(RegressionOptionsError::Range { field: "the number of levels", value, expected });
        }
        self.prediction(Seed::Public(0), "").check()?;
        self.moments(Seed::Public(0), "").check()?;
        let counts = [
            ("pool", self.pool, 1, MOST_POINTS),
            ("test", self.test, self.batch, MOST_POINTS),
            ("batch", self.batch, 1, MOST_BATCH),
            ("random_batches", self.random_batches, 1, MOST),
            ("belief_rows", self.belief_rows, 1, MOST_ROWS),
            ("exact_rows", self.exact_rows, 0, MOST),
            ("rounds", self.rounds, 0, MOST_ROUNDS),
        ];
        for (field, value, least, most) in counts {
            if value < least || value > most {
                let expected = format!("{least} to {most}");
                return Err(RegressionOptionsError::Range { field, value: value.to_string(), expected });
            }
        }
        let shares = [
            ("train_share", self.train_share, 1.0),
            ("test_share", self.test_share, 1.0 - self.train_share),
            ("query_share", self.query_share, 1.0),
        ];
        for (field, value, most) in shares {
            if !(value > 0.0 && value < most) {
                let expected = format!("a number above 0 and below {most}");
                return Err(RegressionOptionsError::Range { field, value: value.to_string(), expected });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused() {
        let with = |change: fn(&mut RegressionOptions)| {
            let mut options = RegressionOptions::default();
            change(&mut options);
            options.check().map_err(|error| error.to_string())
        };
        assert_eq!(with(|_| ()), Ok(()));
        assert_eq!(with(|o| o.batch = 0), Err("batch is 0, expected 1 to 64".to_owned()));
        assert_eq!(
            with(|o| o.test_share = 0.8),
            Err("test_share is 0.8, expected a number above 0 and below 0.8".to_owned())
        );
        assert!(with(|o| o.query_share = f64::NAN).is_err() && with(|o| o.draws = 0).is_err());
        assert_eq!(with(|o| o.test = 4), Err("test is 4, expected 5 to 4096".to_owned()));
        let levels = |count: u32| (1..=count).map(|i| f64::from(i) / f64::from(count + 1)).collect::<Vec<f64>>();
        let (most, more) = (levels(MOST_LEVELS as u32), levels(MOST_LEVELS as u32 + 1));
        let own = |levels| RegressionOptions { levels, ..RegressionOptions::default() }.check();
        assert!(own(most).is_ok());
        assert_eq!(own(more).unwrap_err().to_string(), "the number of levels is 101, expected 100 at most");
        assert!(with(|o| o.belief_rows = 1 << 30).is_err() && with(|o| o.rounds = 0).is_ok());
    }

    #[test]
    fn options_survive_json_and_what_is_not_said_is_refused() {
        let options = RegressionOptions { noise: Noise::StudentT, pool: 7, ..RegressionOptions::default() };
        let text = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<RegressionOptions>(&text).unwrap(), options);
        let unsaid = text.replace(r#","residuals":"out-of-bag""#, "");
        let error = serde_json::from_str::<RegressionOptions>(&unsaid).unwrap_err();
        assert!(!text.contains("agent_units"), "plans of before stay as they are: {text}");
        let chosen = RegressionOptions { agent_units: Some(AgentUnits::StandardizedInputs), ..options };
        let chosen_text = serde_json::to_string(&chosen).unwrap();
        assert!(chosen_text.contains(r#""agent_units":"standardized-inputs""#), "{chosen_text}");
        assert_eq!(serde_json::from_str::<RegressionOptions>(&chosen_text).unwrap(), chosen);
        assert!(unsaid != text && error.to_string().contains("missing field `residuals`"), "{error}");
        assert!(serde_json::from_str::<RegressionOptions>(&text.replace("draws", "draw")).is_err());
    }
}

//! Scores of a predictive distribution against an observation; lower is better for each.

mod calibration;
mod crps;
mod likelihood;
mod quantiles;

pub use calibration::{CALIBRATION_LEVELS, Calibration};
pub use crps::{gaussian_crps, mixture_crps};
pub use likelihood::{gaussian_nll, mixture_nll};
pub use quantiles::{QuantileScores, check_score, interval_score};

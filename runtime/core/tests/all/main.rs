//! The estimators of joint likelihood compared with brute force and with answers computed by hand.

#[path = "../../examples/estimators/belief.rs"]
mod belief;
mod brute_force;
#[path = "../../examples/estimators/coverage.rs"]
mod coverage;
#[path = "../../examples/estimators/debiased.rs"]
mod debiased;
mod deterministic_models;
mod draw_error;
#[path = "../../examples/estimators/estimator.rs"]
mod estimator;
mod known_truth;
mod limits;
mod repetition;
#[path = "../../examples/estimators/trial.rs"]
mod trial;

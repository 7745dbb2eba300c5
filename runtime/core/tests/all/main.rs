//! The estimators of joint likelihood compared with brute force and with answers computed by hand.

#[path = "../../examples/estimators/belief.rs"]
mod belief;
mod brute_force;
mod deterministic_models;
mod draw_error;
mod known_truth;
mod limits;
mod repetition;
#[path = "../../examples/estimators/trial.rs"]
mod trial;

//! The estimators of joint likelihood against brute force and against answers known on paper.

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

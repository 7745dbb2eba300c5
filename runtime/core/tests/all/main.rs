//! The estimators of joint likelihood against brute force and against answers known on paper.

mod brute_force;
mod deterministic_models;
mod draw_error;
mod limits;
mod repetition;

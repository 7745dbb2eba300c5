//! Runs agents on problems: where agents and problems come from, in what order units run, and their results.
//!
//! A [`Workload`](workload::Workload) is a plan with its loaded agents and problems. [`execution`] carries out its
//! units on several threads, independently and in no order that a score depends on. Nothing here prints: information
//! for the user is returned as errors or notes, or goes to a [`Watcher`](activity::Watcher).
#![deny(missing_docs)]

pub mod activity;
pub mod agent;
pub mod agent_source;
pub mod asked;
pub mod cache;
pub mod conformance;
pub mod contestant;
pub mod cost;
pub mod data_directories;
pub mod deadline;
pub mod equal_inputs;
pub mod execution;
pub mod export;
mod failures;
pub mod join;
pub mod kinds;
pub mod measurement;
pub mod oracle;
pub mod plans;
pub mod predictions;
pub mod problem_set;
pub mod problems;
pub mod real_data;
pub mod regression_suite;
pub mod replay;
pub mod reuse;
pub mod schedule;
mod selection;
pub mod share;
pub mod shift_suite;
pub mod size_class;
pub mod slurm;
pub mod stopwatch;
pub mod time_left;
pub mod training;
pub mod user_images;
pub mod user_tables;
pub mod variants;
pub mod workload;

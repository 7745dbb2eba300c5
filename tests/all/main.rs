//! End-to-end tests of the built command, as a person or a shell script meets it.

mod check;
mod closed_output;
mod command;
mod determinism;
mod directories;
mod foreign_agents;
mod full_disk;
mod guests;
mod hostile;
mod imported;
mod interruption;
mod listings;
mod npz;
mod oracle;
mod pairing;
mod pictures;
mod problem_files;
mod readme;
mod real_data;
mod report;
mod requests;
mod run;
mod score;
mod sweep;
mod verify;

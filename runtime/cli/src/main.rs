//! The `jointly` command.

mod agent_source;
mod agent_spec;
mod cache;
mod commands;
mod conformance;
mod directory;
mod execution;
mod exit;
mod journal;
mod leaderboard;
mod output;
mod plan;
mod progress;
mod scores;
mod table;
mod unit;
mod workload;

use clap::Parser;

fn main() -> std::process::ExitCode {
    exit::on_panic();
    match commands::Jointly::parse().execute() {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}

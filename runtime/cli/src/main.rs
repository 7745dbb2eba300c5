//! The `jointly` command.

mod agent_source;
mod agent_spec;
mod cache;
mod cells;
mod columns;
mod combined;
mod commands;
mod comparison;
mod conformance;
mod data_directories;
mod difference;
mod directory;
mod drawing;
mod engine_argument;
mod entry;
mod execution;
mod exit;
mod fetch;
mod initialization_argument;
#[cfg(test)]
mod invented;
mod join;
mod journal;
mod leaderboard;
mod measurement;
mod noise_argument;
mod oracle;
mod output;
mod own_images;
mod own_tables;
mod pack;
mod partition_argument;
mod picture;
mod plan;
mod planned;
mod printable;
mod problems;
mod progress;
mod real_data;
mod regression_arguments;
mod regression_suite;
mod report;
mod request;
mod residuals_argument;
mod reuse;
mod schedule;
mod scores;
mod selection;
mod shard;
mod shell;
mod shift_arguments;
mod shift_suite;
mod size_class;
mod slurm;
mod stopwatch;
mod table;
mod template;
mod time_left;
mod toolchain;
mod unit;
mod variants;
mod workload;

use clap::Parser;

fn main() -> std::process::ExitCode {
    exit::on_panic();
    match commands::Jointly::try_parse() {
        Ok(command) => command.execute().unwrap_or_else(|error| exit::report(&error)),
        Err(error) => exit::usage(&error),
    }
}

//! The `jointly` command.

mod commands;
mod data_arguments;
mod decision_arguments;
mod engine_argument;
mod exit;
mod fuel_argument;
mod initialization_argument;
mod jobs;
mod language;
mod native_argument;
mod output;
mod partition_argument;
mod passed_on;
mod planned;
mod progress;
mod regression_arguments;
mod request;
mod shard_arguments;
mod shard_done;
mod shift_arguments;
mod toolchain;
mod tune_argument;

use clap::{CommandFactory, Parser};
use jointly_engine::cache;

fn main() -> std::process::ExitCode {
    if let Some(code) = cache::compile_if_asked() {
        return code;
    }
    exit::on_panic();
    cache::when_distrusted(|why| output::note(&format!("compiled agents are not kept: {why}")));
    jointly_native::when_slow(|source| {
        output::note(&format!("waiting for {source} to describe itself; its imports may take long"));
    });
    match commands::Jointly::try_parse() {
        Ok(command) => command.execute().unwrap_or_else(|error| exit::report(&error)),
        Err(error) => exit::usage(&error, &commands::Jointly::command()),
    }
}

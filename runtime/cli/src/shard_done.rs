//! A finished shard, and the next steps.

use std::process::ExitCode;

use anyhow::Result;
use jointly_core::printable::ShowPath as _;
use jointly_record::directory::RunDirectory;
use jointly_record::journal::Journal;
use jointly_record::quantity::counted;
use jointly_record::shard::Shard;
use jointly_record::shell::quoted;

use crate::{exit, output};

/// A shard in which every unit has a result.
pub(crate) struct ShardDone {
    pub(crate) directory: RunDirectory,
    pub(crate) shard: Shard,
    /// The number of units of the shard, and of the plan.
    pub(crate) units: (usize, usize),
    pub(crate) journal: Journal,
}

impl ShardDone {
    /// Prints what is done and what comes next, and returns the exit code.
    pub(crate) fn show(&self) -> Result<ExitCode> {
        let place = self.directory.path().shown().to_string();
        let (mine, all) = self.units;
        let failures = self.journal.lines().failures();
        let failed = if failures > 0 { format!("; {} failed", counted(failures, "unit")) } else { String::new() };
        output::print(&format!(
            "shard {} is done, {mine} of the plan's {}{failed}, and lies in {place}\na shard has no scores; when all {} are \
             done, join them:\n  jointly merge OUT {} ...",
            self.shard,
            counted(all, "unit"),
            self.shard.of,
            quoted(&place),
        ))?;
        Ok(ExitCode::from(if failures > 0 { exit::SOME_FAILED } else { exit::DONE }))
    }
}

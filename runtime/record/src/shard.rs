//! Shards: a run's units divided among several directories, which `jointly merge` joins.
//!
//! A shard's `plan.json` is that of the whole run, byte for byte; `shard.json` beside it names the share that the
//! directory holds. A shard has no scores, because they are computed from all units together.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jointly_core::printable::ShowPath as _;
use jointly_data::regular_file;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::directory::{self, RunDirectory};
use crate::lines::Lines;

/// The file that names the share of the plan that a directory holds.
pub const FILE: &str = "shard.json";
/// The largest number of shards; a Slurm array has at most a thousand tasks unless an administrator changes it.
pub const MOST: u32 = 100_000;
/// The most bytes of the file.
const MOST_BYTES: u64 = 1 << 10;

/// One of `of` shares of a plan's units, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// The number of the shard, from 1.
    pub shard: u32,
    /// The number of shards.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.shard, self.of)
    }
}

impl Shard {
    /// Returns the shard with that number.
    ///
    /// # Errors
    /// When there is no shard with that number; the error is a message for the user.
    pub fn new(shard: u32, of: u32) -> Result<Self, String> {
        if of == 0 || of > MOST {
            return Err(format!("there are 1 to {MOST} shards, not {of}"));
        }
        if shard == 0 || shard > of {
            return Err(format!("there is no shard {shard} of {of}: the first is 1/{of}, the last {of}/{of}"));
        }
        Ok(Self { shard, of })
    }

    /// Reads the shard of a directory, if it is one.
    ///
    /// # Errors
    /// When the file of the shard cannot be read.
    pub fn held(directory: &RunDirectory) -> Result<Option<Self>> {
        let path = directory.path().join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = regular_file::read(&path, MOST_BYTES).with_context(|| format!("failed to read {}", path.shown()))?;
        let held: Option<Self> = serde_json::from_slice(&text).ok();
        let held = held.and_then(|held| Self::new(held.shard, held.of).ok());
        held.map(Some).with_context(|| {
            format!("{} does not say which shard it is; run the shard again into another --out", path.shown())
        })
    }

    /// Marks a directory of the plan as that of this shard, or of the whole run, unless it already belongs to another.
    ///
    /// # Errors
    /// When the directory belongs to another share, or cannot be written.
    pub fn claim(asked: Option<Self>, directory: &RunDirectory, lines: &Lines) -> Result<()> {
        let place = directory.path().shown();
        match (Self::held(directory)?, asked) {
            (held, asked) if held == asked => Ok(()),
            (Some(held), _) => bail!("{place} is of shard {held} of this plan: give --shard {held}, or another --out"),
            (None, Some(shard)) if lines.is_empty() => directory.write(FILE, &directory::to_json(&shard)?),
            (None, _) => bail!("{place} is of the whole plan: leave out --shard, or give another --out"),
        }
    }

    /// Returns the default directory for the shard's results, beside those of the other shards.
    pub fn beside(self, run: &Path) -> PathBuf {
        beside(run, &format!("-shard-{}-of-{}", self.shard, self.of))
    }

    /// Returns the name of the shard's directory among those of an array's tasks.
    pub fn folder(self) -> String {
        format!("{}-of-{}", self.shard, self.of)
    }
}

/// Returns a path beside a directory, named after it.
pub fn beside(run: &Path, ending: &str) -> PathBuf {
    // This works for a path with a final slash, too.
    let mut name = run.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    run.with_file_name(name)
}

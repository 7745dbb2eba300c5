//! Shards: a run's units dealt out to directories of their own, which `jointly merge` joins.
//!
//! A shard's `plan.json` is that of the whole run, to the byte; `shard.json` beside it says which share of it the directory is
//! about. It has no scores: they are of all units together.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::directory::{self, RunDirectory};
use crate::unit::UnitResult;

/// Which share of the plan a directory is about.
pub const FILE: &str = "shard.json";
/// The most shards; an array of Slurm has a thousand tasks unless an administrator says otherwise.
pub const MOST: u32 = 100_000;

/// One of `of` shares of a plan's units, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shard {
    /// Which one, from 1 on.
    pub shard: u32,
    /// How many there are.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.shard, self.of)
    }
}

impl Shard {
    /// The shard of that number.
    ///
    /// # Errors
    /// When there is none of that number, for a person.
    pub fn new(shard: u32, of: u32) -> Result<Self, String> {
        if of == 0 || of > MOST {
            return Err(format!("there are 1 to {MOST} shards, not {of}"));
        }
        if shard == 0 || shard > of {
            return Err(format!("there is no shard {shard} of {of}: the first is 1/{of}, the last {of}/{of}"));
        }
        Ok(Self { shard, of })
    }

    /// The shard of a directory, if it is one.
    ///
    /// # Errors
    /// When the file of the shard cannot be read.
    pub fn held(directory: &RunDirectory) -> Result<Option<Self>> {
        let path = directory.path().join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let held: Option<Self> = serde_json::from_str(&text).ok();
        let held = held.and_then(|held| Self::new(held.shard, held.of).ok());
        held.map(Some).with_context(|| {
            format!("{} does not say which shard it is; run the shard again into another --out", path.display())
        })
    }

    /// Makes a directory of the plan that of this shard, or of the whole run, unless it is another's already.
    ///
    /// # Errors
    /// When the directory is of another share, or cannot be written.
    pub fn claim(asked: Option<Self>, directory: &RunDirectory, results: &[UnitResult]) -> Result<()> {
        let place = directory.path().display();
        match (Self::held(directory)?, asked) {
            (held, asked) if held == asked => Ok(()),
            (Some(held), _) => bail!("{place} is of shard {held} of this plan: give --shard {held}, or another --out"),
            (None, Some(shard)) if results.is_empty() => directory.write(FILE, &directory::to_json(&shard)?),
            (None, _) => bail!("{place} is of the whole plan: leave out --shard, or give another --out"),
        }
    }

    /// Where its results go unless a person says otherwise, beside those of the other shards.
    pub fn beside(self, run: &Path) -> PathBuf {
        beside(run, &format!("-shard-{}-of-{}", self.shard, self.of))
    }

    /// The name of its directory among those of an array's tasks.
    pub fn folder(self) -> String {
        format!("{}-of-{}", self.shard, self.of)
    }
}

/// A place beside a directory, named after it.
pub fn beside(run: &Path, ending: &str) -> PathBuf {
    // Of a path with a slash at its end too.
    let mut name = run.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    run.with_file_name(name)
}

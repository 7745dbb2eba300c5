//! `jointly schema`: JSON Schema of what this command writes.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_record::guess;
use jointly_record::plan::Plan;
use jointly_record::schema::schema;
use jointly_record::shard::Shard;
use jointly_record::unit::UnitResult;
use jointly_score::scores::Scores;

use crate::{exit, output};

/// Prints the JSON Schema of a file that this command writes, or lists the names of those that there are
///
/// The schemas are derived from the types that write the files. They follow draft 2020-12 and name every field; where a field
/// may be left out, it is not required.
#[derive(Args)]
pub(crate) struct Schema {
    /// Which one; without it, all names are listed
    name: Option<String>,
}

/// A schema, its name and what it describes.
struct Described {
    name: &'static str,
    what: &'static str,
    schema: fn() -> schemars::Schema,
}

const ALL: [Described; 4] = [
    Described { name: "plan", what: "plan.json: all that decides a run's scores", schema: schema::<Plan> },
    Described { name: "unit", what: "a line of results.jsonl: the result of a unit", schema: schema::<UnitResult> },
    Described { name: "scores", what: "scores.json: the scores of a run", schema: schema::<Scores> },
    Described { name: "shard", what: "shard.json: which shard of its run a directory has", schema: schema::<Shard> },
];

impl Schema {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let Some(name) = self.name else {
            for Described { name, what, .. } in ALL {
                output::print(&format!("{name:7} {what}"))?;
            }
            return Ok(ExitCode::from(exit::DONE));
        };
        let Some(described) = ALL.iter().find(|described| described.name == name) else {
            let names = ALL.iter().map(|described| described.name);
            bail!("no schema is called {name}: {}", guess::remedy(&name, names, "`jointly schema` lists them"))
        };
        output::print_json(&(described.schema)())?;
        Ok(ExitCode::from(exit::DONE))
    }
}

//! `jointly schema`: prints JSON Schemas of the files that this command writes.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use jointly_contest::{ContestEntry, EntryList, Rules};
use jointly_record::checksum::Checked;
use jointly_record::guess;
use jointly_record::pack_members::PackMembers;
use jointly_record::plan::Plan;
use jointly_record::schema::schema;
use jointly_record::shard::Shard;
use jointly_record::unit::UnitResult;
use jointly_score::leaderboard_columns::LeaderboardRow;
use jointly_score::leaderboard_document::LeaderboardDocument;
use jointly_score::scores::Scores;
use jointly_score::sweep_document::SweepDocument;

use crate::{exit, output};

/// Prints the JSON Schema of a file that this command writes, or lists the names of all schemas
///
/// The schemas are derived from the types and definitions that write the files. They follow draft 2020-12 and name
/// every field; a field that may be left out is not required. The schema of the leaderboard is that of a row, as an
/// object by column; the schema of a pack is that of its members by name.
#[derive(Args)]
pub(crate) struct Schema {
    /// The name of a schema, such as plan, leaderboard or pack; without it, all names are listed
    name: Option<String>,
}

/// A schema, its name and its description.
struct Described {
    name: &'static str,
    what: &'static str,
    schema: fn() -> schemars::Schema,
}

const ALL: [Described; 11] = [
    Described { name: "plan", what: "plan.json: all that decides a run's scores", schema: schema::<Checked<Plan>> },
    Described {
        name: "unit",
        what: "a line of results.jsonl: the result of a unit",
        schema: schema::<Checked<UnitResult>>,
    },
    Described { name: "scores", what: "scores.json: the scores of a run", schema: schema::<Scores> },
    Described { name: "sweep", what: "sweep.json: the choice of a sweep", schema: schema::<SweepDocument> },
    Described { name: "shard", what: "shard.json: which shard of its run a directory has", schema: schema::<Shard> },
    Described {
        name: "leaderboard",
        what: "a row of leaderboard.csv: its columns by kind of task",
        schema: schema::<LeaderboardRow>,
    },
    Described {
        name: "leaderboard-json",
        what: "what `jointly leaderboard --format json` prints",
        schema: schema::<LeaderboardDocument>,
    },
    Described { name: "pack", what: "a pack: its members by name", schema: schema::<PackMembers> },
    Described { name: "contest", what: "contest.json: the rules of a contest", schema: schema::<Rules> },
    Described { name: "contest-entry", what: "an entry of a contest", schema: schema::<ContestEntry> },
    Described { name: "contest-list", what: "closed.json: the entries that a close took", schema: schema::<EntryList> },
];

impl Schema {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let Some(name) = self.name else {
            for Described { name, what, .. } in ALL {
                output::print(&format!("{name:16} {what}"))?;
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

//! `jointly scores`: explains each score.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use jointly_core::kind::Kind;
use jointly_core::{At, Better, ScoreInfo, Unit};
use jointly_record::kinds::KINDS;
use jointly_report::table::described;
use serde_json::{Value, json};

use crate::{exit, output};

/// Lists the scores of each kind of task: their names, units, which way is better, and what they mean
#[derive(Args)]
pub(crate) struct Scores {
    /// A kind of task; none means all
    #[arg(value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS.map(|kind| kind.name)))]
    kind: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Scores {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let wanted = |kind: &&Kind| self.kind.as_deref().is_none_or(|name| name == kind.name);
        let kinds: Vec<&Kind> = KINDS.into_iter().filter(wanted).collect();
        if self.json {
            let list =
                |kind: &Kind| (kind.name.to_owned(), (kind.scores)().into_iter().map(to_json).collect::<Value>());
            output::print_json(&kinds.into_iter().map(list).collect::<serde_json::Map<String, Value>>())?;
        } else {
            let texts: Vec<String> = kinds.into_iter().map(text).collect();
            output::print(&texts.join("\n"))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

fn text(kind: &Kind) -> String {
    let row = |score: &ScoreInfo| {
        let unit = Some(score.unit).filter(|unit| *unit != Unit::One).map(|unit| unit.to_string());
        let better = Some(score.better).filter(|better| *better != Better::Neither);
        let marks: Vec<String> = unit.into_iter().chain(better.map(|better| format!("{better} is better"))).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(", ")) };
        (score.stem.to_owned(), format!("{}{marks}", score.meaning(At::Once)))
    };
    let rows: Vec<(String, String)> = (kind.scores)().into_iter().map(row).collect();
    format!("{}\n{}", kind.name, described(2, &rows))
}

fn to_json(score: &ScoreInfo) -> Value {
    json!({
        "stem": score.stem,
        "unit": score.unit.to_string(),
        "better": score.better.to_string(),
        "meaning": score.meaning(At::Once),
    })
}

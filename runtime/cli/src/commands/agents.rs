//! `jointly agents`: what is bundled.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_host::{Description, Limits, Runtime};
use serde::Serialize;

use crate::{agent_source, cache, exit, output};

/// Lists the bundled agents, their settings and sweeps
#[derive(Args)]
pub(crate) struct Agents {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    description: Description,
    digest: String,
}

impl Agents {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let runtime = Runtime::new(cache::directory().as_deref())?;
        let entry = |spec| {
            let agent = agent_source::load(&runtime, &spec, Limits::default())?.agent;
            Ok(Entry { description: agent.description().clone(), digest: agent.digest().to_owned() })
        };
        let entries: Vec<Entry> = agent_source::all_bundled().into_iter().map(entry).collect::<Result<_>>()?;
        if self.json {
            output::print_json(&entries)?;
        } else {
            let cards: Vec<String> = entries.iter().map(|entry| card(&entry.description)).collect();
            output::print(&cards.join("\n"))?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}

fn card(description: &Description) -> String {
    let mut text = format!("{} {}: {}\n", description.name, description.version, description.summary);
    if !description.citation.is_empty() {
        let _ = writeln!(text, "    after {}", description.citation);
    }
    let settings = description.parameters.iter().map(|known| format!("{}={}", known.name, known.default));
    let settings: Vec<String> = settings.collect();
    let width = settings.iter().map(String::len).max().unwrap_or(0);
    for (setting, parameter) in settings.iter().zip(&description.parameters) {
        let _ = writeln!(text, "    {setting:<width$}  {}", parameter.summary);
    }
    for sweep in &description.sweeps {
        let _ = writeln!(text, "    sweep {}: {} variants", sweep.name, sweep.variants.len());
    }
    text
}
